// StridedNest: the loops of a pointwise or reducing dispatch over flat memory, as plain data.
//
//     worked example   y[i, c] = relu(x[i, c] + b[c]) over 8192 rows of 2048 bf16
//     loops 8192:2048:0:2048  2048:1:1:1    offsets 0 0 0    types bf16 bf16 bf16
#pragma once

#include "orzo/Spec/GraphSpec.h"

#include <optional>
#include <vector>

namespace orzo {

struct StridedNest {
  std::vector<GraphLoop> loops;           ///< Outermost first; strides (elements) of each operand, then the result's.
  std::vector<int64_t> offsets;           ///< First element of each operand, then of the result.
  std::vector<ElementType> types;         ///< Of each operand, then of the result.
  std::optional<ReductionMode> reduction; ///< Over the loops with result stride 0; without one the nest is a map.

  size_t operands() const { return types.size() - 1; }
};

} // namespace orzo
