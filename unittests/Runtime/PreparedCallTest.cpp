#include "orzo/Runtime/PreparedCall.h"
#include "TestArtifact.h"
#include "orzo/Runtime/Workspace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <random>
#include <set>
#include <thread>

using namespace orzo;
using namespace orzo::test;
using testing::HasSubstr;

namespace {

Module loaded(const Artifact &artifact) {
  Expected<Module> module = Module::load(serialise(artifact));
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.take();
}

ThreadPool pool(int threads) { return ThreadPool::create(threads).take(); }

/// The operands and the result of rowsTimesX.
struct Tensors {
  std::vector<float> x = std::vector<float>(columns), w = std::vector<float>(rows * columns),
                     y = std::vector<float>(rows, NAN);

  Tensors() {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::ranges::generate(x, [&] { return uniform(random); });
    std::ranges::generate(w, [&] { return uniform(random); });
  }
  std::vector<BufferView> views(const Module &module) {
    auto bytes = [](std::vector<float> &v) { return Buffer{v.data(), int64_t(v.size() * sizeof(float))}; };
    return {module.bindings()[0].view(bytes(x)), module.bindings()[1].view(bytes(w)),
            module.bindings()[2].view(bytes(y))};
  }
};

TEST(PreparedCall, ComputesTheSameBitsOnAnyNumberOfThreads) {
  Module module = loaded(rowsTimesX(readFile(ORZO_TEST_KERNELS)));
  std::vector<float> expected;
  for (int threads = 1; threads <= 4; ++threads) {
    Tensors tensors;
    ThreadPool workers = pool(threads);
    Workspace workspace = Workspace::allocate(module.workspaceBytes(threads)).take();
    Expected<PreparedCall> call = PreparedCall::bind(module, tensors.views(module), workspace.buffer(), workers);
    ASSERT_TRUE(call.ok()) << call.status().message();
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::ranges::fill(tensors.y, NAN);
      ASSERT_TRUE(call->run().ok());
      if (expected.empty()) {
        expected = tensors.y;
        for (int64_t i = 0; i < rows; ++i) {
          double sum = 0;
          for (int64_t j = 0; j < columns; ++j)
            sum += double(tensors.x[j]) * tensors.w[i * columns + j];
          ASSERT_NEAR(tensors.y[i], sum, 1e-5) << i;
        }
      }
      ASSERT_EQ(std::memcmp(tensors.y.data(), expected.data(), rows * 4), 0) << threads << " threads, run " << repeat;
    }
  }
}

TEST(PreparedCall, KeepsTheCodeLoaded) {
  Tensors tensors;
  Workspace workspace = Workspace::allocate(1024).take();
  auto bound = [&] {
    Module module = loaded(rowsTimesX(readFile(ORZO_TEST_KERNELS)));
    return PreparedCall::bind(module, tensors.views(module), workspace.buffer(), pool(1)).take();
  };
  PreparedCall call = bound();
  ASSERT_TRUE(call.run().ok());
  EXPECT_FALSE(std::isnan(tensors.y.back()));
}

// Modules that live at the same time, and one loaded where another has gone, each run their own code.
TEST(PreparedCall, ModulesDoNotShareSymbols) {
  ArtifactStep step{.name = "count", .slots = {0}, .symbol = "count_units", .unitRanges = {3}, .copyDims = {}};
  Module one = loaded(onlyResult(3, {step}, readFile(ORZO_TEST_KERNELS)));
  for (int repeat = 0; repeat < 2; ++repeat) {
    Module other = loaded(onlyResult(3, {step}, readFile(ORZO_TEST_OTHER_KERNELS)));
    std::vector<float> y(3, 0);
    for (const Module &module : {one, other}) {
      BufferView view = module.bindings()[0].view({y.data(), 12});
      PreparedCall call = PreparedCall::bind(module, {&view, 1}, {}, pool(2)).take();
      ASSERT_TRUE(call.run().ok());
    }
    EXPECT_EQ(y, std::vector<float>(3, 101));
  }
}

