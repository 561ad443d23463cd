#include "Driver/Compilation.h"

#include "Driver/JobProblem.h"
#include "orzo/Spec/Canonical.h"

#include <chrono>

namespace orzo::driver {

/// Texts for other compilers keep the user's names; everything else sees the canonical problem only.
static bool keepsSpelling(const std::string &stopAfter) {
  return stopAfter == "torch" || stopAfter == "linalg" || stopAfter == "linalg-source" || stopAfter == "iree";
}

Expected<Compiled> compileModule(const Job &job, const CompileSettings &settings) {
  Expected<Compiled> compiled = compileCached({true, job.source, job.name}, settings);
  // What is wrong with a place in the source has its place; the rest has the file at least.
  if (compiled || compiled.status().message().starts_with(job.name + ":"))
    return compiled;
  return compiled.status().within(job.name);
}

/// Reads the MLIR of `job` as one convolution: its spec and direction, and what that took; false where it is none, and
/// the compiler has more to say.
static bool readModule(Job &job, double &loadMs) {
  Expected<JobProblem> problem = problemOfJob(job);
  if (!problem)
    return false;
  job.spec = problem->spec;
  job.direction = problem->direction ? name(*problem->direction) : "";
  loadMs = problem->loadMs;
  return true;
}

Expected<Compiled> compileJob(Job &job, const CompileSettings &settings) {
  if (job.kind == Job::Kind::Artifact) {
    Compiled compiled;
    compiled.bytes = job.artifact;
    compiled.cached = true;
    return compiled;
  }
  double readMs = 0;
  bool wantsArtifact = settings.stopAfter.empty() && settings.dumpIrDirectory.empty();
  if (job.kind == Job::Kind::Mlir && !(wantsArtifact && readModule(job, readMs)))
    return compileModule(job, settings);
  auto start = std::chrono::steady_clock::now();
  std::string problem = job.graph                           ? text(*job.graph)
                        : keepsSpelling(settings.stopAfter) ? text(*job.spec)
                                                            : text(canonicalise(*job.spec).spec);
  double spent = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  CompileSettings complete = settings;
  if (!complete.cacheDirectory)
    complete.cacheDirectory = job.written.cacheDirectory;
  Expected<Compiled> compiled = compileCached({false, problem, job.name}, complete);
  if (compiled && !compiled->cached)
    compiled->compileMs += spent;
  if (compiled)
    compiled->loadMs += readMs;
  return compiled;
}

} // namespace orzo::driver
