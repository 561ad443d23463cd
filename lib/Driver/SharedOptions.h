// SharedOptions: the options that nearly every command takes, as the user gave them.
#pragma once

#include "Driver/Inputs.h"
#include "Measure/DataGenerator.h"
#include "Measure/Report.h"
#include "Measure/Verification.h"

#include <cstdint>
#include <optional>
#include <string>

namespace orzo::driver {

struct SharedOptions {
  InputWords words;
  std::string target = "cpu";
  int threads = 0; ///< 0: every core.
  ReportFormat format = ReportFormat::Text;
  std::optional<VerifyMode> verify;
  std::optional<DataKind> data;
  uint64_t seed = 1;
  std::optional<int64_t> iterations, warmup;
  bool noFallback = false, strictRounding = false;
  std::string forceLowering, plan, stopAfter, dumpIr, tuning;
  std::optional<std::string> cacheDirectory;
  bool noCache = false;
  std::optional<double> maxFlops, maxBytes;
  double timeoutSeconds = 0; ///< Of one problem; 0: no limit.
  bool quiet = false, color = false;
};

/// Why the problem of `report` (its useful FLOPs, its tensors' bytes) is over a cap of `options`, or nullopt.
std::optional<std::string> overCap(const ProblemReport &report, const SharedOptions &options);

/// Notes on options that were given and do nothing here, for a graph or a single convolution.
std::vector<std::string> optionNotes(const SharedOptions &options, bool isGraph);

} // namespace orzo::driver
