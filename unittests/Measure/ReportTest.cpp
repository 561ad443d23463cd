#include "Measure/Report.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace orzo;
using testing::HasSubstr;
using testing::Not;

namespace {

/// The report of the 16x512x2048 stride-2 dgrad.
ProblemReport sample() {
  ProblemReport report;
  report.input = "convbfp16 -n 16, \"quoted\"";
  SpatialDim h, w = {.in = 512, .filter = 2, .out = 256, .stride = 2};
  report.userSpec = channelsLast(Direction::DGrad, 16, 2048, 2048, 1, {h, w}, DataType::BF16);
  report.problem = "conv.v1 dgrad n16";
  report.direction = "dgrad";
  report.lowering = "contract";
  report.reason = "filter equals stride";
  report.isa = "avx2";
  report.threads = 2;
  report.plan = "avx2 6x16";
  report.kernelHash = std::string(64, 'a');
  report.flopsUseful = report.flopsExecuted = 68719476736;
  report.bytesMin = 67108864;
  report.dispatchNames = {"contract_4096x4096x2048_bf16"};
  report.compileMs = 212.5;
  report.time = {
      .min = 600'000'000, .median = 687'194'767, .mean = 700'000'000, .p95 = 800'000'000, .stddev = 5, .iterations = 3};
  report.peak = PeakReport{200, "vfmadd231ps ymm", ""};
  report.verification = {.status = "ok", .mode = "project+sample", .error = 0.25, .bound = 0.5, .compared = 12288};
  report.notes = {"-t has no effect: orzo always times"};
  return report;
}

TEST(ReportJson, KeysAreStable) {
  auto object = nlohmann::ordered_json::parse(writeJson(sample()));
  std::vector<std::string> keys, verifyKeys, timeKeys;
  for (auto &[key, value] : object.items())
    keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("input", "problem", "direction", "lowering", "target", "isa", "threads",
                                         "plan", "kernel_hash", "flops_useful", "flops_padding", "flops_executed",
                                         "flops_tile", "bytes_min", "dispatches", "dispatch_names", "fills", "copies",
                                         "transposes", "workspace_bytes", "compile_ms", "load_ms", "cached", "time_ns",
                                         "gflops", "of_peak", "peak", "verify", "notes", "status", "message"));
  for (auto &[key, value] : object["time_ns"].items())
    timeKeys.push_back(key);
  EXPECT_THAT(timeKeys, testing::ElementsAre("min", "median", "mean", "p95", "stddev", "iterations"));
  for (auto &[key, value] : object["verify"].items())
    verifyKeys.push_back(key);
  EXPECT_THAT(verifyKeys, testing::ElementsAre("status", "mode", "error", "bound", "poison"));
  EXPECT_EQ(object["dispatches"], 1);
  EXPECT_EQ(object["dispatch_names"].dump(), "[\"contract_4096x4096x2048_bf16\"]");
  EXPECT_NEAR(object["gflops"].get<double>(), 100, 1e-6);
  EXPECT_NEAR(object["of_peak"].get<double>(), 0.5, 1e-8);
  EXPECT_EQ(object["verify"]["error"], 0.25);
}

TEST(ReportJson, OneLineWhateverTheText) {
  ProblemReport report = sample();
  report.message = "two\nlines and a byte that is no UTF-8: \xff";
  report.verification.error = std::numeric_limits<double>::infinity();
  std::string line = writeJson(report);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(line)["verify"]["error"].is_null());
}

TEST(ReportJson, NoPercentOfAnUntrustedPeak) {
  ProblemReport report = sample();
  report.peak->distrust = "sustained 0.7 of two FMAs a clock";
  EXPECT_TRUE(nlohmann::json::parse(writeJson(report))["of_peak"].is_null());
  EXPECT_THAT(writeText(report, false), HasSubstr("the peak is not trusted: sustained 0.7"));
  EXPECT_THAT(writeText(report, false), Not(HasSubstr("%")));
  report.peak.reset();
  EXPECT_TRUE(nlohmann::json::parse(writeJson(report))["peak"].is_null());
}

/// Fields of one CSV line.
std::vector<std::string> fieldsOf(const std::string &line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  return fields;
}

TEST(ReportCsv, RowsMatchTheHeader) {
  std::vector<std::string> header = fieldsOf(csvHeader()), row = fieldsOf(writeCsv(sample()));
  ASSERT_EQ(header.size(), row.size());
  auto value = [&](const char *column) {
    return row[std::find(header.begin(), header.end(), column) - header.begin()];
  };
  EXPECT_EQ(value("input"), "convbfp16 -n 16, \"quoted\"");
  EXPECT_EQ(value("median_ns"), "687194767");
  EXPECT_EQ(value("verify_mode"), "project+sample");
  EXPECT_EQ(value("status"), "ok");
}

