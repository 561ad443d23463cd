// Report: everything orzo says about one problem after a run, and the five forms it is written in.
#pragma once

#include "Measure/Timing.h"
#include "Measure/Verification.h"
#include "orzo/Spec/ConvSpec.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orzo {

enum class ReportFormat : uint8_t { Text, Json, Csv, Miopen, Markdown };

/// "text", "json", "csv", "miopen", "markdown".
std::string_view name(ReportFormat format);
/// The reverse; InvalidArgument lists the five.
Expected<ReportFormat> parseReportFormat(std::string_view text);

/// The measured peak that a speed is compared with.
struct PeakReport {
  double gflops = 0;
  std::string instruction; ///< "vdpbf16ps", "vfmadd231ps ymm" ...
  /// Empty when the peak is trusted, else why not; then no percentage is printed.
  std::string distrust;
};

struct ProblemReport {
  std::string input;                ///< As the user spelled it.
  std::optional<ConvSpec> userSpec; ///< The user's problem before canonicalisation: its dims by the user's names.
  std::string problem;              ///< Canonical text.
  std::string direction;            ///< The user's word.
  std::string lowering, reason;     ///< Which, and why in one sentence.
  std::string target = "cpu", isa;
  int threads = 0;
  std::string plan, kernelHash;
  int64_t flopsUseful = 0, flopsPadding = 0, flopsExecuted = 0, flopsTile = 0;
  int64_t bytesMin = 0; ///< Every tensor's bytes once.
  std::vector<std::string> dispatchNames;
  int64_t fills = 0, copies = 0, transposes = 0;
  int64_t workspaceBytes = 0; ///< Per-thread scratch included.
  double compileMs = 0, loadMs = 0;
  bool cached = false;
  TimeStatistics time; ///< iterations 0: not timed.
  std::optional<PeakReport> peak;
  VerifyResult verification;
  std::vector<std::string> notes;
  /// "ok", "wrong", "invalid", "unsupported", "unavailable", "internal", "skipped" or "timeout".
  std::string status = "ok";
  std::string message;

  /// Useful GFLOP/s at the median time; 0 when not timed.
  double gflops() const;
  /// gflops() over a trusted peak; nullopt without one.
  std::optional<double> ofPeak() const;
};

/// `status` and `message` from a verification: "wrong" when it failed.
void setOutcome(ProblemReport &report);
/// `status` and `message` from a failure.
void setOutcome(ProblemReport &report, const Status &failure);

/// One JSON object on one line, without the newline; the keys and their order are a promise. of_peak and peak are null
/// without a (trusted) peak; an infinite error is null too.
std::string writeJson(const ProblemReport &report);

/// The column names, and one row, without newlines. Lists are joined by ';'.
std::string csvHeader();
std::string writeCsv(const ProblemReport &report);

/// The two header lines of the table, and one row of it, without the last newline.
std::string markdownHeader();
std::string writeMarkdown(const ProblemReport &report);

/// For people: several aligned lines, each ended by a newline; `color` adds ANSI colours to the outcome.
std::string writeText(const ProblemReport &report, bool color);

/// The lines MIOpen's driver prints after a run, each ended by a newline, so that scripts reading them keep working.
/// Needs userSpec. Byte counts are those of the tensors read and written. A report without a result is one line,
/// "<status>: <message>".
std::string writeMiopen(const ProblemReport &report);

/// The problem in words, one line: "input backward (dgrad) of a 2-D convolution, N 16, C 2048 ...".
std::string describe(const ConvSpec &spec);

} // namespace orzo
