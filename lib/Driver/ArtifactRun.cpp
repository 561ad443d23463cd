#include "Driver/ArtifactRun.h"

#include "Driver/BoundArtifact.h"
#include "Peak/Peak.h"
#include "Runtime/CPU/Isa.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Spec/Canonical.h"

namespace orzo::driver {

int threadCount(int threads) { return threads > 0 ? threads : std::max(1, coreCount()); }

void describeImage(const Artifact &artifact, const ArtifactImage &image, const ConvSpec &spec, int threads,
                   ProblemReport &report) {
  report.problem = artifact.problem;
  if (report.direction.empty())
    report.direction = name(spec.direction);
  report.lowering = artifact.lowering;
  report.reason = artifact.reason;
  report.isa = image.isa;
  report.threads = threads;
  report.plan = image.plan;
  report.kernelHash = image.kernelHash;
  report.flopsUseful = spec.flopsUseful();
  report.flopsPadding = spec.flopsPadding();
  report.bytesMin = 0;
  for (Role role : {Role::X, Role::W, Role::Y})
    report.bytesMin += spec.byteCount(role);
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
}

PeakReport peakOf(const std::string &isa, const std::string &plan, int threads) {
  bool usesDot = plan.find(" dot ") != std::string::npos;
  Instruction instruction = usesDot         ? Instruction::DotBF16Zmm
                            : isa == "avx2" ? Instruction::FmaYmm
                                            : Instruction::FmaZmm;
  Peak peak = orzo::measurePeak(instruction, threads);
  return {peak.gflops, peak.instruction, peak.trusted ? "" : peak.why.empty() ? "no reason given" : peak.why};
}

VerifyOptions verifyOptions(const RunSettings &settings, int threads) {
  VerifyOptions options;
  options.mode = settings.verify;
  options.exact = isExact(settings.data);
  options.seed = settings.seed;
  options.threads = threads;
  return options;
}

Status runArtifact(std::span<const uint8_t> artifact, const RunSettings &settings, ProblemReport &report) {
  Expected<Module> module = Module::load(artifact, settings.isa);
  if (!module)
    return module.status();
  Expected<ConvSpec> spec = problemOf(*module);
  if (!spec)
    return spec.status();
  int threads = threadCount(settings.threads);
  describeImage(module->artifact(), module->image(), *spec, threads, report);
  report.workspaceBytes = module->workspaceBytes(threads);
  if (Status status = checkMemory(*module, threads); !status.ok())
    return status;
  Expected<ThreadPool> pool = ThreadPool::create(threads);
  if (!pool)
    return pool.status();
  Expected<BoundArtifact> bound = BoundArtifact::create(*module, *spec, *pool, [&](Role role, void *data) {
    generate(settings.data, settings.seed, *spec, role, data, threads);
  });
  if (!bound)
    return bound.status();
  if (Status status = bound->run(); !status.ok())
    return status;
  report.verification = bound->verify(verifyOptions(settings, threads));
  setOutcome(report);
  if (!settings.time || report.verification.failed())
    return Status::success();
  Expected<std::vector<int64_t>> times = timeRuns([&] { return bound->run(); }, settings.timing);
  if (!times)
    return times.status();
  report.time = summarise(*times);
  if (settings.measurePeak) {
    report.peak = peakOf(report.isa, report.plan, threads);
    if (!report.peak->distrust.empty())
      report.notes.push_back("no percent of peak: the measured peak is not trusted: " + report.peak->distrust);
  }
  return Status::success();
}

} // namespace orzo::driver
