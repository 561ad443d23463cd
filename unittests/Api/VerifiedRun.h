// VerifiedRun: a graph's buffers between guard pages, filled, and the results held against the oracle.
#pragma once

#include "ApiTesting.h"

#include "Measure/GraphData.h"
#include "Measure/GraphVerification.h"

namespace orzo::graph::test {

class VerifiedRun {
public:
  /// Buffers for a validated graph: `kind` of data in the inputs, poison in the outputs.
  explicit VerifiedRun(const Graph &graph, DataKind kind = DataKind::Random, uint64_t seed = 1);

  /// The input `name`'s memory, to fill it otherwise.
  void *memoryOf(const std::string &name) const;

  /// Compares every element of every output.
  GraphVerifyResult verify() const;

  VariantPack pack;

private:
  GraphProblem problem;
  std::vector<GuardedBuffer> buffers;
  std::vector<int> values; ///< Of `problem`, by buffer.
};

/// validate, compile, execute; each must succeed.
::testing::AssertionResult runs(Graph &graph, const Handle &handle, const VariantPack &pack);
::testing::AssertionResult compiles(Graph &graph, const Handle &handle);

/// Runs the compiled graph on random and on integer data; both must verify, with at most `unbounded` elements that
/// nothing can be said about.
void expectRight(const Graph &graph, const Handle &handle, int64_t unbounded = 0, uint64_t seed = 1);

} // namespace orzo::graph::test
