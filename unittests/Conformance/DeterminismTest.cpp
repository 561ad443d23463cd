// One problem, one kernel: compiling again gives the same bytes, and all spellings of a problem the same code.
#include "CompilerLibrary.h"
#include "ProblemSpelling.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Spec/Canonical.h"

#include <gtest/gtest.h>

namespace orzo::conformance {
namespace {

constexpr DataType bf16 = DataType::BF16;

Artifact compiled(const ConvSpec &spec, const std::string &target = "cpu:avx2") {
  CompileOptions options;
  options.target = target;
  Expected<Compiled> result = compileText(text(canonicalise(spec).spec), options);
  EXPECT_TRUE(result) << result.status().message();
  Expected<Artifact> artifact = parseArtifact(result->artifact);
  EXPECT_TRUE(artifact) << artifact.status().message();
  return artifact.take();
}

ConvSpec seed(bool swapped) {
  std::vector<SpatialDim> spatial = {window(1, 1), window(512, 2, 2)};
  if (swapped)
    std::swap(spatial[0], spatial[1]);
  return channelsLast(Direction::DGrad, 16, 2048, 2048, 1, spatial, bf16);
}

TEST(Determinism, TheSameTextGivesTheSameArtifact) {
  for (const ConvSpec &spec :
       {seed(false), channelsLast(Direction::DGrad, 2, 8, 9, 1, {window(14, 7, 3), window(14, 4, 2)}, DataType::F32),
        channelsLast(Direction::WGrad, 2, 12, 12, 3, {window(8, 3, 2, 1, 1)}, DataType::F16)}) {
    Artifact first = compiled(spec, "cpu:avx2,avx512,avx512_bf16"),
             second = compiled(spec, "cpu:avx2,avx512,avx512_bf16");
    first.compileMilliseconds = second.compileMilliseconds = 0;
    EXPECT_EQ(serialise(first), serialise(second));
    ASSERT_EQ(first.images.size(), 3u);
    for (const ArtifactImage &image : first.images)
      EXPECT_EQ(image.kernelHash.size(), 64u);
  }
}

TEST(Determinism, TheMainJobIsOneKernelInEverySpelling) {
  for (const char *target : {"cpu:avx2", "cpu:avx512", "cpu:avx512_bf16"}) {
    std::string hash = compiled(seed(false), target).images[0].kernelHash;
    EXPECT_EQ(compiled(seed(true), target).images[0].kernelHash, hash) << "height and width exchanged";
    // dx[4096 x 4096] = dy[4096 x 2048] * w[2048 x 4096]: the gradient of a 1x1 convolution, and a matrix product
    // with its right operand stored k by n.
    EXPECT_EQ(compiled(channelsLast(Direction::DGrad, 4096, 4096, 2048, 1, {window(1, 1), window(1, 1)}, bf16), target)
                  .images[0]
                  .kernelHash,
              hash)
        << "1x1 dgrad";
    ConvSpec gemm = channelsLast(Direction::FProp, 4096, 2048, 4096, 1, {}, bf16);
    gemm.layout(Role::W) = {Axis::C, Axis::K};
    EXPECT_EQ(compiled(gemm, target).images[0].kernelHash, hash) << "gemm";
  }
}

TEST(Determinism, AnotherProblemIsAnotherKernel) {
  ConvSpec spec = seed(false);
  std::string hash = compiled(spec).images[0].kernelHash;
  spec.k = 2046;
  EXPECT_NE(compiled(spec).images[0].kernelHash, hash);
}

} // namespace
} // namespace orzo::conformance
