#include "Measure/Report.h"

#include <cstdio>

namespace orzo {

/// A cell's text: '|' would end it.
static std::string cell(std::string_view text) {
  std::string out;
  for (char letter : text) {
    if (letter == '|')
      out += '\\';
    out += letter == '\n' ? ' ' : letter;
  }
  return out;
}

static std::string formatted(const char *format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

std::string markdownHeader() {
  return "| problem | lowering | isa | dispatches | fills + copies | GFLOP | median ms | GFLOP/s | of peak | verify | "
         "status |\n"
         "|---|---|---|--:|--:|--:|--:|--:|--:|---|---|";
}

std::string writeMarkdown(const ProblemReport &report) {
  bool timed = report.time.iterations > 0;
  std::string row = "| " + cell(report.problem.empty() ? report.input : report.problem);
  row += " | " + cell(report.lowering) + " | " + cell(report.isa);
  row += " | " + std::to_string(report.dispatchNames.size());
  row += " | " + std::to_string(report.fills + report.copies);
  row += " | " + formatted("%.3f", static_cast<double>(report.flopsUseful) * 1e-9);
  row += " | " + (timed ? formatted("%.4f", static_cast<double>(report.time.median) * 1e-6) : "");
  row += " | " + (timed ? formatted("%.1f", report.gflops()) : "");
  row += " | " + (report.ofPeak() ? formatted("%.1f %%", 100 * *report.ofPeak()) : "");
  row += " | " + cell(report.verification.status) + " (" + cell(report.verification.mode) + ")";
  row += " | " + cell(report.status + (report.message.empty() ? "" : ": " + report.message)) + " |";
  return row;
}

} // namespace orzo
