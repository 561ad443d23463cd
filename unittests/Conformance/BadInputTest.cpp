// Bad input at the compiler's border: a status and a message, never a crash, never a number that has wrapped.
#include "CompilerLibrary.h"
#include "ProblemRun.h"
#include "ProblemSpelling.h"
#include "orzo/Spec/Canonical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace orzo::conformance {
namespace {

using testing::HasSubstr;

const std::string small = "conv.v1 dgrad n2 c16 k16 g1 in8 f2 out4 s2 d1 p0 x:nhc:bf16 w:krc:bf16 y:npk:bf16 acc:f32";
const std::string padded =
    "conv.v1 fprop n2 c8 k8 g1 in8x8 f3x3 out8x8 s1x1 d1x1 p1x1 x:nhwc:f32 w:krsc:f32 y:npqk:f32 acc:f32";

void expectInvalid(const std::string &text, const std::string &message, const CompileOptions &options = {}) {
  Expected<Compiled> compiled = compileText(text, options);
  ASSERT_FALSE(compiled) << text;
  EXPECT_EQ(compiled.status().code(), StatusCode::InvalidArgument) << text << ": " << compiled.status().message();
  EXPECT_THAT(compiled.status().message(), HasSubstr(message)) << text;
}

std::string with(std::string text, const std::string &field, const std::string &other) {
  size_t at = text.find(field);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, field.size(), other);
}

TEST(BadInput, TextsThatAreNoProblem) {
  expectInvalid(with(small, " g1 ", " g0 "), "C3");
  expectInvalid(with(small, " g1 ", " g3 "), "C4");
  expectInvalid(with(small, " s2 ", " s0 "), "C7");
  expectInvalid(with(small, " d1 ", " d0 "), "C7");
  expectInvalid(with(small, " out4 ", " out0 "), "C6");
  expectInvalid(with(small, " n2 ", " n-1 "), "C1");
  expectInvalid(with(small, " c16 ", " c0 "), "C2");
  expectInvalid(with(small, "x:nhc", "x:nhk"), "k");
  expectInvalid(with(small, "x:nhc", "x:nhh"), "h");
  expectInvalid(with(small, "x:nhc", "x:nc"), "C10");
  expectInvalid(with(small, "w:krc:bf16", "w:krc:f16"), "C11");
  expectInvalid(with(small, "acc:f32", "acc:f16"), "C12");
}

TEST(BadInput, AFilterLargerThanThePaddedInput) {
  // By the formula of a forward convolution there is no output.
  ConvSpec spec = channelsLast(Direction::FProp, 1, 4, 4, 1, {window(2, 3), window(2, 3)}, DataType::BF16);
  EXPECT_LT(spec.spatial[0].out, 1);
  expectInvalid(text(spec), "C6");
  spec = channelsLast(Direction::FProp, 1, 4, 4, 1, {window(8, 3, 1, 0, 0, 536870912)}, DataType::BF16);
  expectInvalid(text(spec), "C6");
}

TEST(BadInput, DamagedTexts) {
  expectInvalid("", "conv.v1");
  expectInvalid("conv.v1", "");
  expectInvalid(with(small, "conv.v1", "conv.v2"), "conv.v1");
  expectInvalid(with(small, "dgrad", "dgard"), "dgard");
  expectInvalid(with(small, "in8", "in8x8"), "");
  expectInvalid(with(small, "in8", "in99999999999999999999"), "");
  expectInvalid(with(small, "bf16", "bf17"), "bf17");
  expectInvalid(small + " more", "");
  for (size_t length = 0; length < small.size(); ++length)
    EXPECT_FALSE(compileText(small.substr(0, length))) << length;
}

TEST(BadInput, RandomMutationsNeverCrash) {
  std::mt19937 random(7);
  const std::string letters = "0123456789xnchwkrspqgfdobit:.-~ \t\xff";
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    std::string mutant = i % 2 ? small : padded;
    for (uint32_t edits = 1 + random() % 3; edits > 0; --edits) {
      size_t at = random() % mutant.size();
      char letter = letters[random() % letters.size()];
      switch (random() % 3) {
      case 0:
        mutant[at] = letter;
        break;
      case 1:
        mutant.insert(at, 1, letter);
        break;
      default:
        mutant.erase(at, 1);
      }
    }
    // Not compiled to code where it is a problem after all: that it is understood is the point.
    Expected<ConvSpec> spec = parseConvSpec(mutant);
    bool legal = spec.ok() && validate(*spec).ok();
    Expected<Compiled> compiled = compileText(mutant, {.target = "cpu:avx2"});
    if (legal) {
      EXPECT_TRUE(compiled || compiled.status().code() == StatusCode::Unsupported)
          << mutant << compiled.status().message();
      continue;
    }
    ++refused;
    ASSERT_FALSE(compiled) << mutant;
    EXPECT_EQ(compiled.status().code(), StatusCode::InvalidArgument) << mutant << ": " << compiled.status().message();
  }
  EXPECT_GT(refused, 100);
}

