#include "Driver/Convert.h"

#include "Command/DriverCommand.h"
#include "Driver/Batch.h"
#include "Driver/Compilation.h"
#include "Driver/InputFile.h"
#include "Driver/JobProblem.h"
#include "Graph/CppText.h"
#include "orzo/Spec/Canonical.h"

#include <cstdio>

namespace orzo::driver {

namespace {

constexpr const char *targets = "miopen, boo, fusilli, cpp, torch, linalg";

std::optional<Dialect> dialectOf(const std::string &to) {
  if (to == "miopen")
    return Dialect::MIOpen;
  if (to == "boo")
    return Dialect::Boo;
  if (to == "fusilli")
    return Dialect::Fusilli;
  return std::nullopt;
}

Status checkOptions(const ConvertOptions &options, size_t jobs) {
  if (!dialectOf(options.to) && options.to != "cpp" && options.to != "torch" && options.to != "linalg")
    return Status::invalidArgument("--to=" + options.to + ": unknown spelling; known are " + std::string(targets));
  bool isModule = !dialectOf(options.to);
  if (isModule && jobs > 1)
    return Status::invalidArgument("--to=" + options.to + " writes one " +
                                   (options.to == "cpp" ? "program" : "module") + ", and the input is " +
                                   std::to_string(jobs) + " problems; with a mask, -F 1, 2 or 4 is one");
  return Status::success();
}

/// The problem as a command: in its own names, or else in the first of its spellings that a command can say.
Expected<std::string> commandOf(const ConvSpec &spec, Dialect dialect) {
  Expected<std::string> own = printDriverCommand(spec, dialect);
  if (own)
    return own;
  for (const Canonical &member : orbit(spec))
    if (Expected<std::string> other = printDriverCommand(member.spec, dialect))
      return other;
  return own;
}

/// Reads `line` back: what is handed out must be the same problem.
Status checkCommand(const ConvSpec &spec, const std::string &line) {
  Expected<DriverCommand> command = parseDriverCommand(line);
  if (!command)
    return Status::internal("the command does not read back: " + command.status().message());
  if (command->problems.size() != 1 ||
      text(canonicalise(command->problems[0].spec).spec) != text(canonicalise(spec).spec))
    return Status::internal("the command reads back as another problem: " + line);
  return Status::success();
}

Expected<std::string> convertToCommand(const Job &job, Dialect dialect) {
  Expected<JobProblem> problem = problemOfJob(job);
  if (!problem)
    return problem.status();
  Expected<std::string> command = commandOf(problem->spec, dialect);
  if (!command)
    return command;
  if (Status status = checkCommand(problem->spec, *command); !status.ok())
    return status;
  return *command + "\n";
}

/// The problem as a program: in its own names, or else in the first of its spellings that the graph API can say.
Expected<std::string> convertToCpp(const Job &job) {
  Expected<JobProblem> problem = problemOfJob(job);
  if (!problem)
    return problem.status();
  Expected<std::string> own = graph::cppText(problem->spec);
  if (own)
    return own;
  for (const Canonical &member : orbit(problem->spec))
    if (Expected<std::string> other = graph::cppText(member.spec))
      return other;
  return own;
}

Expected<std::string> convertToModule(const Job &source, const std::string &stopAfter) {
  Job job = source;
  if (job.kind == Job::Kind::Artifact) {
    Expected<JobProblem> problem = problemOfJob(job);
    if (!problem)
      return problem.status();
    job.kind = Job::Kind::Problem;
    job.spec = problem->spec;
  }
  CompileSettings settings;
  settings.stopAfter = stopAfter;
  Expected<Compiled> compiled = compileJob(job, settings);
  if (!compiled)
    return compiled.status();
  return std::string(compiled->bytes.begin(), compiled->bytes.end());
}

Outcome convertOne(const Job &job, const ConvertOptions &options) {
  if (job.kind == Job::Kind::Help && job.failure.ok())
    return {"ok", job.source, "", ""};
  std::optional<Dialect> dialect = dialectOf(options.to);
  Expected<std::string> converted = !job.failure.ok() ? Expected<std::string>(job.failure)
                                    : dialect         ? convertToCommand(job, *dialect)
                                    : options.to == "cpp"
                                        ? convertToCpp(job)
                                        : convertToModule(job, options.to == "torch" ? "torch" : "linalg-source");
  if (!converted) {
    ProblemReport report = startReport(job, options.shared);
    setOutcome(report, converted.status());
    return render(report, options.shared);
  }
  return {"ok", *converted, "", ""};
}

} // namespace

int convertCommand(const ConvertOptions &options) {
  std::vector<Job> jobs = readInputs(options.shared.words);
  if (Status status = checkOptions(options, jobs.size()); !status.ok()) {
    std::fprintf(stderr, "orzo convert: %s\n", status.message().c_str());
    return exitCode(status.code());
  }
  // No blank lines and no summary between problems: what is printed is a file of the wanted kind.
  std::string output;
  int code = 0;
  for (const Job &job : jobs) {
    Outcome outcome = runIsolated(
        options.shared.timeoutSeconds, [&] { return convertOne(job, options); },
        [&](const Ending &ending) {
          ProblemReport report = startReport(job, options.shared);
          setOutcome(report, ending.failure);
          return render(report, options.shared);
        });
    output += outcome.output;
    std::fwrite(outcome.errors.data(), 1, outcome.errors.size(), stderr);
    code = worse(code, exitCodeOf(outcome.status));
  }
  if (output.empty())
    return code;
  if (Status status = writeOutputFile(options.output.empty() ? "-" : options.output, output); !status.ok()) {
    std::fprintf(stderr, "orzo convert: %s\n", status.message().c_str());
    return worse(code, exitCode(status.code()));
  }
  return code;
}

} // namespace orzo::driver
