// Random legal graphs, and the same graph in another spelling.
#pragma once

#include "orzo/Graph/GraphDefinition.h"

#include <random>

namespace orzo::graph::test {

int64_t pick(std::mt19937 &random, int64_t low, int64_t high);

template <typename List> auto &pickFrom(std::mt19937 &random, List &list) {
  return list[pick(random, 0, static_cast<int64_t>(list.size()) - 1)];
}

/// Up to `nodes` nodes of any kind over small tensors, at least one output, validated.
GraphDefinition randomGraph(std::mt19937 &random, int nodes);

/// `graph` (validated) rebuilt: nodes and inputs in another order, other names, operands of commutative modes and of
/// mirrored comparisons exchanged, other strides along dims of extent 1, other strides of virtual tensors. Outputs keep
/// their names with an apostrophe behind, inputs too.
GraphDefinition respelled(const GraphDefinition &graph, std::mt19937 &random);

} // namespace orzo::graph::test