TEST(BadInput, Targets) {
  for (const char *target : {"gpu", "cpu:", "cpu:avx", "cpu:avx2,avx2", "cpu:avx2,", "cpu,avx2"})
    expectInvalid(small, "avx2", {.target = target});
}

TEST(BadInput, Lowerings) {
  expectInvalid(small, "zero-insert", {.forceLowering = "winograd"});
  expectInvalid(padded, "contract", {.forceLowering = "contract"});
  expectInvalid(padded, "wgrad", {.forceLowering = "wgrad"});
  expectInvalid(with(padded, "fprop", "wgrad"), "implicit", {.forceLowering = "implicit"});
  expectInvalid("conv.v1 fprop n8 c8 k8 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32", "zero",
                {.forceLowering = "zero-insert"});
}

TEST(BadInput, Plans) {
  const std::string plan = "avx2 fma tile 6x16 rows 96 columns 16 depth 8 resident";
  CompileOptions options = {.target = "cpu:avx2"};
  options.plan = plan;
  EXPECT_TRUE(compileText(small, options)) << compileText(small, options).status().message();
  for (const char *bad : {"avx3 fma", "avx2", "avx2 fma tile 6x15 rows 96 columns 16 depth 8 resident",
                          "avx2 fma tile 0x16 rows 96 columns 16 depth 8 resident",
                          "avx2 fma tile 9x16 rows 96 columns 16 depth 8 resident",
                          "avx2 fma tile 6x16 rows 95 columns 16 depth 8 resident",
                          "avx2 fma tile 6x16 rows 96 columns 16 depth 0 resident",
                          "avx2 fma tile 6x16 rows 96 columns 16 depth 8 somewhere",
                          "avx2 dot tile 6x16 rows 96 columns 16 depth 8 resident",
                          "avx512 fma tile 12x32 rows 96 columns 32 depth 8 resident", "resident resident"}) {
    options.plan = bad;
    expectInvalid(small, "plan", options);
  }
}

/// Sizes as they must be, in 128 bits.
void expectRightSizes(const ConvSpec &spec) {
  std::string canonical = text(canonicalise(spec).spec);
  Expected<Compiled> compiled = compileText(canonical, {.target = "cpu:avx2"});
  if (!compiled) {
    EXPECT_EQ(compiled.status().code(), StatusCode::Unsupported) << canonical << compiled.status().message();
    return;
  }
  Expected<Artifact> artifact = parseArtifact(compiled->artifact);
  ASSERT_TRUE(artifact) << artifact.status().message();
  const ArtifactImage &image = artifact->images[0];
  for (size_t i = 0; i < artifact->bindings.size(); ++i) {
    __int128 bytes = byteSize(artifact->bindings[i].type);
    for (int64_t extent : artifact->bindings[i].shape)
      bytes *= extent;
    EXPECT_TRUE(image.slots[i].bytes == bytes) << canonical << ": " << artifact->bindings[i].name;
    EXPECT_GT(image.slots[i].bytes, 0);
  }
  __int128 useful = 2 * __int128(spec.n) * (spec.c / spec.groups) * spec.k;
  for (const SpatialDim &dim : spec.spatial)
    useful *= dim.filter * (spec.direction == Direction::DGrad ? (dim.in + dim.stride - 1) / dim.stride : dim.out);
  Counters counters = countersOf(image);
  EXPECT_GT(counters.flopsExecuted, 0);
  EXPECT_LE(counters.flopsExecuted, useful) << canonical;
  EXPECT_GE(counters.flopsTile, 0);
  for (const ArtifactStep &step : image.steps)
    for (int64_t units : step.unitRanges)
      EXPECT_GT(units, 0);
}

TEST(BadInput, TensorsBeyondTwoToThe31Elements) {
  constexpr DataType bf16 = DataType::BF16, f16 = DataType::F16, f32 = DataType::F32;
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
    // 2^31 elements and a few more, in x; then the batch just below; image, filter and reduction that are huge.
    expectRightSizes(channelsLast(direction, 64, 128, 128, 1, {window(513, 3, 2), window(513, 3, 2)}, bf16));
    expectRightSizes(channelsLast(direction, 63, 128, 128, 1, {window(513, 3, 2), window(513, 3, 2)}, bf16));
    expectRightSizes(channelsLast(direction, 5, 24, 1, 1, {window(4903, 3, 1, 4, 4), window(5078, 3, 1, 6, 6)}, f32));
    expectRightSizes(
        channelsLast(direction, 522240, 3, 1280, 1, {window(2, 2, 2), window(14, 14, 14), window(14, 14, 14)}, bf16));
    expectRightSizes(channelsLast(direction, 1, 256, 256, 1, {window(19, 3), window(146, 3), window(258, 3)}, f16));
    expectRightSizes(channelsLast(direction, 1, 70000, 70000, 1, {window(3, 1)}, f32));
    expectRightSizes(channelsLast(direction, 3, 1 << 20, 1 << 20, 1 << 20, {window(5000, 4, 3, 1, 1)}, f32));
  }
}

} // namespace
} // namespace orzo::conformance