TEST(ReportMarkdown, RowsHaveTheHeadersCells) {
  ProblemReport report = sample();
  report.problem = "a|b";
  auto bars = [](std::string_view line) {
    int count = 0;
    for (size_t i = 0; i < line.size(); ++i)
      count += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    return count;
  };
  std::string header = markdownHeader();
  EXPECT_EQ(bars(header.substr(0, header.find('\n'))), bars(writeMarkdown(report)));
  EXPECT_EQ(bars(header.substr(header.find('\n'))), bars(writeMarkdown(report)));
  EXPECT_THAT(writeMarkdown(report), HasSubstr("50.0 %"));
}

TEST(ReportMiopen, PrintsTheDriversLinesWithTheRightBytes) {
  // Read: w 2048*2*2048 and dy 16*256*2048 elements of 2 bytes; written: dx 16*512*2048.
  EXPECT_EQ(writeMiopen(sample()),
            "GPU Kernel Time Backward Data Conv. Elapsed: 700.000000 ms (average)\n"
            "stats: name, n, c, ho, wo, y, x, k, flopCnt, bytesRead, bytesWritten, GFLOPs, GB/s, timeMs\n"
            "stats: bwdd-conv1x2u1, 16, 2048, 1, 256, 1, 2, 2048, 68719476736, 33554432, 33554432, 98, 0, 700.000000\n"
            "Backward Convolution Data Verifies OK on CPU reference (0.25 < 0.5)\n");
}

TEST(ReportMiopen, ThreeDimsAndFailures) {
  ProblemReport report = sample();
  SpatialDim dim = {.in = 4, .filter = 3, .out = 2};
  report.userSpec = channelsLast(Direction::WGrad, 2, 4, 6, 2, {dim, dim, dim}, DataType::F32);
  report.verification.status = "failed";
  report.verification.error = 2;
  setOutcome(report);
  std::string lines = writeMiopen(report);
  EXPECT_THAT(lines, HasSubstr("stats: name, n, c, do, ho, wo, z, y, x, k, flopCnt"));
  // 2 * N2 * C/g 2 * K6 * 27 taps * 8 outputs; x 2*64*4 and y 2*8*6 floats read, w 6*27*2 floats written
  EXPECT_THAT(lines, HasSubstr("stats: bwdw-conv3x3x3u1, 2, 4, 2, 2, 2, 3, 3, 3, 6, 10368, 2432, 1296,"));
  EXPECT_THAT(lines, HasSubstr("Backward Convolution Weights FAILED: 2 > 0.5"));
  EXPECT_EQ(report.status, "wrong");
  setOutcome(report, Status::unsupported("no such thing"));
  EXPECT_EQ(writeMiopen(report), "unsupported: no such thing\n");
}

TEST(ReportText, SaysWhatAPersonAsks) {
  std::string text = writeText(sample(), false);
  EXPECT_THAT(text, HasSubstr("input backward (dgrad) of a 2-D convolution, N 16, C 2048, K 2048, input 1x512, filter "
                              "1x2, output 1x256, stride 1x2; x nhwc bf16, w krsc bf16, y npqk bf16\n"));
  EXPECT_THAT(text, HasSubstr("contract: filter equals stride\n"));
  EXPECT_THAT(text, HasSubstr("1 dispatch (contract_4096x4096x2048_bf16), no fills, no copies, no transposes; "
                              "workspace 0 B\n"));
  EXPECT_THAT(text, HasSubstr("68.72 GFLOP useful, 68.72 GFLOP executed (none wasted)"));
  EXPECT_THAT(text, HasSubstr("median 687.195 ms"));
  EXPECT_THAT(text, HasSubstr("100.0 GFLOP/s, at least 0.1 GB/s, 50.0 % of the measured peak 200.0 GFLOP/s"));
  EXPECT_THAT(text, HasSubstr("ok (project+sample, 12288 comparisons): worst error 0.25 where 0.5 is allowed"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(writeText(sample(), true), HasSubstr("\033[32mok\033[0m"));
}

TEST(ReportText, ShowsWaste) {
  ProblemReport report = sample();
  report.flopsExecuted *= 2;
  report.copies = 1;
  std::string text = writeText(report, false);
  EXPECT_THAT(text, HasSubstr("68.72 GFLOP on inserted zeros"));
  EXPECT_THAT(text, Not(HasSubstr("none wasted")));
  EXPECT_THAT(text, HasSubstr("1 copy"));
}

TEST(ReportFormat, NamesRoundTrip) {
  for (ReportFormat format :
       {ReportFormat::Text, ReportFormat::Json, ReportFormat::Csv, ReportFormat::Miopen, ReportFormat::Markdown})
    EXPECT_EQ(*parseReportFormat(name(format)), format);
  EXPECT_EQ(parseReportFormat("xml").status().code(), StatusCode::InvalidArgument);
}

} // namespace
