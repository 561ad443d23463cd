#include "Driver/ArtifactRun.h"

#include "Driver/BoundArtifact.h"
#include "Driver/DeviceRun.h"
#include "Runtime/CPU/Isa.h"
#include "Runtime/Core/Artifact.h"
#include "Runtime/Core/CudaLaunchCheck.h"

#include <chrono>
#include <sys/resource.h>

namespace orzo::driver {

int threadCount(int threads) { return threads > 0 ? threads : std::max(1, coreCount()); }

void describeImage(const Artifact &artifact, const ArtifactImage &image, const ArtifactProblem &problem, int threads,
                   ProblemReport &report) {
  report.problem = artifact.problem;
  report.lowering = artifact.lowering;
  report.reason = artifact.reason;
  report.isa = image.isa;
  report.threads = threads;
  report.plan = image.plan;
  report.kernelHash = image.kernelHash;
  problem.describe(artifact.lowering, report);
  int64_t scratch = 0;
  for (const ArtifactStep &step : image.steps) {
    report.flopsExecuted += step.flopsExecuted;
    report.flopsTile += step.flopsTile;
    if (step.kind == ArtifactStep::Kind::Dispatch)
      report.dispatchNames.push_back(step.name);
    report.fills += step.kind == ArtifactStep::Kind::Fill;
    report.copies += step.kind == ArtifactStep::Kind::Copy;
    report.transposes += step.kind == ArtifactStep::Kind::Copy && step.isTranspose;
    scratch = std::max(scratch, step.scratchBytes);
  }
  report.workspaceBytes = image.workspaceBytes + scratch * threads;
  if (isCudaIsa(image.isa))
    describeOnDevice(image, report);
}

VerifyOptions verifyOptions(const RunSettings &settings, int threads) {
  VerifyOptions options;
  options.mode = settings.verify;
  options.exact = isExact(settings.data);
  options.seed = settings.seed;
  options.threads = threads;
  return options;
}

namespace {

/// Notices when other processes want the cores while something is timed.
class BusyWatch {
public:
  void note(std::vector<std::string> &notes) const {
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    int64_t count = switches() - before;
    // A quiet machine switches a busy thread away a few times a second; a rival on its core, hundreds of times.
    if (seconds > 0.02 && static_cast<double>(count) > 5 + 40 * seconds)
      notes.push_back("other processes had the cores for part of the timing (" + std::to_string(count) +
                      " involuntary switches): times are too long");
  }

private:
  using Clock = std::chrono::steady_clock;
  static int64_t switches() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
  }
  Clock::time_point start = Clock::now();
  int64_t before = switches();
};

} // namespace

Status runArtifact(std::span<const uint8_t> artifact, const RunSettings &settings, ProblemReport &report) {
  Expected<Module> module = Module::load(artifact, settings.isa);
  if (!module)
    return module.status();
  Expected<ArtifactProblem> problem = ArtifactProblem::of(*module);
  if (!problem)
    return problem.status();
  int threads = threadCount(settings.threads);
  describeImage(module->artifact(), module->image(), *problem, threads, report);
  report.workspaceBytes = module->workspaceBytes(threads);
  if (module->deviceKind() == DeviceKind::CUDA)
    return runOnDevice(*module, *problem, settings, report);
  if (Status status = checkMemory(*module, threads); !status.ok())
    return status;
  Expected<ThreadPool> pool = ThreadPool::create(threads);
  if (!pool)
    return pool.status();
  Expected<BoundArtifact> bound =
      BoundArtifact::create(*module, *problem, *pool, [&](const TensorBinding &binding, void *data) {
        problem->fill(settings.data, settings.seed, binding, data, threads);
      });
  if (!bound)
    return bound.status();
  if (Status status = bound->run(); !status.ok())
    return status;
  report.verification = bound->verify(verifyOptions(settings, threads), report.notes);
  setOutcome(report);
  if (!settings.time || report.verification.failed())
    return Status::success();
  BusyWatch watch;
  Expected<std::vector<int64_t>> times = timeRuns([&] { return bound->run(); }, settings.timing);
  if (!times)
    return times.status();
  report.time = summarise(*times);
  watch.note(report.notes);
  if (settings.peaks) {
    report.peak = settings.peaks->peakOf(report.isa, report.plan, threads);
    if (!report.peak->distrust.empty())
      report.notes.push_back("no percent of peak: the measured peak is not trusted: " + report.peak->distrust);
  }
  return Status::success();
}

} // namespace orzo::driver
