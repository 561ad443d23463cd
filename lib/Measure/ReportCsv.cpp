#include "Measure/Report.h"

#include <charconv>

namespace orzo {

namespace {

std::string number(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}
std::string number(int64_t value) { return std::to_string(value); }

/// RFC 4180: quoted where it must be, quotes doubled; line breaks become spaces so that a row is a line.
std::string field(std::string_view text) {
  std::string out;
  bool quote = false;
  for (char letter : text) {
    quote = quote || letter == ',' || letter == '"';
    if (letter == '"')
      out += '"';
    out += letter == '\n' || letter == '\r' ? ' ' : letter;
  }
  return quote ? '"' + out + '"' : out;
}

std::string joined(const std::vector<std::string> &texts) {
  std::string out;
  for (const std::string &text : texts)
    out += (out.empty() ? "" : ";") + text;
  return out;
}

struct Column {
  const char *name;
  std::string (*value)(const ProblemReport &);
};

using R = const ProblemReport &;
const Column columns[] = {
    {"input", [](R r) { return r.input; }},
    {"problem", [](R r) { return r.problem; }},
    {"direction", [](R r) { return r.direction; }},
    {"lowering", [](R r) { return r.lowering; }},
    {"target", [](R r) { return r.target; }},
    {"isa", [](R r) { return r.isa; }},
    {"threads", [](R r) { return number(int64_t(r.threads)); }},
    {"plan", [](R r) { return r.plan; }},
    {"kernel_hash", [](R r) { return r.kernelHash; }},
    {"flops_useful", [](R r) { return number(r.flopsUseful); }},
    {"flops_padding", [](R r) { return number(r.flopsPadding); }},
    {"flops_executed", [](R r) { return number(r.flopsExecuted); }},
    {"flops_tile", [](R r) { return number(r.flopsTile); }},
    {"bytes_min", [](R r) { return number(r.bytesMin); }},
    {"dispatches", [](R r) { return number(int64_t(r.dispatchNames.size())); }},
    {"dispatch_names", [](R r) { return joined(r.dispatchNames); }},
    {"fills", [](R r) { return number(r.fills); }},
    {"copies", [](R r) { return number(r.copies); }},
    {"transposes", [](R r) { return number(r.transposes); }},
    {"workspace_bytes", [](R r) { return number(r.workspaceBytes); }},
    {"compile_ms", [](R r) { return number(r.compileMs); }},
    {"load_ms", [](R r) { return number(r.loadMs); }},
    {"cached", [](R r) { return std::string(r.cached ? "true" : "false"); }},
    {"min_ns", [](R r) { return number(r.time.min); }},
    {"median_ns", [](R r) { return number(r.time.median); }},
    {"mean_ns", [](R r) { return number(r.time.mean); }},
    {"p95_ns", [](R r) { return number(r.time.p95); }},
    {"stddev_ns", [](R r) { return number(r.time.stddev); }},
    {"iterations", [](R r) { return number(r.time.iterations); }},
    {"gflops", [](R r) { return number(r.gflops()); }},
    {"of_peak", [](R r) { return r.ofPeak() ? number(*r.ofPeak()) : std::string(); }},
    {"peak_gflops", [](R r) { return r.peak ? number(r.peak->gflops) : std::string(); }},
    {"verify", [](R r) { return r.verification.status; }},
    {"verify_mode", [](R r) { return r.verification.mode; }},
    {"error", [](R r) { return number(r.verification.error); }},
    {"bound", [](R r) { return number(r.verification.bound); }},
    {"poison", [](R r) { return r.verification.poison; }},
    {"notes", [](R r) { return joined(r.notes); }},
    {"status", [](R r) { return r.status; }},
    {"message", [](R r) { return r.message; }},
};

} // namespace

std::string csvHeader() {
  std::string line;
  for (const Column &column : columns)
    line += (line.empty() ? "" : ",") + std::string(column.name);
  return line;
}

std::string writeCsv(const ProblemReport &report) {
  std::string line;
  bool first = true;
  for (const Column &column : columns) {
    line += (first ? "" : ",") + field(column.value(report));
    first = false;
  }
  return line;
}

} // namespace orzo
