// Pointwise: what every mode computes, in f64.
//
// Conventions, where textbooks differ:
// - A NaN operand gives a NaN (max, min and relu included), but for comparisons and logical modes, which give 0 or 1:
//   a NaN compares unequal to everything and is true. binary_select(p, a, b) is a where p is not 0, else b.
// - max(0, -0) is 0 and min(0, -0) is -0; relu(-0) is 0.
// - mod is the remainder of the division truncated toward zero: it has the sign of the first operand.
// - relu: x above the lower clip, cut at the upper; below it, lower + slope*(x - lower). Its derivative is 0 from the
//   upper clip on, `slope` at and below the lower one, 1 between.
// - swish is x * sigmoid(beta*x) and gelu x * Phi(x) literally: at minus infinity they are NaN, not their limit 0.
// - softplus is x itself where beta*x exceeds the threshold.
// - Backward modes take (dy, x) and return dy * f'(x).
#pragma once

#include "orzo/Spec/Pointwise.h"

namespace orzo::reference {

/// `inputs` has inputCount(mode) values.
double pointwise(PointwiseMode mode, const PointwiseParameters &parameters, std::span<const double> inputs);

} // namespace orzo::reference
