// Canonical texts worked out by hand.
#include "orzo/Spec/Canonical.h"

#include <gtest/gtest.h>

using namespace orzo;

namespace {

std::string canonicalText(const ConvSpec &spec) { return text(canonicalise(spec).spec); }

std::string canonicalText(const std::string &line) {
  Expected<ConvSpec> spec = parseConvSpec(line);
  EXPECT_TRUE(spec.ok()) << spec.status().message();
  if (!spec)
    return spec.status().message();
  EXPECT_TRUE(validate(*spec).ok()) << validate(*spec).message();
  return canonicalText(*spec);
}

const SpatialDim unit = {};
const SpatialDim seedDim = {512, 2, 256, 2, 1, 0, false};
const std::string seedText =
    "conv.v1 dgrad n16 c2048 k2048 g1 in512 f2 out256 s2 d1 p0 x:nhc:bf16 w:krc:bf16 y:npk:bf16 acc:f32";

TEST(Canonical, TheSeed) {
  EXPECT_EQ(canonicalText(channelsLast(Direction::DGrad, 16, 2048, 2048, 1, {unit, seedDim}, DataType::BF16)),
            seedText);
  EXPECT_EQ(canonicalText(seedText), seedText);
}

TEST(Canonical, TheSeedWithHeightAndWidthSwapped) {
  EXPECT_EQ(canonicalText(channelsLast(Direction::DGrad, 16, 2048, 2048, 1, {seedDim, unit}, DataType::BF16)),
            seedText);
}

TEST(Canonical, TheSeedWithUnitDimsElsewhereInMemory) {
  ConvSpec spec = channelsLast(Direction::DGrad, 16, 2048, 2048, 1, {unit, seedDim}, DataType::BF16);
  spec.layout(Role::X) = {Axis::N, Axis::S1, Axis::C, Axis::S0};
  spec.layout(Role::Y) = {Axis::S0, Axis::N, Axis::S1, Axis::K};
  EXPECT_EQ(canonicalText(spec), seedText);
}

TEST(Canonical, AUnitHeightWithARealFilterIsAnotherProblemThanItsSwap) {
  // x is 1 x 5 and the filter 2 x 2: in nhwc, h and w of w lie in memory as r outside s.
  SpatialDim padded = {1, 2, 2, 1, 1, 1, false}, plain = {5, 2, 4, 1, 1, 0, false};
  std::string rows = canonicalText(channelsLast(Direction::FProp, 2, 3, 4, 1, {padded, plain}, DataType::F32));
  std::string columns = canonicalText(channelsLast(Direction::FProp, 2, 3, 4, 1, {plain, padded}, DataType::F32));
  EXPECT_NE(rows, columns);
  // h is 1 in x, so w comes first; the letters of w and y keep their places in memory.
  EXPECT_EQ(rows, "conv.v1 fprop n2 c3 k4 g1 in5x1 f2x2 out4x2 s1x1 d1x1 p0x1 x:nhc:f32 w:ksrc:f32 y:nqpk:f32 acc:f32");
  EXPECT_EQ(columns,
            "conv.v1 fprop n2 c3 k4 g1 in5x1 f2x2 out4x2 s1x1 d1x1 p0x1 x:nhc:f32 w:krsc:f32 y:npqk:f32 acc:f32");
}

TEST(Canonical, AMatrixProductInSixSpellings) {
  // The six orders of three tensors. Two members are fprops; x:cn comes before x:nc.
  std::string expected = "conv.v1 fprop n4096 c2048 k4096 g1 x:cn:bf16 w:kc:bf16 y:kn:bf16 acc:f32";
  for (const char *line : {
           "conv.v1 dgrad n4096 c4096 k2048 g1 x:nc:bf16 w:kc:bf16 y:nk:bf16 acc:f32",
           "conv.v1 fprop n4096 c2048 k4096 g1 x:nc:bf16 w:ck:bf16 y:nk:bf16 acc:f32",
           "conv.v1 wgrad n2048 c4096 k4096 g1 x:cn:bf16 w:ck:bf16 y:nk:bf16 acc:f32",
           "conv.v1 fprop n4096 c2048 k4096 g1 x:cn:bf16 w:kc:bf16 y:kn:bf16 acc:f32",
           "conv.v1 wgrad n2048 c4096 k4096 g1 x:nc:bf16 w:kc:bf16 y:kn:bf16 acc:f32",
           "conv.v1 dgrad n4096 c4096 k2048 g1 x:cn:bf16 w:ck:bf16 y:kn:bf16 acc:f32",
       })
    EXPECT_EQ(canonicalText(std::string(line)), expected) << line;
}

TEST(Canonical, AStrideOneInputGradientSpelledAsAFlippedForward) {
  std::string dgrad = "conv.v1 dgrad n8 c64 k128 g1 in28x28 f3x3 out28x28 s1x1 d1x1 p1x1 x:nhwc:bf16 w:krsc:bf16 "
                      "y:npqk:bf16 acc:f32";
  EXPECT_EQ(canonicalText(dgrad), dgrad) << "no flips, smallest filter";
  EXPECT_EQ(canonicalText("conv.v1 fprop n8 c128 k64 g1 in28x28 f3~x3~ out28x28 s1x1 d1x1 p1x1 x:nhwc:bf16 "
                          "w:crsk:bf16 y:npqk:bf16 acc:f32"),
            dgrad);
  // padLow' = dilation*(filter-1) - padLow.
  EXPECT_EQ(canonicalText("conv.v1 fprop n8 c128 k64 g1 in20 f3~ out24 s1 d2 p4 x:nhc:f32 w:crk:f32 y:npk:f32 acc:f32"),
            "conv.v1 dgrad n8 c64 k128 g1 in24 f3 out20 s1 d2 p0 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32");
}

TEST(Canonical, AFilterOverOnePixelIsItsOwnMirrorImageWithOtherPadding) {
  // (T) (F) (T) (F) (T) (F) comes back to the same tensors; one value of x meets one tap, whichever way they are
  // counted.
  std::string plain = "conv.v1 wgrad n2 c3 k4 g1 in1 f5 out1 s1 d1 p1 x:nc:f32 w:krc:f32 y:nk:f32 acc:f32";
  std::string mirrored = "conv.v1 wgrad n2 c3 k4 g1 in1 f5~ out1 s1 d1 p3 x:nc:f32 w:krc:f32 y:nk:f32 acc:f32";
  EXPECT_EQ(canonicalText(plain), canonicalText(mirrored));
  std::string other = "conv.v1 wgrad n2 c3 k4 g1 in1 f5~ out1 s1 d1 p1 x:nc:f32 w:krc:f32 y:nk:f32 acc:f32";
  EXPECT_NE(canonicalText(plain), canonicalText(other));
}

TEST(Canonical, AStridedForwardSpelledAsAWeightGradientWithDilation) {
  // What an index-only reading of a 3x3 stride-2 wgrad looks like: its 14x14 taps have dilation 2.
  std::string wgrad = "conv.v1 wgrad n8 c64 k128 g1 in28x28 f3x3 out14x14 s2x2 d1x1 p1x1 x:nhwc:bf16 w:krsc:bf16 "
                      "y:npqk:bf16 acc:f32";
  EXPECT_EQ(canonicalText(wgrad), wgrad);
  EXPECT_EQ(canonicalText("conv.v1 fprop n64 c8 k128 g1 in28x28 f14x14 out3x3 s1x1 d2x2 p1x1 x:chwn:bf16 w:crsk:bf16 "
                          "y:kpqn:bf16 acc:f32"),
            wgrad);
}

TEST(Canonical, PatchesOfSixteenAreTheWeightGradientOfFourteen) {
  EXPECT_EQ(
      canonicalText(channelsLast(Direction::FProp, 8, 3, 768, 1,
                                 {{224, 16, 14, 16, 1, 0, false}, {224, 16, 14, 16, 1, 0, false}}, DataType::BF16)),
      "conv.v1 wgrad n3 c8 k768 g1 in224x224 f14x14 out16x16 s1x1 d16x16 p0x0 x:chwn:bf16 w:crsk:bf16 "
      "y:kpqn:bf16 acc:f32");
}

TEST(Canonical, GroupsStayOneLetter) {
  // (T): N' = C/G, C' = G*N.
  std::string fprop = "conv.v1 fprop n2 c12 k6 g3 in9 f3 out7 s1 d1 p0 x:nhgc:f32 w:gkrc:f32 y:npgk:f32 acc:f32";
  EXPECT_EQ(canonicalText(fprop), fprop);
  EXPECT_EQ(canonicalText("conv.v1 wgrad n4 c6 k6 g3 in9 f7 out3 s1 d1 p0 x:chgn:f32 w:crgk:f32 y:gkpn:f32 acc:f32"),
            fprop);
}

TEST(Canonical, DepthwiseLosesItsUnitChannelLetters) {
  EXPECT_EQ(canonicalText(channelsLast(Direction::FProp, 2, 8, 8, 8, {{9, 3, 7, 1, 1, 0, false}}, DataType::F32)),
            "conv.v1 fprop n2 c8 k8 g8 in9 f3 out7 s1 d1 p0 x:nhg:f32 w:gr:f32 y:npg:f32 acc:f32");
  EXPECT_EQ(canonicalText(channelsLast(Direction::FProp, 2, 1, 1, 1, {{9, 3, 7, 1, 1, 0, false}}, DataType::F32)),
            "conv.v1 fprop n2 c1 k1 g1 in9 f3 out7 s1 d1 p0 x:nh:f32 w:r:f32 y:np:f32 acc:f32")
      << "C = K = groups = 1 is dense";
}

TEST(Canonical, DimsWithoutLettersAreOrderedByTheirNumbers) {
  // Both windows lie in the padding; nothing in memory orders the dims.
  SpatialDim one = {1, 1, 1, 1, 1, 1, false}, two = {1, 1, 1, 1, 1, 2, false};
  std::string ordered = canonicalText(channelsLast(Direction::FProp, 2, 3, 4, 1, {one, two}, DataType::F32));
  EXPECT_EQ(canonicalText(channelsLast(Direction::FProp, 2, 3, 4, 1, {two, one}, DataType::F32)), ordered);
  EXPECT_NE(ordered.find("in1x1 f1x1 out1x1"), std::string::npos) << ordered;
}

TEST(Canonical, AnEmptyBatchKeepsItsDirection) {
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
    ConvSpec spec = channelsLast(direction, 0, 3, 4, 1, {{9, 3, 4, 2, 1, 0, false}}, DataType::F32);
    Canonical canonical = canonicalise(spec);
    EXPECT_EQ(canonical.spec, spec);
    EXPECT_TRUE(validate(canonical.spec).ok());
  }
}

TEST(Canonical, ViewsNameTheSourceAxes) {
  // fprop x:nc w:ck y:nk becomes fprop x:cn w:kc y:kn: x is the filter's memory (its n is k, its c is c), w is x's.
  Expected<ConvSpec> spec = parseConvSpec("conv.v1 fprop n4 c2 k4 g1 x:nc:f32 w:ck:f32 y:nk:f32 acc:f32");
  ASSERT_TRUE(spec.ok());
  Canonical canonical = canonicalise(*spec);
  EXPECT_EQ(text(canonical.spec), "conv.v1 fprop n4 c2 k4 g1 x:cn:f32 w:kc:f32 y:kn:f32 acc:f32");
  EXPECT_EQ(canonical.views[0], (View{Role::W, {Axis::C, Axis::K}}));
  EXPECT_EQ(canonical.views[1], (View{Role::X, {Axis::N, Axis::C}}));
  EXPECT_EQ(canonical.views[2], (View{Role::Y, {Axis::N, Axis::K}}));
}

} // namespace
