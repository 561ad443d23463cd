#include "Driver/ArtifactReport.h"
#include "Driver/Main.h"
#include "Driver/OptionBinding.h"
#include "Driver/Run.h"
#include "Driver/StandardStreams.h"

namespace orzo::driver {

/// The artifact is the input itself.
static Expected<Compiled> ownArtifact(const Job &job, const CompileSettings &) {
  Compiled compiled;
  compiled.bytes = job.artifact;
  compiled.cached = true;
  return compiled;
}

static int runCommandLine(int argc, char **argv) {
  CLI::App app("runs compiled convolutions", "orzo-run");
  app.require_subcommand(1);
  RunOptions run, bench, verify;
  SharedOptions report;
  OptionGroups groups = {.compile = false};
  bindShared(*app.add_subcommand("run", "run on generated data, verify, time, report"), run.shared, groups);
  bench.shared.format = ReportFormat::Markdown;
  bench.verifyDefault = VerifyMode::Sample;
  bench.leastIterations = 10;
  bindShared(*app.add_subcommand("bench", "time many artifacts; a table, or CSV and JSON"), bench.shared, groups);
  verify.time = false;
  bindShared(*app.add_subcommand("verify", "run once and check, no timing"), verify.shared, groups);
  CLI::App *reportCommand = app.add_subcommand("report", "manifest, counters and plans of an artifact");
  reportCommand->add_option("INPUT", report.words.inputs, "artifact files (.orzo)")->type_name("");
  bindOutput(*reportCommand, report);
  if (std::optional<int> code = parseWords(app, {argv + 1, argv + argc}))
    return *code;
  for (auto [name, options] : {std::pair("run", &run), std::pair("bench", &bench), std::pair("verify", &verify)})
    if (app.got_subcommand(name))
      return runJobs(readArtifacts(options->shared.words.inputs), *options, ownArtifact);
  return reportJobs(readArtifacts(report.words.inputs), report);
}

int orzoRunMain(int argc, char **argv) {
  holdStandardStreams();
  return finishOutput(runCommandLine(argc, argv));
}

} // namespace orzo::driver
