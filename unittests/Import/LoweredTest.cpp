// The random problems once more, as torch modules lowered by a compiler that others use: ORZO_IREE_COMPILE names an
// iree-compile; without it these tests are skipped (./dev test --with-iree sets it).
#include "Reading.h"
#include "TorchText.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace orzo::test {
namespace {

std::string contents(const std::string &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Lowered, TwoHundredTorchModulesAreTheSameProblem) {
  const char *compiler = std::getenv("ORZO_IREE_COMPILE");
  if (!compiler)
    GTEST_SKIP() << "ORZO_IREE_COMPILE is not set";
  std::string stem = testing::TempDir() + "orzo-lowered", in = stem + "-in.mlir", out = stem + "-out.mlir",
              errors = stem + "-errors";
  std::string command =
      "'" + std::string(compiler) + "' '" + in + "' --compile-to=input -o '" + out + "' 2>'" + errors + "'";
  std::mt19937 random(5);
  int lowered = 0;
  std::string refused;
  for (int number = 0; number < 200; ++number) {
    Sample sample = randomSample(random);
    SCOPED_TRACE("problem " + std::to_string(number) + ": " + text(sample.spec()));
    std::ofstream(in) << torchText(sample, {.overwrites = number % 2 == 0});
    if (std::system(command.c_str()) != 0) {
      // What that compiler has no lowering for is not this test's matter; anything else is.
      std::string why = contents(errors);
      ASSERT_THAT(why, testing::HasSubstr("failed to legalize operation 'torch.aten.convolution")) << why;
      refused += "\n  " + text(sample.spec());
      continue;
    }
    ++lowered;
    std::string source = contents(out), expected = canonicalText(sample.spec());
    ASSERT_THAT(source, testing::Not(testing::HasSubstr("torch.aten"))) << source;
    ASSERT_EQ(read(source), expected) << source;
    std::string ir = printedAfter("conv", source);
    ASSERT_EQ(ir, printedAfter("conv", torchText(sample))) << source;
    ASSERT_THAT(ir, testing::Not(testing::HasSubstr("linalg."))) << source;
  }
  std::printf("%d of 200 lowered; without a lowering there:%s\n", lowered, refused.c_str());
  EXPECT_GT(lowered, 150);
  for (const std::string &file : {in, out, errors})
    std::remove(file.c_str());
}

} // namespace
} // namespace orzo::test
