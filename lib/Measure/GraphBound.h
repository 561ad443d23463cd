// GraphBound: the right numbers of a graph, each with how far a right result may be from it.
//
// Errors are carried from step to step beside the values. What enters from memory errs by its rounding to f32. A
// convolution errs by what its operands do (6 * the root of the sum of squared products of error and other operand:
// independent errors of random sign, Hoeffding) and by its own sums (ErrorBound.h, and sqrt(L) * |value| for operands
// whose mean is not 0); a pointwise step as PointwiseBound.h, a reduction as ReductionBound.h say. A value between two
// steps may have been rounded to its type or not. Where all is integers and small, every error is 0, and the right
// result is the exact one rounded once.
//
// An error is infinite where nothing can be said: an overflow, a comparison of values closer than their errors.
#pragma once

#include "Measure/GraphDemand.h"

#include <vector>

namespace orzo {

struct BoundedValues {
  std::vector<double> value, error;
};

/// For every output, in the order of graph.outputs, its values and errors (before the rounding to the output's own
/// type, but for what is no float); elements outside of `demand` are undefined, elements that no step writes too.
/// `memory` as for reference::evaluate. Only the error of graphs without strictRounding is known; with it, every
/// value's rounding to its type is part of the value.
std::vector<BoundedValues> evaluateBounded(const GraphSpec &graph, const std::vector<const void *> &memory,
                                           const Demand &demand, int threads);

/// Of an output: whether a step writes the element.
std::vector<bool> writtenElements(const GraphSpec &graph, int output);

} // namespace orzo
