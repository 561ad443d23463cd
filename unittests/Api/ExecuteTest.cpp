// Graphs that run: right numbers, errors that name tensors, no allocation, threads.
#include "ApiTesting.h"
#include "Reference/EvaluateGraph.h"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <new>
#include <thread>

using namespace orzo::graph;
using namespace orzo::graph::test;
using testing::HasSubstr;

static std::atomic<int64_t> allocations = 0;

// NOLINTBEGIN(misc-definitions-in-headers,misc-new-delete-overloads)
void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes > 0 ? bytes : 1))
    return memory;
  std::abort();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
// NOLINTEND(misc-definitions-in-headers,misc-new-delete-overloads)

namespace {

std::vector<int64_t> channelsLast(const std::vector<int64_t> &dim) {
  return {dim[1] * dim[2] * dim[3], 1, dim[1] * dim[3], dim[1]};
}

TensorPtr input(Graph &graph, const char *name, const std::vector<int64_t> &dim, bool last) {
  TensorAttr attr;
  attr.setName(name).setDim(dim);
  if (last)
    attr.setStride(channelsLast(dim));
  return graph.tensor(attr);
}

struct Maker {
  const char *name;
  std::function<void(Graph &, bool)> make;
};

std::vector<Maker> makers() {
  return {
      {"fprop",
       [](Graph &g, bool last) {
         g.convFProp(input(g, "x", {2, 8, 9, 7}, last), input(g, "w", {12, 4, 3, 2}, last),
                     ConvFPropAttr().setStride({2, 1}).setPrePadding({1, 0}).setPostPadding({2, 1}))
             ->setOutput(true);
       }},
      {"dgrad",
       [](Graph &g, bool last) {
         g.convDGrad(input(g, "dy", {2, 12, 5, 7}, last), input(g, "w", {12, 8, 3, 2}, last),
                     ConvDGradAttr().setStride({2, 1}).setPrePadding({1, 0}).setPostPadding({2, 1}))
             ->setOutput(true)
             .setDim({2, 8, 9, 7});
       }},
      {"wgrad",
       [](Graph &g, bool last) {
         g.convWGrad(input(g, "dy", {2, 12, 5, 7}, last), input(g, "x", {2, 8, 9, 7}, last),
                     ConvWGradAttr().setStride({2, 1}).setPrePadding({1, 0}).setPostPadding({2, 1}))
             ->setOutput(true)
             .setDim({12, 8, 3, 2});
       }},
      {"matmul",
       [](Graph &g, bool last) {
         g.matmul(g.tensor(TensorAttr().setName("a").setDim({3, 20, 30})),
                  g.tensor(TensorAttr()
                               .setName("b")
                               .setDim({3, 30, 10})
                               .setStride(last ? std::vector<int64_t>{300, 1, 30} : std::vector<int64_t>())),
                  MatmulAttr())
             ->setOutput(true);
       }},
  };
}

/// Buffers for a validated graph: integers in the inputs, NaN in the outputs.
VariantPack packFor(const Handle &handle, const Graph &graph) {
  VariantPack pack;
  unsigned seed = 1;
  for (const TensorPtr &tensor : graph.tensors())
    if (!tensor->isVirtual() && !tensor->isScalar())
      pack[tensor] = integers(handle, *tensor, seed++);
  for (const Node &node : graph.nodes())
    if (!node.output->isVirtual())
      pack[node.output] = *allocateBufferOfType(handle, node.output, node.output->getDataType(), NAN);
  return pack;
}

/// The number of elements of the outputs in `pack` that differ from the oracle's, rounded once.
int64_t wrongElements(const Graph &graph, const VariantPack &pack) {
  Expected<GraphProblem> problem = graph.problem();
  EXPECT_TRUE(problem.ok());
  std::vector<const void *> memory;
  for (const TensorPtr &tensor : problem->tensors)
    memory.push_back(pack.contains(tensor) ? pack.at(tensor)->data() : nullptr);
  auto expected = orzo::reference::evaluate(problem->spec, memory);
  int64_t wrong = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const TensorPtr &tensor = problem->tensors[problem->spec.outputs[i]];
    for (size_t element = 0; element < expected[i].size(); ++element) {
      double got = orzo::loadElement(pack.at(tensor)->data(), static_cast<int64_t>(element), tensor->getDataType());
      wrong += got != orzo::roundTo(tensor->getDataType(), expected[i][element]);
    }
  }
  return wrong;
}

TEST(Execute, RightInEveryDirectionLayoutAndType) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  for (const Maker &maker : makers())
    for (bool last : {false, true})
      for (DataType type : {DataType::Float, DataType::BFloat16, DataType::Half}) {
        SCOPED_TRACE(std::string(maker.name) + (last ? " channels last " : " channels first ") +
                     std::string(orzo::name(type)));
        Graph graph;
        graph.setIODataType(type).setComputeDataType(DataType::Float);
        maker.make(graph, last);
        for (const orzo::Status &status : {graph.validate(), graph.compile(handle)})
          ASSERT_TRUE(status.ok()) << status.message();
        EXPECT_EQ(graph.steps().size(), 1U);
        VariantPack pack = packFor(handle, graph);
        auto workspace = allocateWorkspace(handle, graph.getWorkspaceSize());
        ASSERT_TRUE(workspace.ok()) << workspace.status().message();
        ASSERT_TRUE(graph.execute(handle, pack, *workspace).ok());
        EXPECT_EQ(wrongElements(graph, pack), 0);
        for (const Node &node : graph.nodes())
          pack[node.output] = *allocateBufferOfType(handle, node.output, type, NAN);
        ASSERT_TRUE(graph.execute(handle, pack).ok()); // A workspace is optional.
        EXPECT_EQ(wrongElements(graph, pack), 0);
      }
}

