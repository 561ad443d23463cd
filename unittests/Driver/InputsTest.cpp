#include "Driver/Inputs.h"
#include "Driver/InputFile.h"

#include "gtest/gtest.h"

#include <cstdio>

using namespace orzo;
using namespace orzo::driver;

namespace {

std::string temporaryFile(const std::string &name, const std::string &contents) {
  std::string path = testing::TempDir() + "orzo-inputs-" + name;
  EXPECT_TRUE(writeOutputFile(path, contents).ok());
  return path;
}

std::vector<Job> jobsOf(const std::string &input) {
  InputWords words;
  words.inputs = {input};
  return readInputs(words);
}

} // namespace

TEST(Inputs, MaskIsSeveralJobs) {
  std::vector<Job> jobs = jobsOf("conv -n 1 -c 4 -H 8 -W 8 -k 4 -F 0");
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].direction, "fprop");
  EXPECT_EQ(jobs[1].direction, "dgrad");
  EXPECT_EQ(jobs[2].direction, "wgrad");
  for (const Job &job : jobs) {
    EXPECT_TRUE(job.failure.ok());
    EXPECT_EQ(job.kind, Job::Kind::Problem);
    EXPECT_EQ(job.input, "conv -n 1 -c 4 -H 8 -W 8 -k 4 -F 0");
  }
}

TEST(Inputs, WrittenOptionsOnly) {
  std::vector<Job> jobs = jobsOf("conv -n 1 -c 4 -H 8 -W 8 -k 4 -F 1");
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_FALSE(jobs[0].written.iterations);
  EXPECT_FALSE(jobs[0].written.verify);
  jobs = jobsOf("conv -n 1 -c 4 -H 8 -W 8 -k 4 -F 1 -i 7 -V 0");
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].written.iterations, 7);
  EXPECT_EQ(jobs[0].written.verify, false);
}

TEST(Inputs, DriverCommandIsTakenVerbatim) {
  InputWords words;
  words.hasDriverCommand = true;
  words.driverCommand = {"conv", "-n", "1", "-c", "4", "-H", "8", "-W", "8", "-k", "4", "-F", "1"};
  std::vector<Job> jobs = readInputs(words);
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].input, "conv -n 1 -c 4 -H 8 -W 8 -k 4 -F 1");
  EXPECT_EQ(jobs[0].spec->c, 4);
}

TEST(Inputs, FileLinesKeepTheirPlace) {
  std::string path = temporaryFile("lines.txt", "# first\n\nconv -F 1\nnonsense -F 1\nconv -F 2\n");
  std::vector<Job> jobs = jobsOf(path);
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].name, path + ":3");
  EXPECT_EQ(jobs[1].failure.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(jobs[1].failure.message().rfind(path + ":4: ", 0), 0u) << jobs[1].failure.message();
  EXPECT_EQ(jobs[2].direction, "dgrad");
}

TEST(Inputs, KindsByName) {
  EXPECT_EQ(jobsOf(temporaryFile("p.mlir", "anything")).at(0).kind, Job::Kind::Mlir);
  std::vector<Job> jobs = jobsOf(temporaryFile("p.orzo", std::string("ORZO\0\1", 6)));
  EXPECT_EQ(jobs.at(0).kind, Job::Kind::Artifact);
  EXPECT_EQ(jobs.at(0).artifact.size(), 6u);
  EXPECT_EQ(jobsOf("conv -h").at(0).kind, Job::Kind::Help);
}

TEST(Inputs, CanonicalTextIsAnInput) {
  std::vector<Job> jobs = jobsOf("conv.v1 fprop n4 c3 k5 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32");
  ASSERT_EQ(jobs.size(), 1u);
  ASSERT_TRUE(jobs[0].failure.ok()) << jobs[0].failure.message();
  EXPECT_EQ(jobs[0].spec->k, 5);
  EXPECT_EQ(jobsOf("conv.v1 fprop n4").at(0).failure.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(jobsOf("conv.v1 fprop n4 c3 k5 g0 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32").at(0).failure.code(),
            StatusCode::InvalidArgument);
}

TEST(Inputs, GraphsInAnyOrderOfTheirLinesAreOneProblem) {
  std::string first = "graph.v1\n%0 = input 4:f32\n%1 = input 4:bf16\n%2 = sub(%0, %1) 4:1:1:1 :f32\noutput %2\n";
  std::string second = "graph.v1\n%0 = input 4:bf16\n%1 = input 4:f32\n%2 = sub(%1, %0) 4:1:1:1 :f32\noutput %2\n";
  std::vector<Job> one = jobsOf(temporaryFile("g.graph", first)), other = jobsOf(second);
  ASSERT_EQ(one.size(), 1u);
  ASSERT_TRUE(one[0].failure.ok()) << one[0].failure.message();
  EXPECT_EQ(one[0].kind, Job::Kind::Graph);
  EXPECT_EQ(one[0].direction, "graph");
  EXPECT_EQ(text(*one[0].graph), text(*other[0].graph));
  // A graph that is one convolution is that problem.
  std::string conv = "conv.v1 fprop n2 c4 k8 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32";
  std::vector<Job> alone =
      jobsOf("graph.v1\n%0 = input 8:f32\n%1 = input 32:f32\n%2 = " + conv + " (%0, %1)\noutput %2\n");
  EXPECT_EQ(alone[0].kind, Job::Kind::Problem) << alone[0].failure.message();
  std::vector<Job> bad = jobsOf("graph.v1\n%0 = input banana\noutput %0\n");
  EXPECT_EQ(bad[0].failure.code(), StatusCode::InvalidArgument);
}

TEST(Inputs, Failures) {
  EXPECT_EQ(readInputs({}).at(0).failure.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(jobsOf("/nonexistent/file.txt").at(0).failure.code(), StatusCode::Unavailable);
  EXPECT_EQ(jobsOf("/nonexistent/file.orzo").at(0).failure.code(), StatusCode::Unavailable);
  EXPECT_EQ(jobsOf(temporaryFile("file.other", "conv\n")).at(0).failure.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(jobsOf("frobnicate").at(0).failure.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(jobsOf("layernorm -n 3").at(0).failure.code(), StatusCode::Unsupported);
  EXPECT_EQ(jobsOf(temporaryFile("empty.txt", "\n# nothing\n")).at(0).failure.code(), StatusCode::InvalidArgument);
}

TEST(InputFile, Errors) {
  EXPECT_EQ(readInputFile(testing::TempDir()).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(readInputFile("/nonexistent/x").status().code(), StatusCode::Unavailable);
  EXPECT_EQ(writeOutputFile("/nonexistent/x", "a").code(), StatusCode::Unavailable);
  std::string bytes("a\0b\xff", 4);
  EXPECT_EQ(*readInputFile(temporaryFile("bytes", bytes)), bytes);
}
