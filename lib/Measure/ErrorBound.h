// ErrorBound: how far a right result may be from the oracle. Derivation: docs/Numerics.md.
#pragma once

#include "Reference/Evaluate.h"
#include "Reference/Projection.h"

#include <cmath>

namespace orzo {

/// |y - ref| <= roundoff*|ref| + accumulate*spread + absolute, with spread = sqrt(L) * sqrt(sum of squared products).
struct ErrorBound {
  double roundoff = 0;   ///< Unit roundoff of the result's type: one rounding of the f32 sum.
  double accumulate = 0; ///< 8 * 2^-24: rounding of L additions in f32, in any order.
  /// L * 2^-125, for subnormal numbers that dot-product instructions flush to zero, and half of the result type's
  /// smallest subnormal, for a result below its normal range.
  double absolute = 0;

  double of(double reference, double spread) const {
    return roundoff * std::abs(reference) + accumulate * spread + absolute;
  }

  /// For `channels` results contracted with random signs; `roundings` is the sum of their squared output roundings. Six
  /// times the root of the sum of squares: by Hoeffding's inequality right results exceed it with probability under
  /// 4e-8.
  double ofProjection(double roundings, double spread, int64_t channels) const {
    return 6 * std::sqrt(roundings + accumulate * spread * accumulate * spread) +
           absolute * static_cast<double>(channels);
  }
};

/// The bound for random data.
ErrorBound errorBound(const ConvSpec &spec);

} // namespace orzo
