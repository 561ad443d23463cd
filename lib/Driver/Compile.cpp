#include "Driver/Compile.h"

#include "Driver/ArtifactRun.h"
#include "Driver/Batch.h"
#include "Driver/Compilation.h"
#include "Driver/InputFile.h"
#include "Driver/Run.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace orzo::driver {

namespace {

Status checkOptions(const CompileOptions &options, const std::vector<Job> &jobs) {
  if (options.emit == "ptx")
    return Status::unsupported(
        "--emit=ptx comes later; import, conv, dispatch, kernel, target, llvm, asm, torch, linalg "
        "and iree work");
  constexpr std::array known = {
      "import", "conv",   "dispatch", "kernel",        "target",  "llvm", "asm",
      "torch",  "linalg", "iree",     "linalg-source", "spelling"}; // The last two are for other commands of orzo.
  if (!options.emit.empty() && std::find(known.begin(), known.end(), options.emit) == known.end())
    return Status::invalidArgument("--emit=" + options.emit +
                                   ": unknown; known are import, conv, dispatch, kernel, target, llvm, asm, torch, "
                                   "linalg and iree");
  if (!options.emit.empty() && !options.shared.stopAfter.empty() && options.emit != options.shared.stopAfter)
    return Status::invalidArgument("--emit=" + options.emit + " and --stop-after=" + options.shared.stopAfter +
                                   " ask for different results; give one of them");
  if (!options.output.empty() && jobs.size() > 1)
    return Status::invalidArgument("-o " + options.output + " takes one problem, and the input is " +
                                   std::to_string(jobs.size()) + "; with a mask, -F 1, 2 or 4 is one");
  return Status::success();
}

Status deliver(const std::vector<uint8_t> &bytes, const std::string &output) {
  return writeOutputFile(output, std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

/// What the artifact says, from the image this machine would run; without one, from its first.
Status describeArtifact(const Compiled &compiled, const SharedOptions &options, ProblemReport &report) {
  Expected<Artifact> artifact = parseArtifact(compiled.bytes);
  if (!artifact)
    return artifact.status();
  Expected<ArtifactProblem> problem = ArtifactProblem::parse(artifact->problem);
  if (!problem)
    return problem.status();
  describeImage(*artifact, artifact->images.front(), *problem, threadCount(options.threads), report);
  return Status::success();
}

Outcome compileOne(Job job, size_t index, const CompileOptions &options) {
  ProblemReport report = startReport(job, options.shared);
  CompileSettings settings = compileSettings(job, index, options.shared);
  if (!options.emit.empty())
    settings.stopAfter = options.emit;
  Expected<Compiled> compiled = compileJob(job, settings);
  describeModule(job, report);
  Status status = compiled.status();
  bool wantsText = !settings.stopAfter.empty();
  if (compiled && wantsText && options.output.empty())
    return {"ok", std::string(compiled->bytes.begin(), compiled->bytes.end()), "", ""};
  if (compiled && !options.output.empty())
    status = deliver(compiled->bytes, options.output);
  if (compiled && wantsText && status.ok())
    return {};
  if (compiled) {
    report.compileMs = compiled->compileMs;
    report.loadMs = compiled->loadMs;
    report.cached = compiled->cached;
    report.notes.insert(report.notes.end(), compiled->notes.begin(), compiled->notes.end());
  }
  if (status.ok())
    status = describeArtifact(*compiled, options.shared, report);
  if (status.ok() && options.output == "-") // The artifact itself is on standard output.
    return {};
  if (!status.ok())
    setOutcome(report, status);
  return render(report, options.shared);
}

} // namespace

int compileCommand(const CompileOptions &options) {
  std::vector<Job> jobs = readInputs(options.shared.words);
  if (Status status = checkOptions(options, jobs); !status.ok()) {
    std::fprintf(stderr, "orzo compile: %s\n", status.message().c_str());
    return exitCode(status.code());
  }
  return runBatch(jobs, options.shared, [&](const Job &job, size_t index) { return compileOne(job, index, options); });
}

} // namespace orzo::driver
