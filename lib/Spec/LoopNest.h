// LoopNest: the indices that a problem without bounds checks is summed over, and the contraction that they make.
#pragma once

#include "orzo/Spec/Contraction.h"

#include <array>
#include <optional>
#include <vector>

namespace orzo {

/// One index of the loop nest that computes a problem: elements between neighbours in each tensor, indexed by Role; 0
/// in the tensors that do not have it.
struct Loop {
  int64_t extent;
  std::array<int64_t, 3> strides;
  int64_t stride(Role role) const { return strides[static_cast<int>(role)]; }
};

/// The loops as a contraction in canonical form (no hasZeroTail yet); nullopt where it would have no contiguous dim in
/// some tensor, or where the result's innermost dim is in both operands, so that n cannot have it.
std::optional<Contraction> contractionOf(const std::vector<Loop> &loops, Direction direction);

} // namespace orzo
