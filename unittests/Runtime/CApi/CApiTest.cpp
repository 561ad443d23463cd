#include "FakeCuda.h"
#include "Runtime/Core/Artifact.h"
#include "TestArtifact.h"
#include "orzo/Runtime/orzo.h"

#include <gmock/gmock.h>

using namespace orzo;
using namespace orzo::test;
using testing::HasSubstr;

namespace {

OrzoModule *load(const Artifact &artifact) {
  std::vector<uint8_t> bytes = serialise(artifact);
  OrzoModule *module = nullptr;
  EXPECT_EQ(orzo_load(bytes.data(), bytes.size(), nullptr, &module), ORZO_OK) << orzo_last_error();
  return module;
}

class CApiOnCpu : public testing::Test {
protected:
  void SetUp() override { module = load(rowsTimesX(readFile(ORZO_TEST_KERNELS))); }
  void TearDown() override { orzo_module_destroy(module); }
  OrzoModule *module = nullptr;
};

TEST_F(CApiOnCpu, DescribesTheModule) {
  EXPECT_EQ(orzo_abi_version(), ORZO_ABI_VERSION);
  EXPECT_STREQ(orzo_problem(module), "conv.v1 test");
  EXPECT_STREQ(orzo_lowering(module), "contract");
  EXPECT_STREQ(orzo_isa(module), "avx2");
  EXPECT_STREQ(orzo_plan(module), "rows");
  EXPECT_STREQ(orzo_kernel_hash(module), "0123");
  EXPECT_EQ(orzo_device(module), ORZO_CPU);
  OrzoCounters counters = orzo_counters(module);
  EXPECT_EQ(counters.dispatches, 1);
  EXPECT_EQ(counters.fills, 0);
  EXPECT_EQ(counters.copies, 0);
  EXPECT_EQ(counters.flops_executed, 2 * rows * columns);
  EXPECT_EQ(counters.flops_tile, 0);
  ASSERT_EQ(orzo_binding_count(module), 3);
  OrzoBinding w;
  ASSERT_EQ(orzo_binding(module, 1, &w), ORZO_OK);
  EXPECT_STREQ(w.name, "w");
  EXPECT_STREQ(w.layout, "kc");
  EXPECT_EQ(w.role, ORZO_W);
  EXPECT_EQ(w.type, ORZO_F32);
  EXPECT_EQ(w.is_result, 0);
  ASSERT_EQ(w.rank, 2);
  EXPECT_EQ(w.shape[0], rows);
  EXPECT_EQ(w.shape[1], columns);
  EXPECT_EQ(w.bytes, rows * columns * 4);
  EXPECT_EQ(orzo_binding(module, 3, &w), ORZO_INVALID_ARGUMENT);
  EXPECT_STREQ(orzo_last_error(), "binding 3 of 3");
}

TEST_F(CApiOnCpu, Runs) {
  for (int threads : {1, 3, 0}) {
    std::vector<float> x(columns), w(rows * columns), y(rows, -1);
    for (int64_t i = 0; i < columns; ++i)
      x[i] = float(i % 5);
    for (size_t i = 0; i < w.size(); ++i)
      w[i] = float(i % 7);
    std::vector<char> workspace(orzo_workspace_bytes(module, threads) + 64);
    auto address = (reinterpret_cast<uintptr_t>(workspace.data()) + 63) / 64 * 64;
    void *tensors[] = {x.data(), w.data(), y.data()};
    OrzoCall *call = nullptr;
    ASSERT_EQ(orzo_bind(module, tensors, 3, reinterpret_cast<void *>(address), orzo_workspace_bytes(module, threads),
                        threads, &call),
              ORZO_OK)
        << orzo_last_error();
    ASSERT_EQ(orzo_run(call, nullptr), ORZO_OK);
    for (int64_t row = 0; row < rows; ++row) {
      float expected = 0;
      for (int64_t i = 0; i < columns; ++i)
        expected += x[i] * w[row * columns + i];
      EXPECT_EQ(y[row], expected) << row;
    }
    int stream;
    EXPECT_EQ(orzo_run(call, &stream), ORZO_INVALID_ARGUMENT);
    EXPECT_THAT(orzo_last_error(), HasSubstr("a CPU, which has no streams"));
    orzo_call_destroy(call);
  }
}

TEST_F(CApiOnCpu, SaysWhatIsWrong) {
  OrzoModule *other = nullptr;
  OrzoCall *call = nullptr;
  EXPECT_EQ(orzo_load_file("/nonexistent.orzo", nullptr, &other), ORZO_UNAVAILABLE);
  EXPECT_THAT(orzo_last_error(), HasSubstr("/nonexistent.orzo: cannot be read"));
  EXPECT_EQ(orzo_load_file(nullptr, nullptr, &other), ORZO_INVALID_ARGUMENT);
  EXPECT_EQ(orzo_load("ORZ", 3, nullptr, &other), ORZO_INVALID_ARGUMENT);
  std::vector<uint8_t> bytes = serialise(rowsTimesX(readFile(ORZO_TEST_KERNELS)));
  EXPECT_EQ(orzo_load(bytes.data(), bytes.size(), "sm_90a", &other), ORZO_UNSUPPORTED) << orzo_last_error();
  EXPECT_EQ(orzo_load(bytes.data(), bytes.size(), "sse2", &other), ORZO_INVALID_ARGUMENT);
  EXPECT_THAT(orzo_last_error(), HasSubstr("unknown ISA 'sse2'"));
  EXPECT_EQ(other, nullptr);

  float memory[1];
  void *tensors[] = {memory, memory, nullptr};
  EXPECT_EQ(orzo_bind(module, tensors, 2, nullptr, 0, 1, &call), ORZO_INVALID_ARGUMENT);
  EXPECT_STREQ(orzo_last_error(), "got 2 tensors, expected 3");
  EXPECT_EQ(orzo_bind(module, tensors, 3, nullptr, 0, 1, &call), ORZO_INVALID_ARGUMENT);
  EXPECT_THAT(orzo_last_error(), HasSubstr("binding 'y': got a null pointer"));
  EXPECT_EQ(orzo_run(nullptr, nullptr), ORZO_INVALID_ARGUMENT);
  EXPECT_EQ(call, nullptr);
  orzo_call_destroy(nullptr);
  orzo_module_destroy(nullptr);
}

// The module may go before its calls.
TEST_F(CApiOnCpu, CallsKeepTheCode) {
  std::vector<float> x(columns, 1), w(rows * columns, 2), y(rows);
  void *tensors[] = {x.data(), w.data(), y.data()};
  alignas(64) static char workspace[1 << 12];
  OrzoCall *call = nullptr;
  ASSERT_EQ(orzo_bind(module, tensors, 3, workspace, sizeof workspace, 1, &call), ORZO_OK) << orzo_last_error();
  orzo_module_destroy(module);
  module = nullptr;
  EXPECT_EQ(orzo_run(call, nullptr), ORZO_OK);
  EXPECT_EQ(y[rows - 1], 2 * columns);
  orzo_call_destroy(call);
}

class CApiOnCuda : public WithFakeDriver {};

TEST_F(CApiOnCuda, RunsOnTheCallersStream) {
  OrzoModule *module = load(fakeMatmul());
  ASSERT_TRUE(module);
  EXPECT_EQ(orzo_device(module), ORZO_CUDA);
  EXPECT_STREQ(orzo_isa(module), "sm_90a");
  EXPECT_EQ(orzo_workspace_bytes(module, 0), 0);
  // The fake device's memory is the host's.
  alignas(256) static uint16_t x[5 * 16], w[8 * 16], y[5 * 8];
  std::ranges::fill(x, 0x3f80), std::ranges::fill(w, 0x4000);
  void *tensors[] = {x, w, y};
  OrzoCall *call = nullptr;
  ASSERT_EQ(orzo_bind(module, tensors, 3, nullptr, 0, 0, &call), ORZO_OK) << orzo_last_error();
  int stream;
  EXPECT_EQ(orzo_run(call, &stream), ORZO_OK);
  EXPECT_EQ(orzo_run(call, nullptr), ORZO_OK);
  EXPECT_THAT(log(), HasSubstr("on a stream\ncuLaunchKernel"));
  EXPECT_EQ(y[39], 0x4200) << "16 * 1 * 2 = 32";
  orzo_call_destroy(call);
  orzo_module_destroy(module);
}

TEST_F(CApiOnCuda, NoDeviceIsUnavailable) {
  fakeControl<FakeDevices>("fakeDevices")(0);
  std::vector<uint8_t> bytes = serialise(fakeMatmul());
  OrzoModule *module = nullptr;
  EXPECT_EQ(orzo_load(bytes.data(), bytes.size(), nullptr, &module), ORZO_UNAVAILABLE);
}

} // namespace
