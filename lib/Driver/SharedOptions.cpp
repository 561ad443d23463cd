#include "Driver/SharedOptions.h"

#include <cstdio>

namespace orzo::driver {

static std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.15g", value);
  return buffer;
}

std::optional<std::string> overCap(const ProblemReport &report, const SharedOptions &options) {
  auto flops = static_cast<double>(report.flopsUseful), bytes = static_cast<double>(report.bytesMin);
  if (options.maxFlops && flops > *options.maxFlops)
    return text(flops) + " useful FLOPs are over --max-flops=" + text(*options.maxFlops);
  if (options.maxBytes && bytes > *options.maxBytes)
    return "tensors of " + text(bytes) + " bytes are over --max-bytes=" + text(*options.maxBytes);
  return std::nullopt;
}

std::vector<std::string> optionNotes(const SharedOptions &options, bool isGraph) {
  std::vector<std::string> notes;
  if (options.strictRounding)
    notes.emplace_back(isGraph ? "--strict-rounding has no effect here: a graph's text says itself whether it is strict"
                               : "--strict-rounding has no effect here: a convolution alone is rounded once, at its "
                                 "end");
  return notes;
}

} // namespace orzo::driver
