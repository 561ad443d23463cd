// Random graphs, compiled and run; random graphs with random mistakes, as far as the compiler.
#include "../Graph/RandomMistakes.h"
#include "VerifiedRun.h"

#include <algorithm>

using namespace orzo::graph;
using namespace orzo::graph::test;
using orzo::GraphVerifyResult;
using orzo::PointwiseMode;

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
    if (testing::AssertionResult compiled = compiles(graph, handle); !compiled) {
      ADD_FAILURE() << compiled.message();
      continue;
    }
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

TEST(RandomGraphs, WithMistakesCompileOrSayWhy) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  int compiled = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Graph graph = compilable(mistakenGraph(seed));
    orzo::Status status = graph.validate();
    if (!status.ok()) {
      EXPECT_THAT(graph.compile(handle).message(), testing::HasSubstr("needs a validate()"));
      continue;
    }
    status = graph.compile(handle);
    EXPECT_NE(status.code(), orzo::StatusCode::Internal) << status.message();
    EXPECT_TRUE(status.ok() || status.message().find('\'') != std::string::npos) << status.message();
    if (!status.ok() || graph.getWorkspaceSize()->value_or(0) > (1 << 28))
      continue;
    GraphProblem problem = graph.problem().take();
    bool isSmall = std::ranges::all_of(problem.spec.values, [](const auto &value) { return value.elements < 1 << 20; });
    if (!isSmall)
      continue;
    ++compiled;
    VerifiedRun run(graph);
    ASSERT_TRUE(runs(graph, handle, run.pack));
    GraphVerifyResult result = run.verify();
    EXPECT_EQ(result.status, "ok") << result.message << "\n" << *graph.text();
  }
  EXPECT_GT(compiled, 20);
}

TEST(RandomGraphs, FiveHundredNodes) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  Graph graph;
  graph.setIODataType(DataType::Float);
  TensorPtr value = graph.tensor(TensorAttr().setName("x").setDim({4, 7}));
  const PointwiseMode modes[] = {PointwiseMode::TANH_FWD, PointwiseMode::NEG, PointwiseMode::ABS, PointwiseMode::SIN};
  for (int i = 0; i < 500; ++i)
    value = graph.pointwise(value, PointwiseAttr().setMode(modes[i % 4]).setName("node" + std::to_string(i)));
  value->setName("y").setOutput(true);
  ASSERT_TRUE(compiles(graph, handle));
  expectRight(graph, handle);
}

} // namespace
