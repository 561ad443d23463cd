// Each rule of the target has a launch that breaks it and nothing else.
#include "Target/CUDA/Rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo::cuda {
namespace {

using testing::StartsWith;

TensorMapRecipe tiled() {
  TensorMapRecipe map;
  map.sizes = {64, 100};
  map.byteStrides = {128};
  map.elementStrides = {1, 1};
  map.box = {64, 128};
  return map;
}

TensorMapRecipe im2col() {
  TensorMapRecipe map;
  map.mode = TensorMapRecipe::Mode::Im2col;
  map.sizes = {64, 56, 56, 8};
  map.byteStrides = {128, 7168, 401408};
  map.elementStrides = {1, 2, 2, 1};
  map.lowerCorner = {-1, -1};
  map.upperCorner = {-1, -1};
  map.channelsPerPixel = 64;
  map.pixelsPerColumn = 256;
  return map;
}

void expectBroken(const char *rule, TensorMapRecipe map, auto change) {
  ASSERT_TRUE(checkTensorMap(map).ok()) << checkTensorMap(map).message();
  change(map);
  Status status = checkTensorMap(map);
  EXPECT_EQ(status.code(), StatusCode::Unsupported) << rule;
  EXPECT_THAT(status.message(), StartsWith(std::string(rule) + ": "));
}

TEST(Rules, TensorMaps) {
  expectBroken("T1", tiled(), [](auto &map) { map.sizes.assign(6, 8); });
  expectBroken("T1", im2col(), [](auto &map) { map.sizes = {64, 56}; });
  expectBroken("T2", tiled(), [](auto &map) { map.sizes[1] = 0; });
  expectBroken("T2", tiled(), [](auto &map) { map.sizes[1] = (int64_t(1) << 32) + 1; });
  expectBroken("T3", tiled(), [](auto &map) { map.byteStrides[0] = 120; });
  expectBroken("T3", tiled(), [](auto &map) { map.byteStrides[0] = int64_t(1) << 40; });
  expectBroken("T4", tiled(), [](auto &map) { map.byteOffset = 8; });
  expectBroken("T5", im2col(), [](auto &map) { map.elementStrides[1] = 9; });
  expectBroken("T6", tiled(), [](auto &map) { map.box[1] = 257; });
  expectBroken("T7", tiled(), [](auto &map) { map.box[0] = 128; });
  expectBroken("T8", im2col(), [](auto &map) { map.lowerCorner[0] = -129; });
  expectBroken("T8", im2col(), [](auto &map) { map.upperCorner[1] = 128; });
  expectBroken("T9", im2col(), [](auto &map) { map.pixelsPerColumn = 1025; });
}

TEST(Rules, CornersHaveMoreRoomInOneDim) {
  TensorMapRecipe map = im2col();
  map.sizes = {64, 4096, 8};
  map.byteStrides = {128, 524288};
  map.elementStrides = {1, 1, 1};
  map.lowerCorner = {-1000};
  map.upperCorner = {1000};
  EXPECT_TRUE(checkTensorMap(map).ok());
  EXPECT_TRUE(checkIm2colOffset(1, 65535).ok());
  EXPECT_TRUE(checkIm2colOffset(2, 255).ok());
  EXPECT_THAT(checkIm2colOffset(2, 256).message(), StartsWith("T10: "));
  EXPECT_THAT(checkIm2colOffset(3, 32).message(), StartsWith("T10: "));
}

TEST(Rules, WhatTheCopyEngineReaches) {
  TensorMapRecipe map = im2col();
  map.channelsPerPixel = map.pixelsPerColumn = 0; // The tile is still open.
  std::vector<int64_t> reach = {2, 2};
  EXPECT_TRUE(checkCopy(map, reach).ok());
  EXPECT_TRUE(checkGather(map).ok());
  reach[1] = 256;
  EXPECT_THAT(checkCopy(map, reach).message(), StartsWith("T10: "));
  reach[1] = 2;
  map.elementStrides[2] = 9;
  EXPECT_THAT(checkCopy(map, reach).message(), StartsWith("T5: "));
  map.elementStrides[2] = 2, map.byteStrides[0] = 6;
  EXPECT_THAT(checkCopy(map, reach).message(), StartsWith("T3: "));
  EXPECT_TRUE(checkGather(map).ok());
  map.byteStrides[2] = int64_t(1) << 30;
  EXPECT_THAT(checkGather(map).message(), StartsWith("G1: "));
}

TEST(Rules, Launches) {
  CudaLaunch launch;
  launch.sharedBytes = sharedBytesPerBlock;
  launch.parameters.assign(32, {CudaParameter::Kind::TensorMap, 0, 0});
  EXPECT_TRUE(checkLaunch(launch).ok());
  launch.parameters.push_back({CudaParameter::Kind::Pointer, 0, 0});
  EXPECT_THAT(checkLaunch(launch).message(), StartsWith("P1: "));
  launch.parameters.clear();
  launch.sharedBytes += 16;
  EXPECT_THAT(checkLaunch(launch).message(), StartsWith("S1: "));
}

TEST(Rules, Accumulators) {
  EXPECT_TRUE(checkAccumulators(1, 256).ok());
  EXPECT_TRUE(checkAccumulators(2, 192).ok());
  EXPECT_TRUE(checkAccumulators(1, 256, true).ok());
  EXPECT_THAT(checkAccumulators(2, 192, true).message(), StartsWith("W2: "));
  for (bool gathers : {false, true})
    EXPECT_EQ(registersOf(gathers).producer + 2 * registersOf(gathers).consumer, 3 * 168);
  EXPECT_THAT(checkAccumulators(1, 260).message(), StartsWith("W1: "));
  EXPECT_THAT(checkAccumulators(1, 264).message(), StartsWith("W1: "));
  EXPECT_THAT(checkAccumulators(2, 256).message(), StartsWith("W2: "));
}

} // namespace
} // namespace orzo::cuda
