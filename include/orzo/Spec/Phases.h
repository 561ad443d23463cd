// PhaseTable: the index logic of an implicit GEMM, as data.
//
// fprop and dgrad are both, for every phase of a table,
//
//     out[n, outBegin + outStride*i, g, j] =
//         sum over taps t, channels c of  in[n, inStride*i + offset(t), g, c] * w[tap(t), g, c, j]    (0 outside)
//
// per spatial dim, with i in [0, extent), t in [0, tapCount), offset(t) = offsetBegin + t*offsetStep and tap(t) =
// tapBegin + t*tapStep the index into w as stored (a flipped dim is folded in here: tapStep is then negative).
//
// fprop has one phase: inStride = stride, outStride = 1, every tap, offset = r*dilation - padLow.
//
// dgrad computes outputs h; h = stride*p + dilation*r - padLow has a solution p only for taps r with (h + padLow -
// dilation*r) divisible by stride. That depends on h mod stride alone: one phase for each residue rho in [0,
// min(stride, in)), of the outputs h = rho + stride*i. With q = gcd(stride, dilation), the taps of a phase are an
// arithmetic progression of step stride/q, so a phase is five numbers, not a list:
//
//     worked example   stride 2, dilation 1, padLow 1, filter 3, in 5
//     rho 0: h = 0 2 4, (h + 1 - r) even: r = 1;     p = (h + 1 - 1)/2 = i      -> offset 0
//     rho 1: h = 1 3,   r = 0 2;                     p = (h + 1 - r)/2 = i + 1 - r/2  -> offsets 1, 0
//
// A phase may have no taps (filter shorter than stride): its outputs are zero and must still be written. A problem's
// phases are the product of its dims' phases. Identity checked against Reference by brute force.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <cstdint>
#include <vector>

namespace orzo {

struct DimPhase {
  int64_t outBegin = 0;    ///< First output index of the phase.
  int64_t extent = 0;      ///< Number of outputs i.
  int64_t tapCount = 0;    ///< May be 0.
  int64_t tapBegin = 0;    ///< Index into w of tap 0.
  int64_t offsetBegin = 0; ///< Input offset of tap 0; may be negative.
  bool operator==(const DimPhase &) const = default;
};

struct DimPhases {
  int64_t inStride = 1;
  int64_t outStride = 1;
  int64_t tapStep = 1;    ///< Negative along a flipped dim.
  int64_t offsetStep = 1; ///< Negative for dgrad.
  std::vector<DimPhase> phases;
  bool operator==(const DimPhases &) const = default;
};

struct PhaseTable {
  std::vector<DimPhases> dims; ///< One per spatial dim; empty for a problem of rank 0.

  /// Product of the dims' phase counts (1 for rank 0).
  int64_t phaseCount() const;
  /// The DimPhase of each dim in phase number `index` (dim 0 slowest).
  std::vector<DimPhase> phase(int64_t index) const;
  bool operator==(const PhaseTable &) const = default;
};

/// The phase table of a fprop or dgrad problem. `spec.direction` must not be WGrad (use wgradTaps).
PhaseTable phases(const ConvSpec &spec);

/// wgrad: w[g, k, t, c] = sum over n, p of y[n, p, g, k] * in[n, stride*p + offset(t), g, c]. The same table with one
/// phase whose extent is out, inStride the stride, and whose taps are all of the filter.
PhaseTable wgradTaps(const ConvSpec &spec);

} // namespace orzo
