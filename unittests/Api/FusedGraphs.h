// FusedGraphs: the graphs around one convolution that are one dispatch.
#pragma once

#include "orzo/Api/Graph.h"

#include <functional>
#include <string>
#include <vector>

namespace orzo::graph::test {

struct FusedGraph {
  std::string name;
  /// Builds the graph, with inputs and outputs of `type`; image extent and channels scale with `size` (1 is small).
  std::function<void(Graph &, DataType type, int64_t size)> make;
};

/// conv3x3+bias+relu, conv1x1+bias+residual+relu, dgrad+relu backward, wgrad+cast, wgrad+db, dgrad+relu backward+sum.
std::vector<FusedGraph> fusedGraphs();

/// The convolution of the fused graph alone.
void makeBare(const FusedGraph &fused, Graph &bare, DataType type, int64_t size);

} // namespace orzo::graph::test
