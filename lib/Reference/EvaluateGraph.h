// EvaluateGraph: the right number of a graph. Every step in f64, one after the other.
#pragma once

#include "orzo/Spec/GraphSpec.h"

#include <vector>

namespace orzo::reference {

/// The values of every output, in the order of graph.outputs, each of GraphValue::elements f64. `memory` has an array
/// of the value's type for each Input by value number; other entries are ignored. Nothing is rounded on the way and not
/// at the end, unless graph.strictRounding: then every value is rounded to its type where it is made. Elements of an
/// output that no step writes are NaN. `threads` 0 takes every core.
std::vector<std::vector<double>> evaluate(const GraphSpec &graph, const std::vector<const void *> &memory,
                                          int threads = 0);

} // namespace orzo::reference
