// Run: compile (cached), run on generated data, verify, time, report. Also bench, and orzo-run's run, bench and verify.
#pragma once

#include "Driver/ArtifactRun.h"
#include "Driver/Batch.h"
#include "Driver/Compilation.h"

#include <functional>

namespace orzo::driver {

struct RunOptions {
  SharedOptions shared;
  bool time = true;         ///< false: verify only.
  double budgetSeconds = 1; ///< Of timing, where no iterations are asked for.
  int64_t leastIterations = 3;
  VerifyMode verifyDefault = VerifyMode::Auto;
};

/// Where a job's artifact comes from: compileJob, or for orzo-run the job itself.
using ArtifactSource = std::function<Expected<Compiled>(Job &, const CompileSettings &)>;

/// What compileJob is to be asked for `job`, by the options. `index` numbers the job among several.
CompileSettings compileSettings(const Job &job, size_t index, const SharedOptions &options);

/// How `job` is run: options of orzo's own first, then what the input wrote, then defaults. What has no effect is said
/// in `notes`.
RunSettings runSettings(const Job &job, const RunOptions &options, std::vector<std::string> &notes);

/// Runs every job; the exit code.
int runJobs(const std::vector<Job> &jobs, const RunOptions &options, const ArtifactSource &source);

} // namespace orzo::driver
