// The problem text and its parser.
#include "RandomProblem.h"
#include "orzo/Spec/Canonical.h"

#include <gtest/gtest.h>

using namespace orzo;
using namespace orzo::test;

namespace {

TEST(Text, RoundTrips) {
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    ProblemKind kind;
    kind.minRank = 0;
    kind.grouped = i % 2;
    ConvSpec spec = randomProblem(kind, random);
    for (SpatialDim &dim : spec.spatial)
      dim.flip = pick(random, 0, 1);
    Expected<ConvSpec> parsed = parseConvSpec(text(spec));
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    ASSERT_EQ(*parsed, spec) << text(spec);
  }
}

TEST(Text, PrintsFlipsListsAndNegativePadding) {
  ConvSpec spec =
      channelsLast(Direction::WGrad, 1, 4, 2, 2, {{5, 3, 4, 1, 2, -1, true}, {6, 1, 6, 1, 1, 0, false}}, DataType::F16);
  EXPECT_EQ(text(spec), "conv.v1 wgrad n1 c4 k2 g2 in5x6 f3~x1 out4x6 s1x1 d2x1 p-1x0 x:nhwgc:f16 w:gkrsc:f16 "
                        "y:npqgk:f16 acc:f32");
}

void expectError(const std::string &line, const std::string &field, const std::string &got) {
  Expected<ConvSpec> spec = parseConvSpec(line);
  ASSERT_FALSE(spec.ok()) << line;
  EXPECT_EQ(spec.status().code(), StatusCode::InvalidArgument);
  EXPECT_NE(spec.status().message().find("field '" + field + "'"), std::string::npos) << spec.status().message();
  EXPECT_NE(spec.status().message().find("got '" + got), std::string::npos) << spec.status().message();
}

TEST(Text, ErrorsNameTheField) {
  const std::string head = "conv.v1 fprop n1 c2 k3 g1 ", spatial = "in5x5 f3x3 out3x3 s1x1 d1x1 p0x0 ",
                    tail = "x:nhwc:f32 w:krsc:f32 y:npqk:f32 acc:f32";
  ASSERT_TRUE(parseConvSpec(head + spatial + tail).ok());
  expectError("", "version", "");
  expectError("conv.v2 fprop n1", "version", "conv.v2");
  expectError("conv.v1 forward n1", "direction", "forward");
  expectError("conv.v1 fprop n c2", "n", "n");
  expectError("conv.v1 fprop n01 c2", "n", "01");
  expectError("conv.v1 fprop n+1 c2", "n", "+1");
  expectError("conv.v1 fprop n99999999999999999999 c2", "n", "9999");
  expectError("conv.v1 fprop n1  c2", "c", "");
  expectError("conv.v1 fprop n1 k3", "c", "k3");
  expectError(head + "in5x f3x3 " + tail, "in", "5x");
  expectError(head + "in5~x5 f3x3 " + tail, "in", "5~x5");
  expectError(head + "in5x5x5x5 f3x3 " + tail, "in", "5x5x5x5");
  expectError(head + "in5x5 f3 out3x3 " + tail, "f", "3");
  expectError(head + "in5x5 f3x3 out3x3 s1x1 d1x1 " + tail, "p", "x:nhwc");
  expectError(head + spatial + "x:nhdc:f32 w:krsc:f32", "x", "nhdc:f32");
  expectError(head + spatial + "x:nhwc:f64 w:krsc:f32", "x", "nhwc:f64");
  expectError(head + spatial + "x:nhwc w:krsc:f32", "x", "nhwc");
  expectError(head + spatial + "x:nhwc:f32 y:npqk:f32", "w", "y:npqk:f32");
  expectError(head + spatial + "x:nhwc:f32 w:krsc:f32 y:npqk:f32", "acc", "");
  expectError(head + spatial + "x:nhwc:f32 w:krsc:f32 y:npqk:f32 acc:f8", "acc", "f8");
  expectError(head + spatial + tail + " more", "end", "more");
  expectError(head + spatial + tail + " ", "end", " ");
}

TEST(Text, NeverCrashesOnDamagedText) {
  std::mt19937 random(9);
  for (int i = 0; i < 20000; ++i) {
    ConvSpec spec = randomProblem({}, random);
    std::string line = text(spec);
    size_t at = size_t(pick(random, 0, int64_t(line.size()) - 1));
    switch (pick(random, 0, 2)) {
    case 0:
      line.resize(at);
      break;
    case 1:
      line.erase(at, 1);
      break;
    default:
      line[at] = char(pick(random, 1, 255));
    }
    Expected<ConvSpec> parsed = parseConvSpec(line);
    if (parsed) {
      ASSERT_EQ(text(*parsed), line) << "what parses is what text() prints";
    }
  }
}

} // namespace
