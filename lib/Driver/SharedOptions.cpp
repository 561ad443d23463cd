#include "Driver/SharedOptions.h"

#include <cstdio>

namespace orzo::driver {

static std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.15g", value);
  return buffer;
}

std::optional<std::string> overCap(const ConvSpec &spec, const SharedOptions &options) {
  auto flops = static_cast<double>(spec.flopsUseful());
  if (options.maxFlops && flops > *options.maxFlops)
    return text(flops) + " useful FLOPs are over --max-flops=" + text(*options.maxFlops);
  double bytes = 0;
  for (Role role : {Role::X, Role::W, Role::Y})
    bytes += static_cast<double>(spec.elementCount(role)) * static_cast<double>(byteSize(spec.type(role)));
  if (options.maxBytes && bytes > *options.maxBytes)
    return "tensors of " + text(bytes) + " bytes are over --max-bytes=" + text(*options.maxBytes);
  return std::nullopt;
}

std::vector<std::string> optionNotes(const SharedOptions &options) {
  std::vector<std::string> notes;
  if (options.strictRounding)
    notes.emplace_back("--strict-rounding has no effect here: a convolution alone is rounded once, at its end");
  return notes;
}

} // namespace orzo::driver