TEST(PreparedCall, RunsInSeveralThreadsFromOneModuleAndPool) {
  Module module = loaded(rowsTimesX(readFile(ORZO_TEST_KERNELS)));
  ThreadPool workers = pool(2);
  std::vector<Tensors> tensors(4);
  std::vector<std::thread> threads;
  for (Tensors &each : tensors)
    threads.emplace_back([&] {
      Workspace workspace = Workspace::allocate(module.workspaceBytes(2)).take();
      PreparedCall call = PreparedCall::bind(module, each.views(module), workspace.buffer(), workers).take();
      for (int i = 0; i < 300; ++i)
        EXPECT_TRUE(call.run().ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Tensors &each : tensors)
    EXPECT_EQ(each.y, tensors[0].y);
}

TEST(PreparedCall, NamesTheBindingThatIsWrong) {
  Module module = loaded(rowsTimesX(readFile(ORZO_TEST_KERNELS)));
  ThreadPool workers = pool(2);
  Workspace workspace = Workspace::allocate(module.workspaceBytes(2)).take();
  Tensors tensors;
  auto error = [&](auto change) {
    std::vector<BufferView> views = tensors.views(module);
    Buffer memory = workspace.buffer();
    change(views, memory);
    Expected<PreparedCall> call = PreparedCall::bind(module, views, memory, workers);
    EXPECT_FALSE(call.ok());
    EXPECT_EQ(call.status().code(), StatusCode::InvalidArgument);
    return call.status().message();
  };
  using Views = std::vector<BufferView>;
  EXPECT_THAT(error([](Views &v, Buffer &) { v[1].buffer.data = nullptr; }), HasSubstr("binding 'w': got a null"));
  EXPECT_THAT(error([](Views &v, Buffer &) { v[2].buffer.bytes -= 1; }), HasSubstr("binding 'y': got a buffer of 403"));
  EXPECT_THAT(error([](Views &v, Buffer &) { v[0].type = ElementType::Half; }), HasSubstr("binding 'x': got elements"));
  EXPECT_THAT(error([](Views &v, Buffer &) { v[1].shape = {37, 101}; }),
              HasSubstr("got shape 37x101, expected 101x37"));
  EXPECT_THAT(error([](Views &v, Buffer &) { v[1].strides = {1, 101}; }), HasSubstr("binding 'w': got strides 1x101"));
  EXPECT_THAT(error([](Views &v, Buffer &) { v.pop_back(); }), HasSubstr("got 2 tensors, expected 3: x, w, y"));
  EXPECT_THAT(error([](Views &v, Buffer &) { v[2].buffer.data = v[1].buffer.data; }), HasSubstr("binding 'y'"));
  EXPECT_THAT(error([](Views &v, Buffer &) { v[1].buffer.data = static_cast<char *>(v[1].buffer.data) + 1; }),
              HasSubstr("binding 'w': its address"));
  EXPECT_THAT(error([](Views &, Buffer &m) { m.bytes = 383; }),
              HasSubstr("workspace: got 383 bytes, expected at least 384"));
  EXPECT_THAT(error([](Views &, Buffer &m) { m.data = nullptr; }), HasSubstr("workspace: got a null"));
  EXPECT_THAT(error([](Views &, Buffer &m) { m.data = static_cast<char *>(m.data) + 4; }),
              HasSubstr("workspace: its address"));
  EXPECT_THAT(error([](Views &v, Buffer &m) { v[0].buffer.data = m.data; }), HasSubstr("binding 'x': it overlaps"));
}

TEST(PreparedCall, DoesEveryUnitOnce) {
  std::vector<uint8_t> code = readFile(ORZO_TEST_KERNELS);
  for (const std::vector<int64_t> &ranges :
       std::vector<std::vector<int64_t>>{{1000}, {1, 1, 1, 1, 1}, {3, 0, 7, 90, 2}})
    for (int threads = 1; threads <= 5; ++threads) {
      int64_t units = 0;
      for (int64_t range : ranges)
        units += range;
      ArtifactStep step{.name = "count", .slots = {0}, .symbol = "count_units", .unitRanges = ranges, .copyDims = {}};
      Module module = loaded(onlyResult(units, {step}, code));
      std::vector<float> y(units, 0);
      BufferView view = module.bindings()[0].view({y.data(), units * 4});
      PreparedCall call = PreparedCall::bind(module, {&view, 1}, {}, pool(threads)).take();
      ASSERT_TRUE(call.run().ok());
      EXPECT_EQ(y, std::vector<float>(units, 1));
    }
}

TEST(PreparedCall, AStageBeginsWhenTheOneBeforeHasFinished) {
  constexpr int64_t units = 24;
  // The third stage has no unit at all, and the fourth no range.
  ArtifactStep step{.name = "stages",
                    .slots = {0, 1},
                    .symbol = "three_stages",
                    .unitRanges = {5, units - 5, units, 0, 7, units - 7},
                    .stageRanges = {2, 1, 1, 0, 2},
                    .copyDims = {}};
  Artifact artifact = onlyResult(units, {step}, readFile(ORZO_TEST_KERNELS));
  artifact.images[0].slots.push_back({-1, 0, units * 4});
  artifact.images[0].workspaceBytes = units * 4;
  Module module = loaded(artifact);
  for (int threads = 1; threads <= 4; ++threads) {
    Workspace workspace = Workspace::allocate(module.workspaceBytes(threads)).take();
    std::vector<float> y(units);
    BufferView view = module.bindings()[0].view({y.data(), units * 4});
    PreparedCall call = PreparedCall::bind(module, {&view, 1}, workspace.buffer(), pool(threads)).take();
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::ranges::fill(y, NAN);
      std::memset(workspace.buffer().data, 0xff, workspace.buffer().bytes);
      ASSERT_TRUE(call.run().ok());
      ASSERT_EQ(y, std::vector<float>(units, units * (units + 1) / 2 + 1)) << threads << " threads, run " << repeat;
    }
  }
}

TEST(PreparedCall, EveryThreadHasScratchOfItsOwn) {
  constexpr int64_t units = 12, scratchBytes = 100, slotBytes = 70;
  ArtifactStep step{.name = "note",
                    .slots = {0},
                    .symbol = "note_scratch",
                    .unitRanges = {units},
                    .scratchBytes = scratchBytes,
                    .copyDims = {}};
  Artifact artifact = onlyResult(2 * units, {step}, readFile(ORZO_TEST_KERNELS));
  artifact.images[0].workspaceBytes = slotBytes;
  Module module = loaded(artifact);
  for (int threads : {1, 2, 3, 4}) {
    EXPECT_EQ(module.workspaceBytes(threads), 128 + threads * 128);
    alignas(8) std::array<char *, units> scratch = {};
    Workspace workspace = Workspace::allocate(module.workspaceBytes(threads)).take();
    BufferView view = module.bindings()[0].view({scratch.data(), units * 8});
    PreparedCall call = PreparedCall::bind(module, {&view, 1}, workspace.buffer(), pool(threads)).take();
    ASSERT_TRUE(call.run().ok());
    auto *begin = static_cast<char *>(workspace.buffer().data);
    std::set<char *> distinct(scratch.begin(), scratch.end());
    EXPECT_EQ(distinct.size(), size_t(threads));
    char *reached = begin + slotBytes;
    for (char *each : distinct) {
      EXPECT_GE(each, reached);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(each) % 64, 0u);
      reached = each + scratchBytes;
    }
    EXPECT_LE(reached, begin + workspace.buffer().bytes);
  }
}

