// ExtraStrides: how an extra of an epilogue moves along the dims of a nest - a stride per dim, as an operand has.
//
// An ElementMap divides the element number of the result into digits. Where the digits and the nest's dims cut the
// number at the same places, nothing needs to be divided when the kernel runs: each dim moves the extra by so much. A
// dim that reaches across a digit is split in parts there.
//
//     worked example   the seed's dgrad, m = 4096 (stride 4096), n = 4096 (stride 1), and a bias of 2048 channels
//     digits 8192(0) 2048(1): n reaches across 2048, so it is two parts, 2 of stride 0 around 2048 of stride 1; m moves
//     the bias by 0
//
// That does not always work: with rows of 6 elements, no split says what the digit 4 of an element number is, because
// a row begins now at its 0, now at its 2.
#pragma once

#include "Codegen/Common/Nest.h"
#include "Spec/ElementMap.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace orzo {

struct ExtraStrides {
  /// Index `i` of dim number `dim` is, in this part, i / divisor % extent, without the remainder in a dim's outermost
  /// part.
  struct Part {
    size_t dim = 0;
    int64_t divisor = 1;
    int64_t extent = 1; ///< At most, over the phases.
    int64_t stride = 0; ///< Elements of the extra between neighbours.
    bool isOutermost = true;
  };
  std::vector<Part> batch, m, n; ///< Outermost first, all dims of the nest in their order.
  std::vector<int64_t> bases;    ///< Of each phase: the extra's element at index 0 of every dim.
};

/// How the extra of `map` moves along `nest`, whose result's elements `map` numbers; nullopt where only the element
/// number itself tells.
std::optional<ExtraStrides> extraStrides(const ElementMap &map, const Nest &nest);

} // namespace orzo
