#include "Measure/Report.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace orzo {

std::string_view name(ReportFormat format) {
  switch (format) {
  case ReportFormat::Text:
    return "text";
  case ReportFormat::Json:
    return "json";
  case ReportFormat::Csv:
    return "csv";
  case ReportFormat::Miopen:
    return "miopen";
  case ReportFormat::Markdown:
    break;
  }
  return "markdown";
}

Expected<ReportFormat> parseReportFormat(std::string_view text) {
  for (ReportFormat format :
       {ReportFormat::Text, ReportFormat::Json, ReportFormat::Csv, ReportFormat::Miopen, ReportFormat::Markdown})
    if (text == name(format))
      return format;
  return Status::invalidArgument("--format: unknown form '" + std::string(text) +
                                 "'; known are text, json, csv, miopen and markdown");
}

double ProblemReport::gflops() const {
  return time.median > 0 ? static_cast<double>(flopsUseful) / static_cast<double>(time.median) : 0;
}

std::optional<double> ProblemReport::ofPeak() const {
  if (!peak || !peak->distrust.empty() || peak->gflops <= 0 || time.median <= 0)
    return std::nullopt;
  return gflops() / peak->gflops;
}

void setOutcome(ProblemReport &report) {
  report.status = report.verification.failed() ? "wrong" : "ok";
  report.message = report.verification.message;
}

void setOutcome(ProblemReport &report, const Status &failure) {
  report.status = name(failure.code());
  report.message = failure.message();
}

using Json = nlohmann::ordered_json;

static Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::string writeJson(const ProblemReport &report) {
  const TimeStatistics &time = report.time;
  const VerifyResult &verification = report.verification;
  Json peak;
  if (report.peak)
    peak = {{"gflops", finite(report.peak->gflops)},
            {"instruction", report.peak->instruction},
            {"distrust", report.peak->distrust}};
  Json object = {
      {"input", report.input},
      {"problem", report.problem},
      {"direction", report.direction},
      {"lowering", report.lowering},
      {"target", report.target},
      {"isa", report.isa},
      {"threads", report.threads},
      {"plan", report.plan},
      {"kernel_hash", report.kernelHash},
      {"flops_useful", report.flopsUseful},
      {"flops_padding", report.flopsPadding},
      {"flops_executed", report.flopsExecuted},
      {"flops_tile", report.flopsTile},
      {"bytes_min", report.bytesMin},
      {"dispatches", report.dispatchNames.size()},
      {"dispatch_names", report.dispatchNames},
      {"fills", report.fills},
      {"copies", report.copies},
      {"transposes", report.transposes},
      {"workspace_bytes", report.workspaceBytes},
      {"compile_ms", report.compileMs},
      {"load_ms", report.loadMs},
      {"cached", report.cached},
      {"time_ns",
       {{"min", time.min},
        {"median", time.median},
        {"mean", time.mean},
        {"p95", time.p95},
        {"stddev", time.stddev},
        {"iterations", time.iterations}}},
      {"gflops", report.gflops()},
      {"of_peak", report.ofPeak() ? Json(*report.ofPeak()) : Json()},
      {"peak", peak},
      {"verify",
       {{"status", verification.status},
        {"mode", verification.mode},
        {"error", finite(verification.error)},
        {"bound", finite(verification.bound)},
        {"poison", verification.poison}}},
      {"notes", report.notes},
      {"status", report.status},
      {"message", report.message},
  };
  // A path or an argument may hold bytes that are not UTF-8; they must not throw.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace orzo
