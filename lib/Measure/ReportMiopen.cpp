#include "Measure/Report.h"

#include <cinttypes>
#include <cstdio>

namespace orzo {

namespace {

struct Names {
  const char *time, *stats, *verify;
};

Names namesOf(Direction direction) {
  switch (direction) {
  case Direction::FProp:
    return {"Forward Conv.", "fwd-conv", "Forward Convolution"};
  case Direction::DGrad:
    return {"Backward Data Conv.", "bwdd-conv", "Backward Convolution Data"};
  case Direction::WGrad:
    break;
  }
  return {"Backward Weights Conv.", "bwdw-conv", "Backward Convolution Weights"};
}

template <typename... Values> std::string formatted(const char *format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

/// The driver knows two and three spatial dims; missing outer ones are 1.
std::vector<SpatialDim> driverDims(const ConvSpec &spec) {
  std::vector<SpatialDim> dims(spec.rank() < 2 ? 2 - spec.rank() : 0);
  dims.insert(dims.end(), spec.spatial.begin(), spec.spatial.end());
  return dims;
}

} // namespace

std::string writeMiopen(const ProblemReport &report) {
  if ((report.status != "ok" && report.status != "wrong") || !report.userSpec)
    return report.status + ": " + report.message + "\n";
  const ConvSpec &spec = *report.userSpec;
  Names names = namesOf(spec.direction);
  std::vector<SpatialDim> dims = driverDims(spec);
  bool deep = dims.size() == 3;
  std::string lines;
  if (report.time.iterations > 0) {
    double milliseconds = static_cast<double>(report.time.mean) * 1e-6;
    // MIOpen's count: every tap of every output, whether it meets padding or not.
    double flops =
        2.0 * static_cast<double>(spec.n) * static_cast<double>(spec.c / spec.groups) * static_cast<double>(spec.k);
    std::string filter, outputs, taps;
    for (const SpatialDim &dim : dims) {
      flops *= static_cast<double>(dim.filter) * static_cast<double>(dim.out);
      filter += (filter.empty() ? "" : "x") + std::to_string(dim.filter);
      outputs += std::to_string(dim.out) + ", ";
      taps += std::to_string(dim.filter) + ", ";
    }
    int64_t read = 0;
    for (Role role : operandRoles(spec.direction))
      read += spec.byteCount(role);
    int64_t written = spec.byteCount(resultRole(spec.direction));
    lines += formatted("GPU Kernel Time %s Elapsed: %f ms (average)\n", names.time, milliseconds);
    lines += deep
                 ? "stats: name, n, c, do, ho, wo, z, y, x, k, flopCnt, bytesRead, bytesWritten, GFLOPs, GB/s, timeMs\n"
                 : "stats: name, n, c, ho, wo, y, x, k, flopCnt, bytesRead, bytesWritten, GFLOPs, GB/s, timeMs\n";
    lines +=
        formatted("stats: %s%su%" PRId64 ", %" PRId64 ", %" PRId64 ", ", names.stats, filter.c_str(),
                  dims.front().stride, spec.n, spec.c) +
        outputs + taps +
        formatted("%" PRId64 ", %.0f, %" PRId64 ", %" PRId64 ", %.0f, %.0f, %f\n", spec.k, flops, read, written,
                  flops / milliseconds / 1e6, static_cast<double>(read + written) / milliseconds / 1e6, milliseconds);
  }
  const VerifyResult &verification = report.verification;
  if (verification.status == "ok")
    lines +=
        formatted("%s Verifies OK on CPU reference (%g < %g)\n", names.verify, verification.error, verification.bound);
  else if (verification.failed())
    lines += formatted("%s FAILED: %g > %g", names.verify, verification.error, verification.bound) +
             (verification.message.empty() ? "" : " " + verification.message) + "\n";
  return lines;
}

} // namespace orzo
