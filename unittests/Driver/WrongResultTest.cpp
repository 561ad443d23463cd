// A kernel of another problem in a sound artifact: every report must call it wrong, and never time it.
#include "Driver/ArtifactRun.h"
#include "Driver/Compilation.h"
#include "orzo/Spec/Canonical.h"

#include "gtest/gtest.h"

using namespace orzo;
using namespace orzo::driver;

namespace {

constexpr const char *problem =
    "conv.v1 dgrad n2 c4 k8 g1 in9x9 f3x3 out5x5 s2x2 d1x1 p1x1 x:nhwc:bf16 w:krsc:bf16 y:npqk:bf16 acc:f32";
constexpr const char *flippedProblem =
    "conv.v1 dgrad n2 c4 k8 g1 in9x9 f3~x3~ out5x5 s2x2 d1x1 p1x1 x:nhwc:bf16 w:krsc:bf16 y:npqk:bf16 acc:f32";

/// The artifact of `problem`, its text replaced by `claim`.
std::vector<uint8_t> artifactClaiming(const std::string &claim) {
  Job job;
  job.name = "<test>";
  job.spec = *parseConvSpec(problem);
  CompileSettings settings;
  settings.useCache = false;
  Expected<Compiled> compiled = compileJob(job, settings);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  Expected<Artifact> artifact = parseArtifact(compiled->bytes);
  EXPECT_TRUE(artifact.ok()) << artifact.status().message();
  EXPECT_EQ(artifact->problem, problem);
  artifact->problem = claim;
  return serialise(*artifact);
}

ProblemReport run(const std::string &claim, VerifyMode mode, DataKind data) {
  RunSettings settings;
  settings.verify = mode;
  settings.data = data;
  settings.timing.iterations = 1;
  ProblemReport report;
  Status status = runArtifact(artifactClaiming(claim), settings, report);
  EXPECT_TRUE(status.ok()) << status.message();
  return report;
}

} // namespace

TEST(WrongResult, IsFoundByEveryModeAndNotTimed) {
  for (VerifyMode mode : {VerifyMode::Full, VerifyMode::Project, VerifyMode::Sample, VerifyMode::Auto})
    for (DataKind data : {DataKind::Random, DataKind::Integer}) {
      ProblemReport right = run(problem, mode, data);
      EXPECT_EQ(right.status, "ok") << name(mode) << " " << right.message;
      EXPECT_EQ(right.time.iterations, 1);
      ProblemReport wrong = run(flippedProblem, mode, data);
      EXPECT_EQ(wrong.status, "wrong") << name(mode) << " " << name(data);
      EXPECT_EQ(wrong.time.iterations, 0);
      EXPECT_FALSE(wrong.message.empty());
    }
}

TEST(WrongResult, BindingsThatDoNotFitAreRefused) {
  RunSettings settings;
  ProblemReport report;
  std::string larger = problem;
  larger.replace(larger.find("n2"), 2, "n3");
  Status status = runArtifact(artifactClaiming(larger), settings, report);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("does not fit"), std::string::npos) << status.message();
}

TEST(WrongResult, CountersComeFromTheProgram) {
  ProblemReport report = run(problem, VerifyMode::Full, DataKind::Integer);
  EXPECT_EQ(report.flopsExecuted - report.flopsPadding, report.flopsUseful);
  EXPECT_EQ(report.dispatchNames.size(), 1u);
  EXPECT_EQ(report.fills + report.copies + report.transposes, 0);
  EXPECT_EQ(report.kernelHash.size(), 64u);
}
