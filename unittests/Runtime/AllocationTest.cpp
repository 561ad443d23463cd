// A bound call allocates nothing when it runs. operator new and malloc are both counted: the thread pool uses the
// latter.
#include "TestArtifact.h"
#include "orzo/Runtime/PreparedCall.h"
#include "orzo/Runtime/Workspace.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>

static std::atomic<int64_t> allocations{0};

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_memalign(size_t, size_t);
void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
}

using namespace orzo;
using namespace orzo::test;

namespace {

TEST(Allocation, IsCounted) {
  int64_t before = allocations;
  auto *volatile value = new int(3);
  EXPECT_GT(allocations, before);
  delete value;
}

TEST(Allocation, RunMakesNone) {
  Artifact artifact = rowsTimesX(readFile(ORZO_TEST_KERNELS));
  // A fill and a copy long enough for several threads, beside the dispatch.
  constexpr int64_t count = 1 << 18;
  using Kind = ArtifactStep::Kind;
  artifact.images[0].workspaceBytes = 2 * count * 4;
  artifact.images[0].slots.push_back({-1, 0, count * 4});
  artifact.images[0].slots.push_back({-1, count * 4, count * 4});
  artifact.images[0].steps.push_back(
      {.kind = Kind::Fill, .name = "fill", .slots = {3}, .symbol = "", .unitRanges = {}, .copyDims = {}});
  artifact.images[0].steps.push_back({.kind = Kind::Copy,
                                      .name = "copy",
                                      .slots = {3, 4},
                                      .symbol = "",
                                      .unitRanges = {},
                                      .elementBytes = 4,
                                      .copyDims = {{512, 1, 512}, {512, 512, 1}}});
  Expected<Module> module = Module::load(serialise(artifact));
  ASSERT_TRUE(module.ok()) << module.status().message();
  std::vector<float> x(columns), w(rows * columns), y(rows);
  std::vector<BufferView> views = {module->bindings()[0].view({x.data(), columns * 4}),
                                   module->bindings()[1].view({w.data(), rows * columns * 4}),
                                   module->bindings()[2].view({y.data(), rows * 4})};
  for (int threads = 1; threads <= 3; ++threads) {
    ThreadPool pool = ThreadPool::create(threads).take();
    Workspace workspace = Workspace::allocate(module->workspaceBytes(threads)).take();
    PreparedCall call = PreparedCall::bind(*module, views, workspace.buffer(), pool).take();
    for (int i = 0; i < 100; ++i)
      ASSERT_TRUE(call.run().ok());
    int64_t before = allocations;
    bool good = true;
    for (int i = 0; i < 200; ++i)
      good &= call.run().ok();
    EXPECT_EQ(allocations - before, 0) << threads << " threads";
    EXPECT_TRUE(good);
  }
}

} // namespace
