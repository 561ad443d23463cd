#include "Driver/Batch.h"

#include "Driver/ArtifactProblem.h"
#include "Driver/MirroredFilter.h"
#include "orzo/Spec/Canonical.h"

#include <cstdio>
#include <map>

namespace orzo::driver {

/// What is known of a problem before anything is compiled.
static void describeProblem(const Job &job, ProblemReport &report) {
  report.userSpec = job.spec;
  report.direction = job.direction;
  if (job.graph) {
    report.problem = text(*job.graph);
    ArtifactProblem(*job.graph).describe("", report);
  }
  if (!job.spec)
    return;
  ConvSpec canonical = canonicalise(*job.spec).spec;
  report.problem = text(canonical);
  report.flopsUseful = canonical.flopsUseful();
  report.flopsPadding = canonical.flopsPadding();
  report.bytesMin = 0;
  for (Role role : {Role::X, Role::W, Role::Y})
    report.bytesMin += canonical.byteCount(role);
}

void describeModule(const Job &job, ProblemReport &report) {
  if (job.kind != Job::Kind::Mlir || !job.spec)
    return;
  describeProblem(job, report);
  if (std::optional<std::string> warning = mirroredFilterWarning(*job.spec))
    report.notes.push_back(*warning);
}

ProblemReport startReport(const Job &job, const SharedOptions &options) {
  ProblemReport report;
  report.input = job.input;
  report.target = options.target.substr(0, options.target.find(':'));
  describeProblem(job, report);
  report.notes = job.notes;
  for (std::string &note : optionNotes(options, job.graph.has_value()))
    report.notes.push_back(std::move(note));
  return report;
}

Outcome render(const ProblemReport &full, const SharedOptions &options) {
  Outcome outcome;
  outcome.status = full.status;
  switch (options.format) {
  case ReportFormat::Json:
    outcome.output = writeJson(full) + "\n";
    return outcome;
  case ReportFormat::Csv:
    outcome.output = writeCsv(full) + "\n";
    return outcome;
  case ReportFormat::Markdown:
    outcome.output = writeMarkdown(full) + "\n";
    return outcome;
  case ReportFormat::Miopen:
    outcome.output = writeMiopen(full);
    return outcome;
  case ReportFormat::Text:
    break;
  }
  ProblemReport report = full;
  if (options.quiet)
    report.notes.clear();
  bool hasResult = report.status == "ok" || report.status == "wrong" || report.status == "skipped";
  if (options.quiet && report.status != "wrong" && hasResult)
    return outcome;
  (hasResult ? outcome.output : outcome.errors) = writeText(report, options.color);
  return outcome;
}

namespace {

Outcome renderStatus(const Job &job, const SharedOptions &options, const std::string &status,
                     const std::string &message) {
  ProblemReport report = startReport(job, options);
  report.status = status;
  report.message = message;
  return render(report, options);
}

Outcome outcomeOf(const Job &job, size_t index, const SharedOptions &options,
                  const std::function<Outcome(const Job &, size_t)> &work) {
  if (!job.failure.ok())
    return renderStatus(job, options, std::string(name(job.failure.code())), job.failure.message());
  if (job.kind == Job::Kind::Help)
    return {"ok", job.source, "", ""};
  if (auto why = overCap(startReport(job, options), options))
    return renderStatus(job, options, "skipped", *why);
  return runIsolated(
      options.timeoutSeconds, [&] { return work(job, index); },
      [&](const Ending &ending) {
        std::string status = ending.timedOut ? "timeout" : std::string(name(ending.failure.code()));
        return renderStatus(job, options, status, ending.failure.message());
      });
}

} // namespace

int runBatch(const std::vector<Job> &jobs, const SharedOptions &options,
             const std::function<Outcome(const Job &, size_t)> &work,
             const std::function<void(const std::string &)> &onCarry) {
  if (!options.tuning.empty()) {
    std::fprintf(stderr, "--tuning=%s: the tuning database comes later; --plan takes one plan\n",
                 options.tuning.c_str());
    return 3;
  }
  if (options.format == ReportFormat::Csv)
    std::printf("%s\n", csvHeader().c_str());
  if (options.format == ReportFormat::Markdown)
    std::printf("%s\n", markdownHeader().c_str());
  int code = 0;
  std::map<std::string, int> counts;
  for (size_t i = 0; i < jobs.size(); ++i) {
    Outcome outcome = outcomeOf(jobs[i], i, options, work);
    bool isText = options.format == ReportFormat::Text;
    if (isText && i > 0 && !(outcome.output.empty() && outcome.errors.empty()))
      (outcome.output.empty() ? outcome.errors : outcome.output).insert(0, "\n");
    std::fwrite(outcome.output.data(), 1, outcome.output.size(), stdout);
    std::fflush(stdout);
    std::fwrite(outcome.errors.data(), 1, outcome.errors.size(), stderr);
    if (onCarry && !outcome.carry.empty())
      onCarry(outcome.carry);
    code = worse(code, exitCodeOf(outcome.status));
    ++counts[outcome.status];
  }
  if (options.format == ReportFormat::Text && jobs.size() > 1 && !options.quiet) {
    std::string line;
    for (const auto &[status, count] : counts)
      line += (line.empty() ? "" : ", ") + std::to_string(count) + " " + status;
    std::printf("\n%zu problems: %s\n", jobs.size(), line.c_str());
  }
  return code;
}

} // namespace orzo::driver
