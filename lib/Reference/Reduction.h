// Reduction: what every reduction mode computes, in f64, one value at a time.
//
//     double accumulator = initial(mode);
//     for each x: accumulator = accumulate(mode, accumulator, x);
//     result = finish(mode, accumulator, count);
//
// Conventions: a NaN makes every reduction NaN. Over no value the sums and norms are 0, the products 1, the average
// NaN, min and max infinite, amax 0. mul_no_zeros leaves zeros (of either sign) out of the product. max(0, -0) is 0.
#pragma once

#include "orzo/Spec/Pointwise.h"

namespace orzo::reference {

double initial(ReductionMode mode);
double accumulate(ReductionMode mode, double accumulator, double value);
double finish(ReductionMode mode, double accumulator, int64_t count);

} // namespace orzo::reference
