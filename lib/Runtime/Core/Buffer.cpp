#include "orzo/Runtime/Buffer.h"

namespace orzo {

std::vector<int64_t> packedStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

BufferView packedView(Buffer buffer, ElementType type, std::vector<int64_t> shape) {
  std::vector<int64_t> strides = packedStrides(shape);
  return {buffer, type, std::move(shape), std::move(strides)};
}

} // namespace orzo
