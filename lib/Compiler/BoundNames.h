// BoundNames: the names under which people find a problem in its source.
#pragma once

#include "Import/Binding/Binding.h"

namespace orzo {

/// The same tensors under the names of the canonical problem: where the source says no direction, raising has chosen
/// among equals.
conv::BoundProblem underCanonicalNames(const conv::BoundProblem &problem);

/// With the source's dims of extent 1 as spatial dims, where each tensor has as many of them beside its axes: a filter
/// k 1 s c is one of R and S in its own eyes. Dims are named in the filter's order; `problem` itself where that is not
/// clear.
conv::BoundProblem withUnitDims(const conv::BoundProblem &problem);

/// With the result where the function that holds the work has it: @problem's results are what it returns, in order, or
/// arguments that it writes.
conv::BoundProblem atBorder(const conv::BoundProblem &problem, const Binding &binding);

} // namespace orzo
