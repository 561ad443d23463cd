// Random graphs, compiled and run; random graphs with random mistakes, as far as the compiler.
#include "../Graph/RandomGraph.h"
#include "VerifiedRun.h"

using namespace orzo::graph;
using namespace orzo::graph::test;

namespace {

/// `definition` as a graph that compiles.
Graph compilable(const GraphDefinition &definition) {
  Graph graph;
  static_cast<GraphDefinition &>(graph) = definition;
  return graph;
}

TEST(RandomGraphs, TwoHundredAreRight) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  int64_t compared = 0, unbounded = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Graph graph = compilable(randomGraph(random, 2 + static_cast<int>(seed % 7)));
    ASSERT_TRUE(compiles(graph, handle));
    for (orzo::DataKind kind : {orzo::DataKind::Random, orzo::DataKind::Integer}) {
      VerifiedRun run(graph, kind, seed);
      ASSERT_TRUE(runs(graph, handle, run.pack));
      GraphVerifyResult result = run.verify();
      EXPECT_EQ(result.status, "ok") << name(kind) << " data: " << result.message << "\n" << *graph.text();
      compared += result.compared;
      unbounded += result.unbounded;
    }
  }
  // Overflows and comparisons of equals are few.
  EXPECT_LT(unbounded, compared / 20);
}

} // namespace
