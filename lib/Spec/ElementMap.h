// ElementMap: which element of one tensor belongs to element e of another, a packed one.
//
// The digits of e, outermost first, are those of a mixed radix: the last digit runs fastest, and the product of all
// extents is the number of elements. The element that belongs to e is offset + the sum of digit * stride.
//
//     worked example   a bias of 2048 channels added to 16 x 512 x 2048 elements, channels innermost
//     digits 8192(0) 2048(1): element 5000 = 2 * 2048 + 904 has digits (2, 904) and takes bias[904]
#pragma once

#include "orzo/Spec/GraphSpec.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace orzo {

struct ElementMap {
  struct Digit {
    int64_t extent = 1, stride = 0;
    bool operator==(const Digit &) const = default;
  };
  std::vector<Digit> digits; ///< Outermost first; neighbours are merged where one digit says the same.
  int64_t offset = 0;

  /// The element that belongs to `element`, which is one of as many as the digits have.
  int64_t at(int64_t element) const;
  /// One past the last element that any belongs to; 0 where there are none.
  int64_t reach() const;
  /// Whether every element belongs to the same number.
  bool isIdentity() const;
  bool operator==(const ElementMap &) const = default;
};

/// The map between two columns of `loops`' strides, from the tensor of column `from`, of `elements` elements, to that
/// of column `to`, whose first element is `toOffset`. nullopt unless the loops visit every element of the former once.
std::optional<ElementMap> elementMap(const std::vector<GraphLoop> &loops, size_t from, size_t to, int64_t elements,
                                     int64_t toOffset);

} // namespace orzo
