// Target cuda:sm_90a, without a device: PTX text, launches, and what ptxas says where it is installed.
#include "Compiler/Compiler.h"
#include "Compiler/TargetList.h"
#include "Runtime/Core/Artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <unistd.h>

namespace orzo {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char *seedProblem =
    "conv.v1 dgrad n16 c2048 k2048 g1 in512 f2 out256 s2 d1 p0 x:nhc:bf16 w:krc:bf16 y:npk:bf16 acc:f32";

std::string problemOf(const std::string &direction, int n, int c, int k, int in, int filter, int out, int stride,
                      int pad, const std::string &type = "bf16") {
  auto two = [](int value) { return std::to_string(value) + "x" + std::to_string(value); };
  return "conv.v1 " + direction + " n" + std::to_string(n) + " c" + std::to_string(c) + " k" + std::to_string(k) +
         " g1 in" + two(in) + " f" + two(filter) + " out" + two(out) + " s" + two(stride) + " d1x1 p" + two(pad) +
         " x:nhwc:" + type + " w:krsc:" + type + " y:npqk:" + type + " acc:f32";
}

CompileRequest requestOf(const std::string &problem, const std::string &plan = "") {
  CompileRequest request;
  request.input = problem;
  request.target = "cuda:sm_90a";
  request.plan = plan;
  return request;
}

Artifact compiled(const std::string &problem, const std::string &plan = "") {
  Expected<CompileOutput> output = compile(requestOf(problem, plan));
  EXPECT_TRUE(output.ok()) << problem << ": " << output.status().message();
  if (!output)
    return {};
  Expected<Artifact> artifact = parseArtifact(output->bytes);
  EXPECT_TRUE(artifact.ok()) << artifact.status().message();
  return artifact ? artifact.take() : Artifact();
}

std::string ptxOf(const Artifact &artifact) {
  const std::vector<uint8_t> &code = artifact.images.at(0).code;
  return {code.begin(), code.end()};
}

/// Whether the text has `part`; the text is too long to be printed.
bool has(const std::string &ptx, const std::string &part) { return ptx.find(part) != std::string::npos; }

TEST(Cuda, TargetNames) {
  for (const char *bad : {"cuda", "cuda:", "cuda:sm_80"}) {
    CompileRequest request = requestOf(seedProblem);
    request.target = bad;
    Expected<CompileOutput> output = compile(request);
    ASSERT_FALSE(output.ok()) << bad;
    EXPECT_EQ(output.status().code(), StatusCode::InvalidArgument);
    EXPECT_THAT(output.status().message(), HasSubstr("cuda:sm_90a"));
  }
}

TEST(Cuda, SeedIsOneLaunchOfTensorCoreCode) {
  Artifact artifact = compiled(seedProblem);
  ASSERT_EQ(artifact.images.size(), 1u);
  const ArtifactImage &image = artifact.images[0];
  EXPECT_EQ(image.isa, "sm_90a");
  EXPECT_EQ(image.workspaceBytes, 0);
  ASSERT_EQ(image.steps.size(), 1u);
  const ArtifactStep &step = image.steps[0];
  EXPECT_EQ(step.name, "contract_4096x4096x2048_bf16");
  EXPECT_EQ(step.flopsExecuted, 68719476736);
  EXPECT_EQ(step.flopsTile, 0);
  EXPECT_EQ(step.slots, (std::vector<int32_t>{2, 1, 0})); // dy, w, dx.
  ASSERT_TRUE(step.cuda.has_value());
  EXPECT_EQ(step.cuda->tiles, 32 * 16);
  EXPECT_TRUE(step.cuda->persistent);
  EXPECT_EQ(step.cuda->tensorMaps.size(), 3u);
  std::string ptx = ptxOf(artifact);
  EXPECT_TRUE(has(ptx, ".target sm_90a"));
  EXPECT_TRUE(has(ptx, ".version 8.0"));
  EXPECT_TRUE(has(ptx, "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16"));
  EXPECT_TRUE(has(ptx, "cp.async.bulk.tensor.2d.shared::cluster.global"));
  EXPECT_TRUE(has(ptx, "cp.async.bulk.tensor.2d.global.shared::cta"));
  EXPECT_TRUE(has(ptx, "setmaxnreg.inc.sync.aligned.u32 \t232"));
  EXPECT_TRUE(has(ptx, "stmatrix"));
  EXPECT_TRUE(has(ptx, "entry " + step.symbol + "("));
  EXPECT_FALSE(has(ptx, ".local"));
  EXPECT_EQ(ptx, ptxOf(compiled(seedProblem)));
}

TEST(Cuda, StridedDgradIsOneLaunchOfAllPhases) {
  Artifact artifact = compiled(problemOf("dgrad", 2, 64, 64, 28, 3, 14, 2, 1));
  ASSERT_EQ(artifact.images[0].steps.size(), 1u);
  const CudaLaunch &launch = *artifact.images[0].steps[0].cuda;
  int64_t images = 0;
  for (const TensorMapRecipe &map : launch.tensorMaps)
    images += map.slot == 2;
  EXPECT_EQ(images, 4); // A view of dx for each phase.
  EXPECT_TRUE(has(ptxOf(artifact), "im2col"));
  EXPECT_TRUE(has(ptxOf(artifact), ".const .align 4")); // The table of phases.
}

TEST(Cuda, SplitsAreASecondLaunchInOrder) {
  std::string problem = problemOf("wgrad", 4, 64, 64, 14, 3, 14, 1, 1);
  Artifact artifact = compiled(problem, "sm_90a tile 128x64 stacked stages 4 buffers 1 splits 3 group 8");
  const ArtifactImage &image = artifact.images.at(0);
  ASSERT_EQ(image.steps.size(), 2u);
  EXPECT_EQ(image.steps[1].name, image.steps[0].name + "_sum");
  EXPECT_EQ(image.steps[0].slots.back(), image.steps[1].slots.front());
  const ArtifactSlot &partial = image.slots[image.steps[1].slots.front()];
  EXPECT_EQ(partial.binding, -1);
  EXPECT_EQ(partial.bytes, 3 * 64 * 9 * 64 * 4);
  EXPECT_EQ(image.workspaceBytes, partial.bytes);
  EXPECT_FALSE(image.steps[1].cuda->persistent);
  EXPECT_EQ(compiled(problem, image.plan).images.at(0).kernelHash, image.kernelHash);
}

/// Problems that break a rule of tensor maps, and which.
const std::vector<std::pair<std::string, std::string>> gatheredProblems = {
    {"T3", problemOf("fprop", 2, 3, 64, 14, 3, 14, 1, 1)},
    {"T3", problemOf("dgrad", 2, 3, 64, 14, 3, 14, 1, 1)},
    {"T3", problemOf("wgrad", 2, 3, 64, 14, 3, 14, 1, 1)},
    {"T3", problemOf("fprop", 2, 64, 5, 14, 3, 14, 1, 1, "f16")},
    {"T3", problemOf("dgrad", 2, 64, 5, 14, 3, 7, 2, 1)},
    {"T3", problemOf("wgrad", 2, 64, 5, 14, 3, 14, 1, 1, "f16")},
    {"T3", problemOf("fprop", 2, 12, 20, 14, 3, 14, 1, 1)},
    {"T3", problemOf("dgrad", 2, 12, 20, 14, 3, 7, 2, 1)},
    {"T3", problemOf("wgrad", 2, 12, 20, 14, 3, 14, 1, 1)},
    {"T3", problemOf("fprop", 2, 12, 20, 14, 1, 14, 1, 0)},
    {"T5", problemOf("fprop", 2, 64, 64, 40, 3, 5, 9, 1)},
    {"T5", problemOf("wgrad", 2, 64, 64, 40, 3, 5, 9, 1)},
    {"T8", problemOf("fprop", 2, 64, 64, 4, 2, 36, 8, 140)},
    {"T8", problemOf("wgrad", 2, 64, 64, 4, 2, 36, 8, 140)},
    {"T10", "conv.v1 fprop n2 c64 k64 g1 in129x129 f3x3 out17x17 s8x8 d128x128 p128x128 x:nhwc:bf16 w:krsc:bf16 "
            "y:npqk:bf16 acc:f32"},
    {"T8", "conv.v1 fprop n2 c64 k64 g1 in201x201 f3x3 out26x26 s8x8 d200x200 p200x200 x:nhwc:bf16 w:krsc:bf16 "
           "y:npqk:bf16 acc:f32"},
    {"T8", "conv.v1 dgrad n2 c64 k64 g1 in201x201 f3x3 out201x201 s1x1 d200x200 p200x200 x:nhwc:bf16 w:krsc:bf16 "
           "y:npqk:bf16 acc:f32"}};

TEST(Cuda, GathersWhatTensorMapsDoNotDescribe) {
  for (const auto &[rule, problem] : gatheredProblems) {
    Artifact artifact = compiled(problem);
    ASSERT_EQ(artifact.images.size(), 1u) << problem;
    const ArtifactImage &image = artifact.images[0];
    std::string ptx = ptxOf(artifact);
    EXPECT_THAT(image.plan, HasSubstr(rule + ": ")) << problem;
    EXPECT_TRUE(has(ptx, "wgmma.mma_async")) << problem;
    EXPECT_FALSE(has(ptx, ".local")) << problem;
    if (image.plan.find(" gather ") == std::string::npos)
      continue; // Only the result breaks a rule.
    EXPECT_TRUE(has(ptx, "fence.proxy.async.shared::cta")) << problem;
    EXPECT_TRUE(has(ptx, "ld.global")) << problem;
    EXPECT_TRUE(has(ptx, "setmaxnreg.dec.sync.aligned.u32 \t104")) << problem;
    EXPECT_EQ(has(ptx, "cp.async.bulk.tensor.2d.shared::cluster.global") ||
                  has(ptx, "cp.async.bulk.tensor.4d.shared::cluster.global"),
              image.plan.find(" gather both") == std::string::npos)
        << problem << "\n"
        << image.plan;
    EXPECT_EQ(compiled(problem, image.plan).images.at(0).kernelHash, image.kernelHash);
  }
}

/// relu(x * w + bias + residual), or with `tail` in place of the last steps, of a 3x3 convolution of 64 channels.
std::string graphOf(const std::string &tail = "%5 = input 25088:bf16\n"
                                              "%6 = add(%4, %5) 25088:1:1:1 :bf16\n"
                                              "%7 = relu_fwd(%6) 25088:1:1 :bf16\noutput %7\n") {
  return "graph.v1\n%0 = input 25088:bf16\n%1 = input 36864:bf16\n%2 = " +
         problemOf("fprop", 2, 64, 64, 14, 3, 14, 1, 1) +
         " (%0, %1)\n%3 = input 64:bf16\n%4 = add(%2, %3) 392:64:0:64 64:1:1:1 :bf16\n" + tail;
}

TEST(Cuda, AFusedGraphIsOneLaunch) {
  Artifact artifact = compiled(graphOf());
  ASSERT_EQ(artifact.images.size(), 1U);
  const ArtifactImage &image = artifact.images[0];
  ASSERT_EQ(image.steps.size(), 1U);
  EXPECT_EQ(image.workspaceBytes, 0);
  EXPECT_EQ(image.steps[0].slots.size(), 5U);
  EXPECT_EQ(image.steps[0].cuda->tensorMaps.size(), 4U); // The residual has one too.
  std::string ptx = ptxOf(artifact);
  EXPECT_TRUE(has(ptx, "ldmatrix"));
  EXPECT_FALSE(has(ptx, ".local"));
  EXPECT_FALSE(has(ptx, ".extern .func"));
}

TEST(Cuda, AnotherResultTypeGoesByRows) {
  Artifact artifact = compiled(graphOf("%5 = gelu_fwd(%4) 25088:1:1 :f32\noutput %5\n"));
  ASSERT_EQ(artifact.images.at(0).steps.size(), 1U);
  EXPECT_EQ(artifact.images[0].steps[0].cuda->tensorMaps.size(), 2U);
  EXPECT_TRUE(has(ptxOf(artifact), "st.global.v4"));
}

/// Maps and reductions: short, wide, transposed, long enough for two launches.
const std::vector<std::pair<std::string, size_t>> nestGraphs = {
    {"%0 = input 1024:bf16\n%1 = relu_fwd(%0) 1024:1:1 :bf16\noutput %1\n", 1},
    {"%0 = input 60060:bf16\n%1 = add(%0, %0) 77:780:780:1 780:1:1:77 :f32\noutput %1\n", 1},
    {"%0 = input 1001:i8\n%1 = input 1001:i16\n%2 = mul(%0, %1) 1001:1:1:1 :u8\noutput %2\n", 1},
    {"%0 = input 49000:f32\n%1 = reduce_avg(%0) 7000:7:1 7:1:0 :f32\noutput %1\n", 1},
    {"%0 = input 6422528:bf16\n%1 = reduce_add(%0) 25088:256:0 256:1:1 :f32\noutput %1\n", 2},
    {"%0 = input 3211264:bf16\n%1 = reduce_norm2(%0) 3211264:1:0 :f32\noutput %1\n", 2}};

TEST(Cuda, MapsAndReductionsArePlainGrids) {
  for (const auto &[steps, launches] : nestGraphs) {
    Artifact artifact = compiled("graph.v1\n" + steps);
    ASSERT_EQ(artifact.images.size(), 1U) << steps;
    const ArtifactImage &image = artifact.images[0];
    ASSERT_EQ(image.steps.size(), launches) << steps;
    for (const ArtifactStep &step : image.steps)
      EXPECT_FALSE(step.cuda->persistent);
    if (launches == 2) {
      EXPECT_EQ(image.steps[1].name, image.steps[0].name + "_sum");
      EXPECT_EQ(image.steps[0].slots.back(), image.steps[1].slots.front());
      EXPECT_GT(image.workspaceBytes, 0);
    }
    EXPECT_FALSE(has(ptxOf(artifact), ".local")) << steps;
  }
}

TEST(Cuda, ASumBesideAProductIsALaunchOfItsOwn) {
  Artifact artifact = compiled(graphOf("%5 = reduce_add(%4) 392:64:0 64:1:1 :f32\noutput %4 %5\n"));
  const ArtifactImage &image = artifact.images.at(0);
  ASSERT_GE(image.steps.size(), 2U);
  EXPECT_TRUE(image.steps[0].cuda->persistent);
  EXPECT_FALSE(image.steps[1].cuda->persistent);
}

TEST(Cuda, EmptyBatches) {
  EXPECT_TRUE(compiled(problemOf("fprop", 0, 64, 64, 14, 3, 14, 1, 1)).images.at(0).steps.empty());
  // Nothing is summed, and zeros must be written.
  Artifact artifact = compiled(problemOf("wgrad", 0, 64, 64, 14, 3, 14, 1, 1));
  ASSERT_EQ(artifact.images.at(0).steps.size(), 1u);
  EXPECT_EQ(artifact.images[0].steps[0].cuda->tensorMaps.size(), 1u);
  EXPECT_FALSE(has(ptxOf(artifact), "wgmma.mma_async"));
}

TEST(Cuda, SaysWhatItDoesNotDo) {
  auto refusal = [](const std::string &problem) {
    Expected<CompileOutput> output = compile(requestOf(problem));
    EXPECT_FALSE(output.ok()) << problem;
    EXPECT_EQ(output.status().code(), StatusCode::Unsupported) << output.status().message();
    return output.status().message();
  };
  EXPECT_THAT(refusal(problemOf("fprop", 2, 64, 64, 14, 3, 14, 1, 1, "f32")), HasSubstr("bf16 or all are f16"));
  EXPECT_THAT(refusal("conv.v1 fprop n2 c64 k64 g2 in14 f3 out14 s1 d1 p1 x:nhgc:bf16 w:gkrc:bf16 y:npgk:bf16 acc:f32"),
              HasSubstr("groups"));
}

/// ptxas's report on `ptx`, or nullopt where it is not installed.
std::optional<std::string> assemble(const std::string &ptx) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0)
    return std::nullopt;
  std::string stem = testing::TempDir() + "orzo_cuda_test_" + std::to_string(getpid());
  std::ofstream(stem + ".ptx") << ptx;
  std::string command = "ptxas -v -arch=sm_90a " + stem + ".ptx -o " + stem + ".cubin > " + stem + ".log 2>&1";
  int code = std::system(command.c_str());
  std::stringstream report;
  report << std::ifstream(stem + ".log").rdbuf();
  for (const char *ending : {".ptx", ".cubin", ".log"})
    std::remove((stem + ending).c_str());
  return (code == 0 ? "" : "ptxas failed\n") + report.str();
}

