// Buffer and BufferView: memory that the caller owns, plain and seen as a tensor.
#pragma once

#include "orzo/Spec/ElementType.h"

#include <cstdint>
#include <vector>

namespace orzo {

/// `bytes` bytes at `data`; owned by whoever made it. `data` may be null only where bytes is 0.
struct Buffer {
  void *data = nullptr;
  int64_t bytes = 0;
};

/// A tensor in a buffer. Element (i, j, ...) lies strides[0]*i + strides[1]*j + ... elements after buffer.data.
struct BufferView {
  Buffer buffer;
  ElementType type = ElementType::Float;
  std::vector<int64_t> shape;   ///< Extents, outermost first; empty for one element.
  std::vector<int64_t> strides; ///< Elements between neighbours along each dim.
};

/// Strides of a packed tensor: the last is 1, each other the product of the extents after it.
std::vector<int64_t> packedStrides(const std::vector<int64_t> &shape);

/// `buffer` as a packed tensor. Whether it is large enough is checked where the view is used.
BufferView packedView(Buffer buffer, ElementType type, std::vector<int64_t> shape);

} // namespace orzo