TEST(PreparedCall, LaunchesNothingForEmptyProblems) {
  std::vector<uint8_t> code = readFile(ORZO_TEST_KERNELS);
  for (bool isEmpty : {true, false}) {
    std::vector<int64_t> ranges = isEmpty ? std::vector<int64_t>{0, 0} : std::vector<int64_t>{1};
    ArtifactStep step{.name = "mark", .slots = {0}, .symbol = "mark_call", .unitRanges = ranges, .copyDims = {}};
    Module module = loaded(onlyResult(1, {step}, code));
    float y = 0;
    BufferView view = module.bindings()[0].view({&y, 4});
    PreparedCall call = PreparedCall::bind(module, {&view, 1}, {}, pool(2)).take();
    ASSERT_TRUE(call.run().ok());
    EXPECT_EQ(y, isEmpty ? 0 : 1);
  }
  // No element at all: a null buffer is a buffer.
  Module module = loaded(onlyResult(0, {}, {}));
  BufferView view = module.bindings()[0].view({});
  Expected<PreparedCall> call = PreparedCall::bind(module, {&view, 1}, {}, pool(1));
  ASSERT_TRUE(call.ok()) << call.status().message();
  EXPECT_TRUE(call->run().ok());
}

// Fill the workspace, copy x into every second element of it, copy that to y: zero insertion with no kernel at all.
TEST(PreparedCall, RunsFillsAndCopiesInOrder) {
  constexpr int64_t count = 50000, padded = 2 * count;
  using Kind = ArtifactStep::Kind;
  Artifact artifact;
  artifact.bindings = {{"x", Role::X, false, ElementType::Float, "c", {count}},
                       {"y", Role::Y, true, ElementType::Float, "k", {padded}}};
  ArtifactStep fill{
      .kind = Kind::Fill, .name = "fill", .slots = {2}, .symbol = "", .unitRanges = {}, .fillByte = 0, .copyDims = {}};
  ArtifactStep spread{.kind = Kind::Copy,
                      .name = "spread",
                      .slots = {0, 2},
                      .symbol = "",
                      .unitRanges = {},
                      .elementBytes = 4,
                      .targetOffset = 1,
                      .copyDims = {{count, 1, 2}}};
  ArtifactStep out{.kind = Kind::Copy,
                   .name = "out",
                   .slots = {2, 1},
                   .symbol = "",
                   .unitRanges = {},
                   .elementBytes = 4,
                   .copyDims = {{padded, 1, 1}}};
  artifact.images = {{.isa = "avx2",
                      .code = {},
                      .kernelHash = "",
                      .plan = "",
                      .steps = {fill, spread, out},
                      .slots = {{0, 0, count * 4}, {1, 0, padded * 4}, {-1, 128, padded * 4}},
                      .workspaceBytes = 128 + padded * 4}};
  Module module = loaded(artifact);
  EXPECT_EQ(module.workspaceBytes(4), 128 + padded * 4);
  std::vector<float> x(count);
  for (int64_t i = 0; i < count; ++i)
    x[i] = float(i + 1);
  for (int threads = 1; threads <= 4; ++threads) {
    std::vector<float> y(padded, NAN);
    Workspace workspace = Workspace::allocate(module.workspaceBytes(threads)).take();
    std::memset(workspace.buffer().data, 0xff, workspace.buffer().bytes);
    std::vector<BufferView> views = {module.bindings()[0].view({x.data(), count * 4}),
                                     module.bindings()[1].view({y.data(), padded * 4})};
    PreparedCall call = PreparedCall::bind(module, views, workspace.buffer(), pool(threads)).take();
    ASSERT_TRUE(call.run().ok());
    for (int64_t i = 0; i < padded; ++i)
      ASSERT_EQ(y[i], i % 2 ? x[i / 2] : 0) << i;
  }
}

} // namespace
