#include "Driver/Compare.h"

#include "Driver/Batch.h"
#include "Driver/Comparison.h"
#include "Driver/Run.h"
#include "orzo/Spec/Canonical.h"

#include <cstdio>

namespace orzo::driver {

namespace {

Status checkInputs(const CompareOptions &options, const std::vector<Job> &jobs) {
  ReportFormat format = options.shared.format;
  if (format != ReportFormat::Text && format != ReportFormat::Json)
    return Status::invalidArgument("--format=" + std::string(name(format)) + ": compare writes text or json");
  if (!options.shared.stopAfter.empty())
    return Status::invalidArgument("--stop-after=" + options.shared.stopAfter +
                                   " has no meaning here; orzo compile prints the IR of one input");
  if (jobs.size() == 2)
    return Status::success();
  size_t inputs = options.shared.words.inputs.size() + options.shared.words.commandsFiles.size() +
                  options.shared.words.hasDriverCommand;
  std::string message = "compares two problems; ";
  if (inputs < 2)
    message += (inputs == 0 ? "there is no input" : "there is one input") +
               std::string(jobs.size() > 2 ? ", of " + std::to_string(jobs.size()) + " problems" : "") +
               "; give two, quoted driver commands or files";
  else if (inputs > 2)
    message += "there are " + std::to_string(inputs) + " inputs";
  else
    message += "the two inputs are " + std::to_string(jobs.size()) + " problems" +
               ": a driver command's mask (-F 0, 3 ...) is several, -F 1, 2 or 4 is one, and so is a line of a file";
  return Status::invalidArgument(message);
}

/// Everything but the run: the problem, its canonical form and artifact.
Status readInput(const Job &job, size_t index, const CompareOptions &options, ComparedInput &input) {
  input.label = index == 0 ? "A" : "B";
  input.report = startReport(job, options.shared);
  Expected<JobProblem> problem = problemOfJob(job);
  if (!problem)
    return problem.status().within(input.label);
  input.problem = problem.take();
  input.canonical = canonicalise(input.problem.spec);
  input.report.userSpec = input.problem.spec;
  if (input.report.direction.empty() && input.problem.direction)
    input.report.direction = name(*input.problem.direction);
  CompileSettings settings = compileSettings(job, index, options.shared);
  // A module is compiled as what it was read as, like the IR below.
  Job canonical;
  canonical.spec = input.canonical.spec;
  canonical.name = job.name;
  Job source = job.kind == Job::Kind::Mlir && settings.dumpIrDirectory.empty() ? canonical : job;
  Expected<Compiled> compiled = compileJob(source, settings);
  if (!compiled)
    return compiled.status().within(input.label);
  input.compiled = compiled.take();
  input.report.compileMs = input.compiled.compileMs;
  input.report.loadMs = input.compiled.loadMs + input.problem.loadMs;
  input.report.cached = input.compiled.cached;
  input.report.notes.insert(input.report.notes.end(), input.compiled.notes.begin(), input.compiled.notes.end());

  settings.stopAfter = "conv";
  Expected<Compiled> ir = compileJob(canonical, settings);
  if (!ir)
    return ir.status().within(input.label);
  input.canonicalIr.assign(ir->bytes.begin(), ir->bytes.end());
  return Status::success();
}

/// "A is verified against what it computes, which is not what B computes": a right number of a wrong problem.
void warn(Comparison &comparison) {
  if (comparison.equivalent() || comparison.alignment.differences.empty())
    return;
  ComparedInput &a = comparison.first, &b = comparison.second;
  for (auto [input, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    input->report.notes.push_back("warning: verified against what " + input->label + " computes, which is not what " +
                                  other->label + " computes");
}

Outcome compareJobs(const std::vector<Job> &jobs, const CompareOptions &options) {
  Comparison comparison;
  auto failed = [&](const ComparedInput &input, const Status &status) {
    ProblemReport report = input.report;
    setOutcome(report, status);
    return render(report, options.shared);
  };
  for (auto [index, input] : {std::pair(0, &comparison.first), std::pair(1, &comparison.second)})
    if (Status status = readInput(jobs[index], index, options, *input); !status.ok())
      return failed(*input, status);
  ComparedInput &a = comparison.first, &b = comparison.second;
  for (ComparedInput *input : {&a, &b}) {
    ProblemReport size;
    ArtifactProblem(input->problem.spec).describe("", size);
    if (auto why = overCap(size, options.shared)) {
      input->report.status = "skipped";
      input->report.message = input->label + ": " + *why;
      return render(input->report, options.shared);
    }
  }
  std::optional<Direction> word = a.problem.direction ? a.problem.direction : b.problem.direction;
  comparison.alignment = align(a.problem.spec, b.problem.spec, word);
  comparison.isCanonicalIdentical = a.canonical.spec == b.canonical.spec;
  if (!comparison.isCanonicalIdentical)
    comparison.commonContraction = commonContraction(a.canonical.spec, b.canonical.spec);
  RunOptions run;
  run.shared = options.shared;
  run.budgetSeconds = 2;
  if (Status status = runComparison(comparison, runSettings(jobs[0], run, a.report.notes)); !status.ok())
    return failed(a, status);
  warn(comparison);
  bool right = !a.report.verification.failed() && !b.report.verification.failed();
  std::string output = options.shared.format == ReportFormat::Json
                           ? writeComparisonJson(comparison) + "\n"
                           : writeComparisonText(comparison, options.shared.color);
  return {comparison.equivalent() && right ? "ok" : "wrong", output, "", ""};
}

} // namespace

int compareCommand(const CompareOptions &options) {
  std::vector<Job> jobs = readInputs(options.shared.words);
  if (Status status = checkInputs(options, jobs); !status.ok()) {
    std::fprintf(stderr, "orzo compare: %s\n", status.message().c_str());
    return exitCode(status.code());
  }
  Outcome outcome = runIsolated(
      options.shared.timeoutSeconds, [&] { return compareJobs(jobs, options); },
      [&](const Ending &ending) {
        ProblemReport report = startReport(jobs[0], options.shared);
        report.input += " | " + jobs[1].input;
        setOutcome(report, ending.failure);
        if (ending.timedOut)
          report.status = "timeout";
        return render(report, options.shared);
      });
  std::fwrite(outcome.output.data(), 1, outcome.output.size(), stdout);
  std::fwrite(outcome.errors.data(), 1, outcome.errors.size(), stderr);
  return exitCodeOf(outcome.status);
}

} // namespace orzo::driver
