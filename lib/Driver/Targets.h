// Targets: what this build and this machine can do.
#pragma once

#include "Measure/Report.h"

namespace orzo::driver {

struct TargetsOptions {
  ReportFormat format = ReportFormat::Text; ///< Text or Json.
  bool measure = false;                     ///< Adds peaks and bandwidth, about 0.3 s each.
  int threads = 0;                          ///< To measure with; 0: every core.
};

/// Prints it; the exit code.
int targetsCommand(const TargetsOptions &options);

} // namespace orzo::driver
