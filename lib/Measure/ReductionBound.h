// ReductionBound: what one element of a reduction may be off by, gathered value by value.
//
// A sum of L values errs by what each of them does (independent errors of random sign: by Hoeffding's inequality six
// times the root of the sum of their squares is enough, and never more than their sum is needed) and by rounding: every
// partial sum of L/2 values on average has a part that grows like the square root (values of both signs) and one that
// grows linearly (their mean), so that 8 * 2^-24 * sqrt(L) * (root of the sum of squares + |sum|) holds in any order of
// summation (docs/Numerics.md). Integers whose magnitudes add up to less than 2^24 are summed exactly.
#pragma once

#include "Measure/PointwiseBound.h"

namespace orzo {

class ReductionBound {
public:
  explicit ReductionBound(ReductionMode mode);

  void add(BoundedValue value);
  /// The result over the `count` values added.
  BoundedValue finish(int64_t count) const;

private:
  BoundedValue sumOf(int64_t count) const;

  ReductionMode mode;
  double accumulator;    ///< As Reference has it.
  double magnitudes = 0; ///< Sum of |x|, of NORM2 of x^2.
  double squares = 0;    ///< Of the summands.
  double errors = 0;     ///< Their sum; of extrema the largest.
  double errorSquares = 0;
  double product = 1, most = 1; ///< Of |x| and of |x| + error.
  bool integers = true;
  bool exact = true, finite = true; ///< Of all values: without error; neither infinite nor NaN.
};

} // namespace orzo
