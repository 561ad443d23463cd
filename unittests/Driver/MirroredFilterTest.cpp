#include "Driver/MirroredFilter.h"
#include "orzo/Spec/Canonical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo::driver {
namespace {

using testing::HasSubstr;
using testing::Not;

std::optional<std::string> warning(const std::string &rest) {
  Expected<ConvSpec> spec = parseConvSpec("conv.v1 " + rest + " acc:f32");
  EXPECT_TRUE(spec.ok()) << spec.status().message();
  return mirroredFilterWarning(*spec);
}

TEST(MirroredFilter, OnlyWhereNoNameIsWithoutAFlip) {
  const std::string line = " d1 p0 x:nhc:f32 w:krc:f32 y:npk:f32",
                    plane = " d1x1 p0x0 x:nhwc:f32 w:krsc:f32 y:npqk:f32";
  EXPECT_FALSE(warning("dgrad n2 c3 k4 g1 in8 f2 out4 s2" + line));
  // Without strides it is a forward convolution.
  EXPECT_FALSE(warning("dgrad n2 c3 k4 g1 in8 f3~ out6 s1" + line));
  std::optional<std::string> one = warning("dgrad n2 c3 k4 g1 in8 f2~ out4 s2" + line);
  ASSERT_TRUE(one);
  EXPECT_THAT(*one,
              HasSubstr("warning: the filter is mirrored along R of the canonical form: this is the input backward "
                        "of the mirrored filter; torch-mlir before PR 4437"));
  // The known cause leaves the flip out only where one filter dim is longer than 1.
  std::optional<std::string> two = warning("dgrad n2 c3 k4 g1 in8x8 f2~x2~ out4x4 s2x2" + plane);
  ASSERT_TRUE(two);
  EXPECT_THAT(*two, HasSubstr("along R, S of"));
  EXPECT_THAT(*two, Not(HasSubstr("torch-mlir")));
  std::optional<std::string> forward = warning("fprop n2 c3 k4 g1 in8 f2~ out4 s2" + line);
  ASSERT_TRUE(forward);
  EXPECT_THAT(*forward, HasSubstr("mirrored"));
}

} // namespace
} // namespace orzo::driver
