// The oracle against sums worked out by hand.
#include "Reference/Evaluate.h"

#include <gmock/gmock.h>

using namespace orzo;
using testing::ElementsAre;

namespace {

std::vector<double> evaluated(const ConvSpec &spec, const std::vector<float> &x, const std::vector<float> &w,
                              const std::vector<float> &y) {
  std::vector<double> result(spec.elementCount(resultRole(spec.direction)), -1);
  reference::evaluate(spec, {x.data(), w.data(), y.data()}, result.data());
  return result;
}

ConvSpec oneDim(Direction direction, SpatialDim dim) {
  return channelsLast(direction, 1, 1, 1, 1, {dim}, DataType::F32);
}

const SpatialDim strided = {.in = 5, .filter = 3, .out = 3, .stride = 2, .padLow = 1};

TEST(HandWorked, ForwardStride2Padding1) {
  // y0 = 10*1 + 100*2;  y1 = 1*2 + 10*3 + 100*4;  y2 = 1*4 + 10*5
  EXPECT_THAT(evaluated(oneDim(Direction::FProp, strided), {1, 2, 3, 4, 5}, {1, 10, 100}, {}),
              ElementsAre(210, 432, 54));
}

TEST(HandWorked, InputBackwardStride2Padding1) {
  // dx1 = 100*dy0 + 1*dy1;  dx3 = 100*dy1 + 1*dy2; the even ones meet the middle tap alone.
  EXPECT_THAT(evaluated(oneDim(Direction::DGrad, strided), {}, {1, 10, 100}, {1, 2, 3}),
              ElementsAre(10, 102, 20, 203, 30));
}

TEST(HandWorked, FilterBackwardStride2Padding1) {
  // dw0 = 2*x1 + 3*x3;  dw1 = 1*x0 + 2*x2 + 3*x4;  dw2 = 1*x1 + 2*x3
  EXPECT_THAT(evaluated(oneDim(Direction::WGrad, strided), {1, 2, 3, 4, 5}, {}, {1, 2, 3}), ElementsAre(16, 22, 10));
}

TEST(HandWorked, FlippedFilterIsStoredMirrored) {
  SpatialDim flipped = strided;
  flipped.flip = true;
  EXPECT_THAT(evaluated(oneDim(Direction::FProp, flipped), {1, 2, 3, 4, 5}, {100, 10, 1}, {}),
              ElementsAre(210, 432, 54));
  EXPECT_THAT(evaluated(oneDim(Direction::DGrad, flipped), {}, {100, 10, 1}, {1, 2, 3}),
              ElementsAre(10, 102, 20, 203, 30));
  EXPECT_THAT(evaluated(oneDim(Direction::WGrad, flipped), {1, 2, 3, 4, 5}, {}, {1, 2, 3}), ElementsAre(10, 22, 16));
}

TEST(HandWorked, Dilation2) {
  SpatialDim dim = {.in = 5, .filter = 2, .out = 3, .dilation = 2};
  EXPECT_THAT(evaluated(oneDim(Direction::FProp, dim), {1, 2, 3, 4, 5}, {1, 10}, {}), ElementsAre(31, 42, 53));
  EXPECT_THAT(evaluated(oneDim(Direction::DGrad, dim), {}, {1, 10}, {1, 2, 3}), ElementsAre(1, 2, 13, 20, 30));
}

TEST(HandWorked, NegativePaddingSkipsRows) {
  SpatialDim dim = {.in = 6, .filter = 2, .out = 2, .stride = 2, .padLow = -1}; // padHigh -1
  EXPECT_EQ(dim.padHigh(), -1);
  EXPECT_THAT(evaluated(oneDim(Direction::FProp, dim), {1, 2, 3, 4, 5, 6}, {1, 10}, {}), ElementsAre(32, 54));
  // Rows that no window reaches have a gradient of zero.
  EXPECT_THAT(evaluated(oneDim(Direction::DGrad, dim), {}, {1, 10}, {1, 2}), ElementsAre(0, 1, 10, 2, 20, 0));
}

TEST(HandWorked, GroupsDoNotMix) {
  ConvSpec spec = channelsLast(Direction::FProp, 1, 4, 2, 2, {}, DataType::F32);
  EXPECT_THAT(evaluated(spec, {1, 2, 3, 4}, {1, 10, 100, 1000}, {}), ElementsAre(21, 4300));
  spec.direction = Direction::DGrad;
  EXPECT_THAT(evaluated(spec, {}, {1, 10, 100, 1000}, {2, 3}), ElementsAre(2, 20, 300, 3000));
  spec.direction = Direction::WGrad;
  EXPECT_THAT(evaluated(spec, {1, 2, 3, 4}, {}, {2, 3}), ElementsAre(2, 4, 9, 12));
}

TEST(HandWorked, LayoutsAreFollowed) {
  // y[n,k] = sum_c x[n,c] w[k,c]: x = [[1,2],[3,4]], w = [[1,10],[100,1000]].
  ConvSpec spec = channelsLast(Direction::FProp, 2, 2, 2, 1, {}, DataType::F32);
  EXPECT_THAT(evaluated(spec, {1, 2, 3, 4}, {1, 10, 100, 1000}, {}), ElementsAre(21, 2100, 43, 4300));
  spec.layout(Role::X) = {Axis::C, Axis::N};
  spec.layout(Role::W) = {Axis::C, Axis::K};
  spec.layout(Role::Y) = {Axis::K, Axis::N};
  EXPECT_THAT(evaluated(spec, {1, 3, 2, 4}, {1, 100, 10, 1000}, {}), ElementsAre(21, 43, 2100, 4300));
}

TEST(HandWorked, SixteenBitOperandsAreWidenedExactly) {
  ConvSpec spec = channelsLast(Direction::FProp, 1, 2, 1, 1, {}, DataType::BF16);
  std::vector<uint16_t> x = {toBF16(257), toBF16(0.5f)}, w = {toBF16(1), toBF16(0x1p-20f)};
  double value = 0, spread = 0;
  reference::evaluate(spec, {x.data(), w.data(), nullptr}, &value, &spread);
  EXPECT_EQ(value, 256 + 0x1p-21);
  EXPECT_DOUBLE_EQ(spread, std::sqrt(2 * (65536.0 + 0x1p-42)));
}

TEST(HandWorked, NoImagesGiveAZeroFilterGradient) {
  ConvSpec spec = oneDim(Direction::WGrad, strided);
  spec.n = 0;
  EXPECT_THAT(evaluated(spec, {}, {}, {}), ElementsAre(0, 0, 0));
  spec.direction = Direction::FProp;
  EXPECT_TRUE(evaluated(spec, {}, {1, 2, 3}, {}).empty());
}

TEST(HandWorked, ReductionLength) {
  EXPECT_EQ(reference::reductionLength(channelsLast(Direction::FProp, 7, 4, 6, 2, {strided}, DataType::F32)), 2 * 3);
  EXPECT_EQ(reference::reductionLength(channelsLast(Direction::DGrad, 7, 4, 6, 2, {strided}, DataType::F32)), 3 * 3);
  EXPECT_EQ(reference::reductionLength(channelsLast(Direction::WGrad, 7, 4, 6, 2, {strided}, DataType::F32)), 7 * 3);
}

} // namespace
