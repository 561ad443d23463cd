#include "Driver/Compilation.h"

#include "orzo/Spec/Canonical.h"

#include <chrono>

namespace orzo::driver {

/// Texts for other compilers keep the user's names; everything else sees the canonical problem only.
static bool keepsSpelling(const std::string &stopAfter) {
  return stopAfter == "torch" || stopAfter == "linalg" || stopAfter == "linalg-source" || stopAfter == "iree";
}

Expected<Compiled> compileJob(const Job &job, const CompileSettings &settings) {
  if (job.kind == Job::Kind::Artifact) {
    Compiled compiled;
    compiled.bytes = job.artifact;
    compiled.cached = true;
    return compiled;
  }
  if (job.kind == Job::Kind::Mlir)
    return compileCached({true, job.source, job.name}, settings);
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
  return compiled;
}

} // namespace orzo::driver
