// compile(): targets, determinism, identity, MLIR as input.
#include "Compiler/Compiler.h"
#include "Compiler/TargetList.h"
#include "Runtime/Core/Artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace orzo {
namespace {

using testing::HasSubstr;

constexpr const char *smallProblem = "conv.v1 fprop n32 c16 k4 g1 x:nc:f32 w:kc:f32 y:kn:f32 acc:f32";

CompileRequest requestOf(const std::string &problem) {
  CompileRequest request;
  request.input = problem;
  request.target = "cpu:avx2";
  return request;
}

std::string textOf(const CompileOutput &output) { return {output.bytes.begin(), output.bytes.end()}; }

TEST(TargetList, NamesAndErrors) {
  EXPECT_EQ(parseTargets("cpu:avx2")->isas, std::vector<Isa>{Isa::AVX2});
  EXPECT_FALSE(parseTargets("cpu:avx2")->cuda);
  EXPECT_EQ(parseTargets("cpu:avx512,avx2")->isas, (std::vector<Isa>{Isa::AVX512, Isa::AVX2}));
  EXPECT_EQ(parseTargets("cuda:sm_90a+cpu:avx2")->isas, std::vector<Isa>{Isa::AVX2});
  EXPECT_TRUE(parseTargets("cpu:avx2+cuda:sm_90a")->cuda);
  for (const char *bad : {"", "gpu", "cpux", "cpu:", "cpu:avx2,", "cpu:sse", "cpu:avx2+"}) {
    Expected<TargetList> targets = parseTargets(bad);
    ASSERT_FALSE(targets.ok()) << bad;
    EXPECT_EQ(targets.status().code(), StatusCode::InvalidArgument);
    EXPECT_THAT(targets.status().message(), HasSubstr("avx512"));
  }
  EXPECT_THAT(parseTargets("cpu:avx2,avx2").status().message(), HasSubstr("names avx2 twice"));
  EXPECT_THAT(parseTargets("cpu:avx2+cpu:avx2").status().message(), HasSubstr("names avx2 twice"));
  EXPECT_THAT(parseTargets("cuda:sm_90a+cuda:sm_90a").status().message(), HasSubstr("twice"));
}

TEST(Compiler, OneImagePerIsa) {
  CompileRequest request = requestOf(smallProblem);
  request.target = "cpu:avx2,avx512";
  Expected<CompileOutput> output = compile(request);
  ASSERT_TRUE(output.ok()) << output.status().message();
  Expected<Artifact> artifact = parseArtifact(output->bytes);
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  EXPECT_EQ(artifact->problem, smallProblem);
  EXPECT_EQ(artifact->lowering, "contract");
  EXPECT_EQ(artifact->compilerBuild, buildId());
  ASSERT_EQ(artifact->images.size(), 2u);
  EXPECT_EQ(artifact->images[0].isa, "avx2");
  EXPECT_EQ(artifact->images[1].isa, "avx512");
  EXPECT_NE(artifact->images[0].kernelHash, artifact->images[1].kernelHash);
  ASSERT_EQ(artifact->bindings.size(), 3u);
  EXPECT_EQ(artifact->bindings[1], (ArtifactBinding{"w", Role::W, false, ElementType::Float, "kc", {4, 16}}));
  EXPECT_TRUE(artifact->bindings[2].isResult);
  EXPECT_GT(output->compileMilliseconds, 0);
}

TEST(Compiler, IsDeterministicOnManyThreads) {
  std::vector<Artifact> artifacts(4);
  std::vector<std::thread> threads;
  for (Artifact &artifact : artifacts)
    threads.emplace_back([&artifact] {
      if (Expected<CompileOutput> output = compile(requestOf(smallProblem)))
        artifact = parseArtifact(output->bytes).take();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (Artifact &artifact : artifacts) {
    ASSERT_EQ(artifact.images.size(), 1u);
    EXPECT_EQ(artifact.images, artifacts[0].images);
  }
}

// Different problems of one product are one kernel: a 1x1 convolution and the matrix product it is.
TEST(Compiler, EqualProductsHaveEqualHashes) {
  auto hashOf = [](const std::string &problem) {
    Expected<CompileOutput> output = compile(requestOf(problem));
    return output ? parseArtifact(output->bytes)->images[0].kernelHash : output.status().message();
  };
  std::string product = hashOf("conv.v1 fprop n64 c16 k32 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32");
  EXPECT_EQ(hashOf("conv.v1 fprop n4 c16 k32 g1 in16 f1 out16 s1 d1 p0 x:nhc:f32 w:kc:f32 y:npk:f32 acc:f32"), product);
  EXPECT_NE(hashOf("conv.v1 fprop n64 c16 k48 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32"), product);
}

TEST(Compiler, WhatItPrintsItReads) {
  CompileRequest request =
      requestOf("conv.v1 wgrad n2 c4 k3 g1 in7 f3 out4 s2 d1 p1 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32");
  request.stopAfter = "conv";
  std::string printed = textOf(*compile(request));
  request.kind = CompileRequest::Input::Mlir;
  request.input = printed;
  EXPECT_EQ(textOf(*compile(request)), printed);
  request.stopAfter.clear();
  Expected<CompileOutput> output = compile(request);
  ASSERT_TRUE(output.ok()) << output.status().message();
  EXPECT_EQ(parseArtifact(output->bytes)->lowering, "wgrad");
}

TEST(Compiler, PhasesAsText) {
  CompileRequest request = requestOf(smallProblem);
  for (auto [phase, expected] :
       {std::pair("import", "conv.fprop"), std::pair("conv", "conv.fprop"),
        std::pair("dispatch", "dispatch.program @problem"), std::pair("kernel", "scf."),
        std::pair("target", "llvm.func"), std::pair("llvm", "define"), std::pair("asm", "vfmadd")}) {
    request.stopAfter = phase;
    Expected<CompileOutput> output = compile(request);
    ASSERT_TRUE(output.ok()) << phase << ": " << output.status().message();
    EXPECT_THAT(textOf(*output), HasSubstr(expected)) << phase;
  }
}

TEST(Compiler, BadPlan) {
  CompileRequest request = requestOf(smallProblem);
  request.plan = "six by sixteen";
  Expected<CompileOutput> output = compile(request);
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.status().code(), StatusCode::InvalidArgument);
  EXPECT_THAT(output.status().message(), HasSubstr("plan: "));
}

} // namespace
} // namespace orzo