TEST(Cuda, AssemblesWithoutSpillsAndAdvisories) {
  std::vector<std::pair<std::string, std::string>> kernels = {
      {seedProblem, ""},
      {problemOf("fprop", 4, 128, 192, 28, 3, 28, 1, 1), ""},
      {problemOf("dgrad", 4, 128, 72, 57, 3, 29, 2, 1, "f16"), ""},
      {problemOf("dgrad", 4, 64, 128, 28, 1, 14, 2, 0), ""},
      {problemOf("dgrad", 4, 64, 128, 28, 2, 14, 2, 0), ""},
      {problemOf("dgrad", 1, 64, 64, 36, 6, 6, 6, 0), ""}, // More phases than maps: stored by predicate.
      {problemOf("wgrad", 4, 64, 64, 28, 3, 28, 1, 1),
       "sm_90a tile 64x256 beside stages 4 buffers 2 splits 6 group 8 lead 2"}};
  for (const char *tile : {"256x128", "128x192", "128x128", "256x64", "128x64"})
    for (const char *direction : {"fprop", "dgrad", "wgrad"})
      kernels.push_back({problemOf(direction, 4, 256, 256, 28, 3, 28, 1, 1),
                         std::string("sm_90a tile ") + tile + " stacked stages 4 buffers 1 splits 2 group 8 lead 3"});
  for (const char *direction : {"fprop", "dgrad", "wgrad"})
    kernels.push_back({problemOf(direction, 4, 256, 256, 28, 3, 28, 1, 1),
                       "sm_90a tile 256x192 stacked stages 3 buffers 1 splits 1 group 8 lead 2"});
  for (const auto &[rule, problem] : gatheredProblems)
    kernels.push_back({problem, ""});
  for (const char *tile : {"128x256", "256x128"})
    for (const char *direction : {"fprop", "dgrad", "wgrad"})
      kernels.push_back(
          {problemOf(direction, 4, 255, 252, 28, 3, 28, 1, 1),
           std::string("sm_90a tile ") + tile + " stacked stages 4 buffers 1 splits 2 group 8 gather both"});
  std::vector<std::string> fused = {graphOf(), graphOf("%5 = gelu_fwd(%4) 25088:1:1 :f32\noutput %5\n"),
                                    graphOf("%5 = gelu_fwd(%4) 25088:1:1 :bf16\noutput %5\n")};
  for (const std::string &graph : fused)
    kernels.push_back({graph, ""});
  for (const char *tile : {"128x256", "256x192", "256x128", "128x128"}) // Most accumulators, most columns.
    kernels.push_back({graphOf(), std::string("sm_90a tile ") + tile + " stacked stages 3 buffers 1 splits 1 group 8"});
  for (const auto &[steps, launches] : nestGraphs) {
    std::optional<std::string> report = assemble(ptxOf(compiled("graph.v1\n" + steps)));
    if (!report)
      break;
    EXPECT_THAT(*report, Not(HasSubstr("ptxas failed"))) << steps;
    EXPECT_FALSE(std::regex_search(*report, std::regex("[1-9][0-9]* bytes (stack|spill)"))) << steps << *report;
  }
  for (auto &[problem, plan] : kernels) {
    std::optional<std::string> report = assemble(ptxOf(compiled(problem, plan)));
    if (!report)
      GTEST_SKIP() << "ptxas is not installed";
    std::string what = problem + " " + plan + "\n" + *report;
    EXPECT_THAT(*report, Not(HasSubstr("ptxas failed"))) << what;
    EXPECT_THAT(*report, Not(HasSubstr("C75"))) << what;
    EXPECT_FALSE(std::regex_search(*report, std::regex("[1-9][0-9]* bytes (stack|spill)"))) << what;
    EXPECT_THAT(*report, HasSubstr("Used 168 registers")) << what;
  }
}

} // namespace
} // namespace orzo
