// FakeCuda: the tests' side of the fake driver, and artifacts that run on it.
#pragma once

#include "FakeDriver.h"
#include "Runtime/Core/Artifact.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace orzo::test {

/// A control function of the fake driver, which the tests' LD_LIBRARY_PATH must lead to.
template <typename Function> Function *fakeControl(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  void *address = library ? dlsym(library, name) : nullptr;
  return reinterpret_cast<Function *>(address);
}

/// Skips where the driver is a real one: these tests are for machines without a GPU, with the fake one in its place.
class WithFakeDriver : public testing::Test {
protected:
  void SetUp() override {
    auto *reset = fakeControl<FakeReset>("fakeReset");
    ASSERT_TRUE(reset) << "LD_LIBRARY_PATH does not lead to the fake driver; ctest sets it";
    reset();
  }
  std::string log() { return fakeControl<FakeLog>("fakeLog")(); }
  void fail(const char *call, int result) { fakeControl<FakeFail>("fakeFail")(call, result); }
};

inline std::vector<uint8_t> bytesOf(const std::string &text) { return {text.begin(), text.end()}; }

inline constexpr int64_t matmulRows = 5, matmulColumns = 8, matmulDepth = 16;

/// y = x w^T in bf16 by the fake kernel `symbol`: x given by a tiled map, w and y by their addresses.
inline Artifact fakeMatmul(const std::string &symbol = "fake_matmul") {
  using Kind = CudaParameter::Kind;
  constexpr int64_t n = matmulRows, k = matmulColumns, c = matmulDepth;
  TensorMapRecipe map{.slot = 0,
                      .sizes = {c, n},
                      .byteStrides = {c * 2},
                      .elementStrides = {1, 1},
                      .box = {c, 4},
                      .lowerCorner = {},
                      .upperCorner = {}};
  ArtifactStep step{.name = "contract_5x8x16_bf16",
                    .slots = {0, 1, 2},
                    .symbol = symbol,
                    .unitRanges = {},
                    .cuda = CudaLaunch{.tiles = 1000,
                                       .sharedBytes = 98304,
                                       .tensorMaps = {map},
                                       .parameters = {{Kind::TensorMap, 0, 0},
                                                      {Kind::Pointer, 1, 0},
                                                      {Kind::Pointer, 2, 0},
                                                      {Kind::Integer32, 0, n},
                                                      {Kind::Integer32, 0, k},
                                                      {Kind::Integer32, 0, c}}},
                    .flopsExecuted = 2 * n * k * c,
                    .copyDims = {}};
  Artifact artifact;
  artifact.problem = "conv.v1 fprop n5 c16 k8 g1 x:nc:bf16 w:kc:bf16 y:nk:bf16 acc:f32";
  artifact.lowering = "contract";
  artifact.bindings = {{"x", Role::X, false, ElementType::BFloat16, "nc", {n, c}},
                       {"w", Role::W, false, ElementType::BFloat16, "kc", {k, c}},
                       {"y", Role::Y, true, ElementType::BFloat16, "nk", {n, k}}};
  artifact.images = {{.isa = "sm_90a",
                      .code = bytesOf(".version 8.0\n.target sm_90a\n.visible .entry " + symbol +
                                      "(.param .align 64 .b8 p0[128], .param .u64 p1, .param .u64 p2, .param .u32 p3, "
                                      ".param .u32 p4, .param .u32 p5) { ret; }\n"),
                      .kernelHash = "4567",
                      .plan = "64x8",
                      .steps = {step},
                      .slots = {{0, 0, n * c * 2}, {1, 0, k * c * 2}, {2, 0, n * k * 2}}}};
  return artifact;
}

} // namespace orzo::test