/// A small compiled fprop.
struct Small {
  CacheFolder folder;
  Handle handle = makeHandle(folder, 1);
  Graph graph;
  Small() {
    graph.setName("small").setIODataType(DataType::Float);
    makers()[0].make(graph, true);
    EXPECT_TRUE(graph.validate().ok());
    EXPECT_TRUE(graph.compile(handle).ok());
  }
};

TEST(Execute, MistakesNameTheTensor) {
  Small small;
  const Graph &graph = small.graph;
  const Handle &handle = small.handle;
  VariantPack good = packFor(handle, graph);
  TensorPtr x = graph.tensors()[0], w = graph.tensors()[1], y = graph.nodes()[0].output;
  auto errorOf = [&](const TensorPtr &tensor, std::shared_ptr<Buffer> buffer) {
    VariantPack pack = good;
    pack[tensor] = std::move(buffer);
    orzo::Status status = graph.execute(handle, pack);
    EXPECT_EQ(status.code(), orzo::StatusCode::InvalidArgument);
    return status.message();
  };
  EXPECT_THAT(errorOf(x, nullptr), HasSubstr("'x': its buffer is null"));
  EXPECT_THAT(errorOf(w, std::make_shared<Buffer>(Buffer::allocateRaw(handle, 8).take())),
              HasSubstr("'w': its buffer has 8"));
  EXPECT_THAT(errorOf(w, std::make_shared<Buffer>(Buffer::allocate(handle, {2000}, std::vector<Half>(2000)).take())),
              HasSubstr("'w': its buffer holds f16, the tensor is f32"));
  EXPECT_THAT(errorOf(y, std::make_shared<Buffer>(Buffer::import(good[x]->data(), 1 << 20))),
              HasSubstr("'" + y->getName() + "': its buffer overlaps that of tensor 'x'"));
  EXPECT_THAT(errorOf(std::make_shared<TensorAttr>(TensorAttr().setName("stranger")), good[x]),
              HasSubstr("'stranger': is in the variant pack"));
  EXPECT_THAT(errorOf(x, std::make_shared<Buffer>(Buffer::import(nullptr, 1 << 20))), HasSubstr("null"));
  VariantPack missing = good;
  missing.erase(w);
  EXPECT_THAT(graph.execute(handle, missing).message(), HasSubstr("'w': is not in the variant pack"));
  auto tiny = std::make_shared<Buffer>(Buffer::allocateRaw(handle, 0).take());
  if (graph.getWorkspaceSize()->has_value())
    EXPECT_THAT(graph.execute(handle, good, tiny).message(), HasSubstr("the workspace has 0 bytes"));
  EXPECT_TRUE(graph.execute(handle, good).ok());
}

TEST(Execute, CallOrder) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  Graph graph;
  graph.setName("g").setIODataType(DataType::Float);
  makers()[0].make(graph, true);
  EXPECT_THAT(graph.compile(handle).message(), HasSubstr("graph 'g': compile needs a validate()"));
  EXPECT_THAT(graph.execute(handle, {}).message(), HasSubstr("graph 'g': execute needs a compile()"));
  EXPECT_THAT(graph.getWorkspaceSize().status().message(), HasSubstr("needs a compile()"));
}

TEST(Execute, NothingIsAllocatedFromTheThirdCallOn) {
  Small small;
  VariantPack pack = packFor(small.handle, small.graph);
  auto workspace = *allocateWorkspace(small.handle, small.graph.getWorkspaceSize());
  for (int call = 0; call < 2; ++call)
    ASSERT_TRUE(small.graph.execute(small.handle, pack, workspace).ok());
  int64_t before = allocations;
  for (int call = 0; call < 100; ++call)
    if (!small.graph.execute(small.handle, pack, workspace).ok())
      FAIL();
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(before, 0);
}

TEST(Execute, SixteenThreadsWithBuffersOfTheirOwn) {
  Small small;
  std::vector<VariantPack> packs;
  for (int i = 0; i < 16; ++i)
    packs.push_back(packFor(small.handle, small.graph));
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&, i] {
      for (int call = 0; call < 20; ++call)
        failed += !small.graph.execute(small.handle, packs[i]).ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
  for (const VariantPack &pack : packs)
    EXPECT_EQ(wrongElements(small.graph, pack), 0);
}

TEST(Execute, BufferSetsBeyondTheKeptOnesWork) {
  Small small;
  for (int i = 0; i < 100; ++i) {
    VariantPack pack = packFor(small.handle, small.graph);
    ASSERT_TRUE(small.graph.execute(small.handle, pack).ok());
    ASSERT_EQ(wrongElements(small.graph, pack), 0);
  }
}

} // namespace
