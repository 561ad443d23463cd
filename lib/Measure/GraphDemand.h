// GraphDemand: which elements of a graph's values have to be known for some elements of its outputs.
#pragma once

#include "orzo/Spec/GraphSpec.h"

#include <cstdint>
#include <vector>

namespace orzo {

/// By value, then by element: whether it is needed. An empty list: every element is.
using Demand = std::vector<std::vector<bool>>;

/// Everything.
Demand demandAll(const GraphSpec &graph);

/// What `wanted` elements of every output (by output, then by element) need. What a convolution reads is needed whole.
Demand demandFor(const GraphSpec &graph, const std::vector<std::vector<int64_t>> &wanted);

/// About how long the values in `demand` take to compute on `threads` threads.
double estimateSeconds(const GraphSpec &graph, const Demand &demand, int threads);

/// The elements in `need`, a list of `demand`, of a value of `elements` elements.
std::vector<int64_t> elementsIn(const std::vector<bool> &need);

} // namespace orzo
