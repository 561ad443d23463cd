#include "Runtime/ImageChoice.h"

#include <gmock/gmock.h>

using namespace orzo;
using testing::HasSubstr;

namespace {

Artifact withImages(const std::vector<std::string> &isas) {
  Artifact artifact;
  for (const std::string &isa : isas)
    artifact.images.push_back({.isa = isa, .code = {}, .kernelHash = "", .plan = "", .steps = {}, .slots = {}});
  return artifact;
}

const std::vector<Isa> everything = {Isa::AVX2, Isa::AVX512, Isa::AVX512BF16};

TEST(ImageChoice, TakesTheBestThatBothHave) {
  Artifact artifact = withImages({"avx512", "avx2", "sm_90a"});
  EXPECT_EQ(*chooseImage(artifact, everything, ""), 0u);
  EXPECT_EQ(*chooseImage(artifact, std::vector{Isa::AVX2}, ""), 1u);
  EXPECT_EQ(*chooseImage(artifact, everything, "avx2"), 1u);
}

TEST(ImageChoice, NamesBothSidesWhenNothingFits) {
  Artifact artifact = withImages({"avx512_bf16", "sm_90a"});
  for (std::string_view requested : {"", "avx512_bf16", "avx2"}) {
    Expected<size_t> index = chooseImage(artifact, std::vector{Isa::AVX2, Isa::AVX512}, requested);
    ASSERT_FALSE(index.ok()) << requested;
    EXPECT_EQ(index.status().code(), StatusCode::Unsupported);
    EXPECT_THAT(index.status().message(), HasSubstr("images for avx512_bf16, sm_90a"));
    EXPECT_THAT(index.status().message(), HasSubstr("this machine runs avx2, avx512"));
  }
  Expected<size_t> none = chooseImage(artifact, {}, "");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.status().message(), HasSubstr("this machine runs none"));
}

TEST(ImageChoice, RejectsWordsThatAreNoIsa) {
  Expected<size_t> index = chooseImage(withImages({"avx2"}), everything, "avx9");
  ASSERT_FALSE(index.ok());
  EXPECT_EQ(index.status().code(), StatusCode::InvalidArgument);
  EXPECT_THAT(index.status().message(), HasSubstr("'avx9'"));
}

} // namespace
