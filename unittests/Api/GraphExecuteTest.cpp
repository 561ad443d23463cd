// Graphs of several steps that run: bound by value, with any number of tensors, by any number of threads.
#include "VerifiedRun.h"

#include <atomic>
#include <thread>

using namespace orzo::graph;
using namespace orzo::graph::test;
using testing::AllOf;
using testing::HasSubstr;
using Mode = PointwiseAttr::Mode;

namespace {

TensorPtr input(Graph &graph, const std::string &name, const std::vector<int64_t> &dim = {2, 3, 4, 5}) {
  return graph.tensor(TensorAttr().setName(name).setDim(dim));
}

PointwiseAttr mode(Mode mode, const std::string &name) { return PointwiseAttr().setMode(mode).setName(name); }

/// y = relu(conv(x, w) + b), and its sum over everything but channels.
struct ConvReluSum {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  Graph graph;
  TensorPtr x, w, b, y, sum;
  ConvReluSum() {
    graph.setName("g").setIODataType(DataType::Float);
    x = input(graph, "x"), w = input(graph, "w", {6, 3, 3, 3}), b = input(graph, "b", {1, 6, 1, 1});
    y = graph.pointwise(graph.convFProp(x, w, b, ConvFPropAttr().setPadding({1, 1}).setName("conv")),
                        mode(Mode::RELU_FWD, "relu"));
    sum = graph.reduction(y, ReductionAttr().setMode(ReductionAttr::Mode::ADD).setAxes({0, 2, 3}).setName("sum"));
    y->setName("y").setOutput(true);
    sum->setName("s").setOutput(true);
    EXPECT_TRUE(compiles(graph, handle));
  }
};

TEST(GraphExecute, IsRight) {
  ConvReluSum small;
  expectRight(small.graph, small.handle);
}

TEST(GraphExecute, MistakesNameTheTensor) {
  ConvReluSum small;
  VerifiedRun run(small.graph);
  auto errorOf = [&](const TensorPtr &tensor, std::shared_ptr<Buffer> buffer) {
    VariantPack pack = run.pack;
    pack[tensor] = std::move(buffer);
    orzo::Status status = small.graph.execute(small.handle, pack);
    EXPECT_EQ(status.code(), orzo::StatusCode::InvalidArgument);
    return status.message();
  };
  auto bufferAt = [](void *data, size_t bytes, DataType type = DataType::NotSet) {
    return std::make_shared<Buffer>(Buffer::import(data, bytes, type));
  };
  char *y = static_cast<char *>(run.memoryOf("y")), *x = static_cast<char *>(run.memoryOf("x"));
  EXPECT_THAT(errorOf(small.sum, bufferAt(y, 24)), AllOf(HasSubstr("tensor 's'"), HasSubstr("tensor 'y'")));
  EXPECT_THAT(errorOf(small.y, bufferAt(x, 4096)), AllOf(HasSubstr("tensor 'y'"), HasSubstr("tensor 'x'")));
  EXPECT_THAT(errorOf(small.sum, bufferAt(x + 100, 24)),
              HasSubstr("tensor 's': its buffer overlaps that of tensor 'x'"));
  EXPECT_THAT(errorOf(small.b, bufferAt(x, 20)), HasSubstr("tensor 'b': its buffer has 20 bytes, the tensor needs 24"));
  EXPECT_THAT(errorOf(small.b, bufferAt(x, 24, DataType::Half)), HasSubstr("tensor 'b': its buffer holds f16"));
  EXPECT_THAT(errorOf(small.b, nullptr), HasSubstr("tensor 'b': its buffer is null"));
  EXPECT_THAT(errorOf(small.b, bufferAt(x + 1, 24)), AllOf(HasSubstr("graph 'g'"), HasSubstr("multiple")));
  TensorPtr convolved = small.graph.nodes()[0].output;
  EXPECT_THAT(errorOf(convolved, bufferAt(x, 4096)),
              HasSubstr("'" + convolved->getName() + "': is in the variant pack"));
  VariantPack missing = run.pack;
  missing.erase(small.b);
  EXPECT_THAT(small.graph.execute(small.handle, missing).message(), HasSubstr("'b': is not in the variant pack"));
  EXPECT_TRUE(runs(small.graph, small.handle, run.pack));
  EXPECT_EQ(run.verify().status, "ok");
}

TEST(GraphExecute, InputsMayShareMemory) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  Graph graph;
  graph.setIODataType(DataType::Float);
  auto a = input(graph, "a"), b = input(graph, "b");
  graph.pointwise(a, b, mode(Mode::ADD, "add"))->setName("y").setOutput(true);
  ASSERT_TRUE(compiles(graph, handle));
  VerifiedRun run(graph);
  VariantPack pack = run.pack;
  pack[b] = pack[a];
  EXPECT_TRUE(runs(graph, handle, pack));
  auto *one = static_cast<float *>(run.memoryOf("a")), *sum = static_cast<float *>(run.memoryOf("y"));
  for (int i = 0; i < 120; ++i)
    EXPECT_EQ(sum[i], 2 * one[i]);
}

TEST(GraphExecute, OneTensorTwice) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  Graph graph;
  graph.setIODataType(DataType::Float);
  auto a = input(graph, "a", {1, 5, 5});
  graph.matmul(a, a, MatmulAttr())->setName("y").setOutput(true);
  ASSERT_TRUE(compiles(graph, handle));
  expectRight(graph, handle);
}

TEST(GraphExecute, ManyTensors) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  Graph graph;
  graph.setIODataType(DataType::Float);
  TensorPtr sum = input(graph, "in");
  for (int i = 0; i < 40; ++i) {
    sum = graph.pointwise(sum, input(graph, "in" + std::to_string(i)), mode(Mode::ADD, "add" + std::to_string(i)));
    if (i % 10 == 9)
      sum->setName("out" + std::to_string(i)).setOutput(true);
  }
  ASSERT_TRUE(compiles(graph, handle));
  expectRight(graph, handle);
}

TEST(GraphExecute, SixteenThreadsWithBuffersOfTheirOwn) {
  ConvReluSum small;
  std::vector<std::unique_ptr<VerifiedRun>> own;
  for (uint64_t i = 0; i < 16; ++i)
    own.push_back(std::make_unique<VerifiedRun>(small.graph, orzo::DataKind::Random, i));
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (auto &run : own)
    threads.emplace_back([&] {
      for (int call = 0; call < 20; ++call)
        failed += !small.graph.execute(small.handle, run->pack).ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
  for (auto &run : own)
    EXPECT_EQ(run->verify().status, "ok");
}

TEST(GraphExecute, HandleMayGoBeforeTheGraph) {
  ConvReluSum small;
  VerifiedRun run(small.graph);
  {
    Handle handle = makeHandle(small.folder, 1);
    ASSERT_TRUE(runs(small.graph, handle, run.pack));
  }
  Handle again = makeHandle(small.folder, 1);
  ASSERT_TRUE(runs(small.graph, again, run.pack));
  EXPECT_EQ(run.verify().status, "ok");
}

TEST(GraphExecute, AMovedGraphRuns) {
  ConvReluSum small;
  Graph other = std::move(small.graph);
  expectRight(other, small.handle);
  EXPECT_THAT(small.graph.execute(small.handle, {}).message(), // NOLINT(bugprone-use-after-move): what this is about.
              HasSubstr("execute needs a compile()"));
}

} // namespace
