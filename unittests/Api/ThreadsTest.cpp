// One graph, many threads, each with buffers of its own; without a compiler, so that ThreadSanitizer sees all of it.
#include "../Runtime/TestArtifact.h"
#include "ApiTesting.h"

#include <atomic>
#include <thread>

using namespace orzo::graph;
using namespace orzo::graph::test;

namespace {

/// y = w x, loaded from an artifact around a kernel in C.
struct RowsTimesX {
  Graph graph;
  TensorPtr x, w, y;
  explicit RowsTimesX(const Handle &handle) {
    graph.setName("rows").setIODataType(DataType::Float);
    x = graph.tensor(TensorAttr().setName("x").setDim({1, orzo::test::columns}));
    w = graph.tensor(TensorAttr().setName("w").setDim({orzo::test::rows, orzo::test::columns}));
    y = graph.convFProp(x, w, ConvFPropAttr().setName("conv"));
    y->setName("y").setOutput(true);
    EXPECT_TRUE(graph.validate().ok());
    orzo::Artifact artifact = orzo::test::rowsTimesX(orzo::test::readFile(ORZO_TEST_KERNELS));
    artifact.problem = *graph.text();
    orzo::Status loaded = graph.loadFromArtifact(handle, orzo::serialise(artifact));
    EXPECT_TRUE(loaded.ok()) << loaded.message() << "\n" << artifact.problem;
  }

  VariantPack packOf(const Handle &handle, int seed) const {
    std::vector<float> xs(orzo::test::columns), ws(orzo::test::rows * orzo::test::columns);
    for (size_t i = 0; i < xs.size(); ++i)
      xs[i] = static_cast<float>((i + seed) % 5) - 2;
    for (size_t i = 0; i < ws.size(); ++i)
      ws[i] = static_cast<float>((i * 7 + seed) % 11) - 5;
    auto shared = [](Expected<Buffer> buffer) { return std::make_shared<Buffer>(buffer.take()); };
    return {{x, shared(Buffer::allocate(handle, {orzo::test::columns}, xs))},
            {w, shared(Buffer::allocate(handle, {orzo::test::rows, orzo::test::columns}, ws))},
            {y, shared(Buffer::allocateFor(handle, *y))}};
  }

  int wrong(const Handle &handle, const VariantPack &pack) const {
    std::vector<float> xs, ws, ys;
    EXPECT_TRUE(pack.at(x)->read(handle, xs).ok() && pack.at(w)->read(handle, ws).ok() &&
                pack.at(y)->read(handle, ys).ok());
    int count = 0;
    for (int64_t row = 0; row < orzo::test::rows; ++row) {
      float sum = 0;
      for (int64_t column = 0; column < orzo::test::columns; ++column)
        sum += xs[column] * ws[row * orzo::test::columns + column];
      count += ys[row] != sum;
    }
    return count;
  }
};

class Threads : public testing::TestWithParam<int> {};

TEST_P(Threads, SixteenOnOneGraph) {
  CacheFolder folder;
  Handle handle = makeHandle(folder, GetParam());
  RowsTimesX rows(handle);
  std::vector<VariantPack> packs;
  for (int i = 0; i < 16; ++i)
    packs.push_back(rows.packOf(handle, i));
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&, i] {
      for (int call = 0; call < 50; ++call)
        failed += !rows.graph.execute(handle, packs[i]).ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
  for (const VariantPack &pack : packs)
    EXPECT_EQ(rows.wrong(handle, pack), 0);
}

INSTANTIATE_TEST_SUITE_P(OfTheHandle, Threads, testing::Values(1, 4));

} // namespace
