#include "Driver/Compilation.h"
#include "Driver/Explain.h"
#include "Driver/OptionBinding.h"
#include "Runtime/CPU/Isa.h"

#include "gtest/gtest.h"

using namespace orzo;
using namespace orzo::driver;

namespace {

/// Parses the words of a command "c" with every shared option; the exit code, or 0.
int parse(SharedOptions &options, std::vector<std::string> words) {
  CLI::App app("", "test");
  bindShared(*app.add_subcommand("c", ""), options, {});
  words.insert(words.begin(), "c");
  return parseWords(app, words).value_or(0);
}

} // namespace

TEST(Options, Defaults) {
  SharedOptions options;
  ASSERT_EQ(parse(options, {}), 0);
  EXPECT_EQ(options.target, "cpu");
  EXPECT_EQ(options.threads, 0);
  EXPECT_EQ(options.format, ReportFormat::Text);
  EXPECT_FALSE(options.verify || options.data || options.iterations || options.warmup || options.cacheDirectory);
  EXPECT_FALSE(options.quiet || options.noCache || options.noFallback);
}

TEST(Options, Everything) {
  SharedOptions options;
  ASSERT_EQ(parse(options, {"--target=cpu:avx2",
                            "--threads=3",
                            "--format",
                            "json",
                            "--verify=project",
                            "--data=integer",
                            "--seed=9",
                            "--iter=4",
                            "--warmup=0",
                            "--no-fallback",
                            "--strict-rounding",
                            "--force-lowering=implicit",
                            "--stop-after=conv",
                            "--dump-ir=d",
                            "--tuning=t",
                            "--cache-dir=c",
                            "--no-cache",
                            "--max-flops=2G",
                            "--max-bytes=1e6",
                            "--timeout=1.5",
                            "--quiet",
                            "--color=never",
                            "a.txt",
                            "b.mlir"}),
            0);
  EXPECT_EQ(options.target, "cpu:avx2");
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.format, ReportFormat::Json);
  EXPECT_EQ(options.verify, VerifyMode::Project);
  EXPECT_EQ(options.data, DataKind::Integer);
  EXPECT_EQ(options.seed, 9u);
  EXPECT_EQ(options.iterations, 4);
  EXPECT_EQ(options.warmup, 0);
  EXPECT_EQ(options.maxFlops, 2e9);
  EXPECT_EQ(options.maxBytes, 1e6);
  EXPECT_EQ(options.timeoutSeconds, 1.5);
  EXPECT_EQ(options.cacheDirectory, "c");
  EXPECT_EQ(options.tuning, "t");
  EXPECT_EQ(options.words.inputs, (std::vector<std::string>{"a.txt", "b.mlir"}));
  EXPECT_FALSE(options.color);
}

TEST(Options, BadValues) {
  for (const char *word : {"--threads=0", "--threads=1025", "--threads=x", "--format=xml", "--verify=no", "--data=zero",
                           "--seed=-1", "--iter=0", "--warmup=-1", "--max-flops=x", "--max-flops=-1",
                           "--max-bytes=", "--max-bytes=1Q", "--timeout=-1", "--color=red", "--nonsense", "-F"}) {
    SharedOptions options;
    EXPECT_EQ(parse(options, {word}), 2) << word;
  }
}

TEST(Options, Caps) {
  ConvSpec spec = channelsLast(Direction::FProp, 1, 4, 4, 1, {{8, 3, 6, 1, 1, 0, false}}, DataType::F32);
  ProblemReport report;
  report.flopsUseful = spec.flopsUseful();
  report.bytesMin = spec.byteCount(Role::X) + spec.byteCount(Role::W) + spec.byteCount(Role::Y);
  SharedOptions options;
  EXPECT_FALSE(overCap(report, options));
  options.maxFlops = double(report.flopsUseful);
  options.maxBytes = double(report.bytesMin);
  EXPECT_FALSE(overCap(report, options));
  options.maxFlops = double(report.flopsUseful - 1);
  EXPECT_TRUE(overCap(report, options));
  options.maxFlops.reset();
  options.maxBytes = *options.maxBytes - 1;
  EXPECT_TRUE(overCap(report, options));
}

TEST(Options, Targets) {
  Expected<std::string> resolved = resolveTarget("cpu");
  if (Expected<Isa> isa = detectIsa())
    EXPECT_EQ(*resolved, "cpu:" + std::string(name(*isa)));
  EXPECT_EQ(*resolveTarget("cpu:avx2,avx512"), "cpu:avx2,avx512");
  EXPECT_EQ(*resolveTarget("cuda:sm_90a"), "cuda:sm_90a");
  EXPECT_EQ(*resolveTarget("cpu:avx2+cuda:sm_90a"), "cpu:avx2+cuda:sm_90a");
  EXPECT_EQ(resolveTarget("tpu").status().code(), StatusCode::InvalidArgument);
}

TEST(Explain, ViewsNameTheUsersTensors) {
  // A convolution over the whole of x is a matrix product; its wgrad is the same product under other names.
  ConvSpec spec =
      channelsLast(Direction::DGrad, 2, 3, 5, 1, {{1, 1, 1, 1, 1, 0, false}, {8, 2, 4, 2, 1, 0, false}}, DataType::F32);
  std::vector<std::string> lines = describeViews(spec);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "x is the user's x, its nwc read as nhc (nhwc in the input)");
  EXPECT_EQ(lines[1], "w is the user's w, its ksc read as krc (krsc in the input)");
  EXPECT_EQ(lines[2], "y is the user's y, its nqk read as npk (npqk in the input)");
}
