#include "Driver/Run.h"

#include "Driver/ArtifactRun.h"
#include "Runtime/Core/Artifact.h"

namespace orzo::driver {

CompileSettings compileSettings(const Job &job, size_t index, const SharedOptions &options) {
  CompileSettings settings;
  settings.target = options.target;
  settings.threads = threadCount(options.threads);
  settings.forceLowering = options.forceLowering;
  settings.plan = options.plan;
  settings.useCache = !options.noCache;
  settings.cacheDirectory = options.cacheDirectory;
  settings.stopAfter = options.stopAfter;
  settings.dumpIrDirectory = options.dumpIr;
  if (!options.dumpIr.empty() && index > 0)
    settings.dumpIrDirectory += "/" + std::to_string(index);
  return settings;
}

namespace {

/// "cpu:avx2" or "cuda:sm_90a" asks for that image; a list or "cpu" for the best there is.
std::string requestedIsa(const std::string &target) {
  if (target.find('+') != std::string::npos)
    return "";
  if (target.starts_with("cuda:"))
    return target.substr(5);
  bool isOne = target.starts_with("cpu:") && target.find(',') == std::string::npos;
  return isOne ? target.substr(4) : "";
}

} // namespace

RunSettings runSettings(const Job &job, const RunOptions &options, std::vector<std::string> &notes) {
  const SharedOptions &shared = options.shared;
  const WrittenOptions &written = job.written;
  RunSettings settings;
  settings.threads = shared.threads;
  settings.isa = requestedIsa(shared.target);
  settings.seed = shared.seed;
  settings.time = options.time;
  settings.timing.budgetSeconds = options.budgetSeconds;
  settings.timing.leastIterations = options.leastIterations;
  settings.timing.iterations = shared.iterations ? shared.iterations : written.iterations;
  settings.timing.warmup = shared.warmup;
  if (shared.iterations && written.iterations && *shared.iterations != *written.iterations)
    notes.push_back("the command's iterations (" + std::to_string(*written.iterations) +
                    ") have no effect: --iter=" + std::to_string(*shared.iterations) + " beats them");
  settings.verify = shared.verify     ? *shared.verify
                    : !written.verify ? options.verifyDefault
                    : *written.verify ? VerifyMode::Auto
                                      : VerifyMode::Off;
  if (shared.verify && written.verify && *written.verify != (*shared.verify != VerifyMode::Off))
    notes.push_back("the command's verification (" + std::string(*written.verify ? "on" : "off") +
                    ") has no effect: --verify=" + std::string(name(*shared.verify)) + " beats it");
  settings.data = shared.data ? *shared.data : written.ones ? DataKind::Ones : DataKind::Random;
  if (shared.data && written.ones && *shared.data != DataKind::Ones)
    notes.push_back("the command's data of ones has no effect: --data=" + std::string(name(*shared.data)) +
                    " beats it");
  return settings;
}

namespace {

/// Why an artifact, whose problem is known only now, is over a cap.
std::optional<std::string> artifactOverCap(const std::vector<uint8_t> &bytes, const SharedOptions &options) {
  Expected<Artifact> artifact = parseArtifact(bytes);
  if (!artifact)
    return std::nullopt;
  Expected<ArtifactProblem> problem = ArtifactProblem::parse(artifact->problem);
  if (!problem)
    return std::nullopt;
  ProblemReport report;
  problem->describe(artifact->lowering, report);
  return overCap(report, options);
}

Outcome runJob(Job job, size_t index, const RunOptions &options, const ArtifactSource &source, PeakMemory &peaks) {
  ProblemReport report = startReport(job, options.shared);
  CompileSettings settings = compileSettings(job, index, options.shared);
  RunSettings run = runSettings(job, options, report.notes);
  run.peaks = &peaks;
  Expected<Compiled> compiled = source(job, settings);
  describeModule(job, report);
  if (!compiled) {
    setOutcome(report, compiled.status());
    return render(report, options.shared);
  }
  if (!settings.stopAfter.empty())
    return {"ok", std::string(compiled->bytes.begin(), compiled->bytes.end()), "", ""};
  report.compileMs = compiled->compileMs;
  report.loadMs = compiled->loadMs;
  report.cached = compiled->cached;
  report.notes.insert(report.notes.end(), compiled->notes.begin(), compiled->notes.end());
  if (job.kind != Job::Kind::Problem && job.kind != Job::Kind::Graph) {
    if (auto why = artifactOverCap(compiled->bytes, options.shared)) {
      report.status = "skipped";
      report.message = *why;
      return render(report, options.shared);
    }
  }
  if (Status status = runArtifact(compiled->bytes, run, report); !status.ok())
    setOutcome(report, job.kind == Job::Kind::Artifact ? status.within(job.name) : status);
  Outcome outcome = render(report, options.shared);
  outcome.carry = peaks.carry();
  return outcome;
}

} // namespace

int runJobs(const std::vector<Job> &jobs, const RunOptions &options, const ArtifactSource &source) {
  PeakMemory peaks;
  return runBatch(
      jobs, options.shared, [&](const Job &job, size_t index) { return runJob(job, index, options, source, peaks); },
      [&](const std::string &carried) { peaks.absorb(carried); });
}

} // namespace orzo::driver
