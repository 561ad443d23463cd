// ArtifactRun: an artifact on generated data - run once, verified, timed - written into a report.
#pragma once

#include "Driver/ArtifactProblem.h"
#include "Driver/PeakOfKernel.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Runtime/Module.h"

#include <cstdint>
#include <span>
#include <string>

namespace orzo::driver {

struct RunSettings {
  int threads = 0; ///< 0: every core.
  std::string isa; ///< Which image of the artifact; empty: the best the machine supports.
  DataKind data = DataKind::Random;
  uint64_t seed = 1;
  VerifyMode verify = VerifyMode::Auto;
  bool time = true; ///< false: run once and verify only.
  TimingOptions timing;
  PeakMemory *peaks = nullptr; ///< Where to get the peak from, right after timing; null: no peak.
};

/// `threads`, or this machine's cores where it is 0.
int threadCount(int threads);

/// What an artifact says of one of its images, without running it: problem, lowering, plan, hash, FLOPs, dispatches,
/// bytes, workspace on `threads` threads. `problem` is the artifact's. A direction that the report has already is kept.
void describeImage(const Artifact &artifact, const ArtifactImage &image, const ArtifactProblem &problem, int threads,
                   ProblemReport &report);

/// How a result is verified under `settings`.
VerifyOptions verifyOptions(const RunSettings &settings, int threads);

/// A CUDA image runs on this thread's current device (DeviceRun.h). Otherwise:
/// Loads `artifact`, runs it once on generated operands into poisoned results between guard pages, verifies, and then
/// times it. Verification comes first, so that no time is ever printed for a result nobody has looked at; a wrong
/// result is not timed. InvalidArgument: a damaged artifact. Unsupported: no image for this machine. Unavailable: not
/// enough memory, found before any is allocated.
Status runArtifact(std::span<const uint8_t> artifact, const RunSettings &settings, ProblemReport &report);

} // namespace orzo::driver
