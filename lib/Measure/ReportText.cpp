#include "Measure/Report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace orzo {

namespace {

template <typename... Values> std::string formatted(const char *format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

/// With a decimal prefix and three or four digits: "68.72 G".
std::string scaled(double value) {
  const char *prefixes[] = {"", "k", "M", "G", "T", "P"};
  int prefix = 0;
  while (value >= 1000 && prefix < 5) {
    value /= 1000;
    ++prefix;
  }
  return formatted(value == std::floor(value) && prefix == 0 ? "%.0f %s" : "%.4g %s", value, prefixes[prefix]);
}

std::string duration(int64_t nanoseconds) {
  auto value = static_cast<double>(nanoseconds);
  if (value < 1e3)
    return formatted("%.0f ns", value);
  if (value < 1e6)
    return formatted("%.2f us", value * 1e-3);
  return value < 1e9 ? formatted("%.3f ms", value * 1e-6) : formatted("%.3f s", value * 1e-9);
}

std::string counted(int64_t count, const char *noun, const char *plural) {
  return (count == 0 ? "no" : std::to_string(count)) + " " + (count == 1 ? noun : plural);
}

std::string by(const ConvSpec &spec, auto valueOf) {
  std::string text;
  for (const SpatialDim &dim : spec.spatial)
    text += (text.empty() ? "" : "x") + valueOf(dim);
  return text;
}

/// Lines "label      text", the labels in one column.
class Table {
public:
  /// What has lines of its own (a graph) goes on in the text's column.
  void line(const char *label, std::string_view text) {
    while (text.ends_with('\n'))
      text.remove_suffix(1);
    for (bool first = true; first || !text.empty(); first = false) {
      if (first && text.empty())
        return;
      std::string_view one = text.substr(0, text.find('\n'));
      lines += formatted("  %-12s", first ? label : "") + std::string(one) + "\n";
      text.remove_prefix(std::min(text.size(), one.size() + 1));
    }
  }
  std::string lines;
};

std::string workLine(const ProblemReport &report) {
  std::string text = scaled(static_cast<double>(report.flopsUseful)) + "FLOP useful, " +
                     scaled(static_cast<double>(report.flopsExecuted)) + "FLOP executed";
  int64_t wasted = report.flopsExecuted - report.flopsPadding - report.flopsUseful;
  if (report.flopsPadding > 0)
    text += ", of them " + scaled(static_cast<double>(report.flopsPadding)) + "FLOP in padding";
  if (wasted > 0)
    text += ", " + scaled(static_cast<double>(wasted)) + "FLOP on inserted zeros";
  if (report.flopsPadding == 0 && wasted == 0)
    text += " (none wasted)";
  if (report.flopsTile > 0)
    text += "; " + scaled(static_cast<double>(report.flopsTile)) + "FLOP more in tile tails";
  return text + "; tensors of " + scaled(static_cast<double>(report.bytesMin)) + "B";
}

std::string runsAsLine(const ProblemReport &report) {
  std::string names;
  for (const std::string &dispatch : report.dispatchNames)
    names += (names.empty() ? "" : ", ") + dispatch;
  std::string text = counted(static_cast<int64_t>(report.dispatchNames.size()), "dispatch", "dispatches") +
                     (names.empty() ? "" : " (" + names + ")") + ", " + counted(report.fills, "fill", "fills") + ", " +
                     counted(report.copies, "copy", "copies") + ", " +
                     counted(report.transposes, "transpose", "transposes");
  return text + "; workspace " + scaled(static_cast<double>(report.workspaceBytes)) + "B";
}

std::string speedLine(const ProblemReport &report) {
  std::string text = formatted("%.1f GFLOP/s", report.gflops());
  if (report.bytesMin > 0)
    text += formatted(", at least %.1f GB/s",
                      static_cast<double>(report.bytesMin) / static_cast<double>(report.time.median));
  if (!report.peak)
    return text;
  if (std::optional<double> ratio = report.ofPeak())
    return text + formatted(", %.1f %% of the measured peak %.1f GFLOP/s (%s, %d threads)", 100 * *ratio,
                            report.peak->gflops, report.peak->instruction.c_str(), report.threads);
  return text + "; the peak is not trusted: " + report.peak->distrust;
}

std::string verifiedLine(const VerifyResult &verification) {
  if (verification.status == "off")
    return "off" + (verification.poison == "ok" ? std::string() : "; poison: " + verification.poison);
  return verification.status + " (" + verification.mode + ", " + std::to_string(verification.compared) +
         formatted(" comparisons): worst error %.3g where %.3g is allowed; poison: ", verification.error,
                   verification.bound) +
         verification.poison;
}

} // namespace

std::string describe(const ConvSpec &spec) {
  const char *what = spec.direction == Direction::FProp   ? "forward (fprop)"
                     : spec.direction == Direction::DGrad ? "input backward (dgrad)"
                                                          : "filter backward (wgrad)";
  std::string text = std::string(what) + " of a " + std::to_string(spec.rank()) + "-D convolution, N " +
                     std::to_string(spec.n) + ", C " + std::to_string(spec.c) + ", K " + std::to_string(spec.k);
  if (spec.groups > 1)
    text += ", " + std::to_string(spec.groups) + " groups";
  if (spec.rank() > 0) {
    auto all = [&](auto holds) {
      for (const SpatialDim &dim : spec.spatial)
        if (!holds(dim))
          return false;
      return true;
    };
    text += ", input " + by(spec, [](const SpatialDim &dim) { return std::to_string(dim.in); }) + ", filter " +
            by(spec, [](const SpatialDim &dim) { return std::to_string(dim.filter) + (dim.flip ? "~" : ""); }) +
            ", output " + by(spec, [](const SpatialDim &dim) { return std::to_string(dim.out); }) + ", stride " +
            by(spec, [](const SpatialDim &dim) { return std::to_string(dim.stride); });
    if (!all([](const SpatialDim &dim) { return dim.dilation == 1; }))
      text += ", dilation " + by(spec, [](const SpatialDim &dim) { return std::to_string(dim.dilation); });
    if (!all([](const SpatialDim &dim) { return dim.padLow == 0 && dim.padHigh() == 0; }))
      text += ", padding " + by(spec, [](const SpatialDim &dim) {
                return std::to_string(dim.padLow) + ":" + std::to_string(dim.padHigh());
              });
  }
  for (Role role : {Role::X, Role::W, Role::Y})
    text += (role == Role::X ? "; " : ", ") + std::string(name(role)) + " " +
            orzo::text(spec.layout(role), role, spec.rank()) + " " + std::string(name(spec.type(role)));
  return text;
}

std::string writeText(const ProblemReport &report, bool color) {
  Table table;
  table.line("input", report.input);
  if (report.userSpec)
    table.line("problem", describe(*report.userSpec));
  table.line("canonical", report.problem);
  if (!report.lowering.empty()) {
    table.line("lowering", report.lowering + (report.reason.empty() ? "" : ": " + report.reason));
    table.line("runs as", runsAsLine(report));
    bool hasThreads = report.target == "cpu";
    table.line("kernel", report.isa + (hasThreads ? ", " + counted(report.threads, "thread", "threads") : "") +
                             (report.plan.empty() ? "" : "; plan " + report.plan));
    table.line("hash", report.kernelHash.substr(0, 16));
    table.line("work", workLine(report));
    table.line("compile", report.cached ? "nothing: the artifact was there already"
                                        : formatted("%.1f ms; loaded in %.1f ms", report.compileMs, report.loadMs));
  }
  if (report.time.iterations > 0) {
    const TimeStatistics &time = report.time;
    table.line("time", "median " + duration(time.median) + ", min " + duration(time.min) + ", mean " +
                           duration(time.mean) + ", p95 " + duration(time.p95) + ", stddev " + duration(time.stddev) +
                           " (" + counted(time.iterations, "run", "runs") + ")");
    table.line("speed", speedLine(report));
  }
  bool hasRun = report.time.iterations > 0 || report.verification.status != "off";
  if (hasRun && (report.status == "ok" || report.status == "wrong"))
    table.line("verified", verifiedLine(report.verification));
  for (const std::string &note : report.notes)
    table.line("note", note);
  const char *paint = report.status == "ok" ? "\033[32m" : report.status == "skipped" ? "\033[33m" : "\033[31m";
  std::string status = color ? paint + report.status + "\033[0m" : report.status;
  table.line("status", status + (report.message.empty() ? "" : ": " + report.message));
  return table.lines;
}

} // namespace orzo
