#include "Driver/Compare.h"
#include "Driver/Compile.h"
#include "Driver/Convert.h"
#include "Driver/Explain.h"
#include "Driver/Main.h"
#include "Driver/Opt.h"
#include "Driver/OptionBinding.h"
#include "Driver/Run.h"
#include "Driver/StandardStreams.h"
#include "Driver/Targets.h"

#include <cstdio>
#include <cstring>

namespace orzo::driver {

namespace {

/// A command that is known and does nothing yet.
struct LaterCommand {
  const char *name, *summary;
};

constexpr LaterCommand laterCommands[] = {
    {"tune", "search plans, write the tuning database"},
    {"fuzz", "random legal problems against the oracle"},
    {"doctor", "look for what keeps orzo from working well"},
    {"merge", "merge tuning databases"},
    {"completion", "shell completion"},
};

std::optional<int> answerLater(std::string_view word) {
  for (const LaterCommand &command : laterCommands)
    if (word == command.name) {
      std::fprintf(stderr,
                   "orzo %s: comes later; run, bench, compile, explain, compare, convert, opt and targets work\n",
                   command.name);
      return 3;
    }
  return std::nullopt;
}

struct AllOptions {
  RunOptions run, bench;
  CompileOptions compile;
  ExplainOptions explain;
  CompareOptions compare;
  ConvertOptions convert;
  TargetsOptions targets;
  SharedOptions targetsOutput;
};

/// Binds every command; `words` of the command that was given is where its inputs are.
void bindCommands(CLI::App &app, AllOptions &options) {
  CLI::App *run = app.add_subcommand("run", "compile (cached), run on generated data, verify, time, report");
  bindShared(*run, options.run.shared, {});

  CLI::App *bench = app.add_subcommand("bench", "time many problems; a table, or CSV and JSON");
  options.bench.shared.format = ReportFormat::Markdown;
  options.bench.verifyDefault = VerifyMode::Sample;
  options.bench.leastIterations = 10;
  bindShared(*bench, options.bench.shared, {});
  bench->add_option("--seconds", options.bench.budgetSeconds, "of timing a problem, without --iter (default 1)")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");

  CLI::App *compile = app.add_subcommand("compile", "compile to an artifact, or to the IR of one phase");
  bindShared(*compile, options.compile.shared, {.run = false});
  compile->add_option("-o,--output", options.compile.output, "the artifact's file, or the IR's; - is standard output")
      ->type_name("FILE");
  compile
      ->add_option("--emit", options.compile.emit,
                   "instead of the artifact: import, conv, dispatch, kernel, target, llvm or asm; or a better form for "
                   "other compilers: torch, linalg, iree")
      ->type_name("WHAT");

  CLI::App *explain = app.add_subcommand("explain", "what a problem is, what is done with it and why");
  bindShared(*explain, options.explain.shared, {.run = false});
  explain->add_flag("!--no-measure", options.explain.measure, "leave out the measured floor");

  CLI::App *compare = app.add_subcommand("compare", "two inputs: the same problem? differences in meaning and in "
                                                    "spelling, both run on the same bytes and timed");
  bindShared(*compare, options.compare.shared, {});

  CLI::App *convert = app.add_subcommand("convert", "print the input in another spelling");
  bindShared(*convert, options.convert.shared, {.compile = false, .run = false});
  convert->add_option("--to", options.convert.to, "miopen, boo, fusilli, cpp, torch or linalg")
      ->required()
      ->type_name("SPELLING");
  convert->add_option("-o,--output", options.convert.output, "a file; - is standard output (default)")
      ->type_name("FILE");

  CLI::App *targets = app.add_subcommand("targets", "what this build and this machine can do");
  targets->add_flag("--measure", options.targets.measure, "add this machine's peaks and bandwidth");
  bindOutput(*targets, options.targetsOutput);
  bindThreads(*targets, options.targets.threads);

  app.add_subcommand("opt", "mlir-opt with orzo's dialects and passes");
  for (const LaterCommand &command : laterCommands)
    app.add_subcommand(command.name, std::string(command.summary) + " (comes later)");
}

int dispatchCommand(const CLI::App &app, AllOptions &options, const InputWords &driverWords) {
  auto withWords = [&](SharedOptions &shared) {
    shared.words.hasDriverCommand = driverWords.hasDriverCommand;
    shared.words.driverCommand = driverWords.driverCommand;
  };
  if (app.got_subcommand("run")) {
    withWords(options.run.shared);
    return runJobs(readInputs(options.run.shared.words), options.run, compileJob);
  }
  if (app.got_subcommand("bench")) {
    withWords(options.bench.shared);
    return runJobs(readInputs(options.bench.shared.words), options.bench, compileJob);
  }
  if (app.got_subcommand("compile")) {
    withWords(options.compile.shared);
    return compileCommand(options.compile);
  }
  if (app.got_subcommand("explain")) {
    withWords(options.explain.shared);
    return explainCommand(options.explain);
  }
  if (app.got_subcommand("compare")) {
    withWords(options.compare.shared);
    return compareCommand(options.compare);
  }
  if (app.got_subcommand("convert")) {
    withWords(options.convert.shared);
    return convertCommand(options.convert);
  }
  options.targets.format = options.targetsOutput.format;
  return targetsCommand(options.targets);
}

int runCommandLine(int argc, char **argv) {
  std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "opt") // All of its options are mlir-opt's.
    return optCommand(argc - 1, argv + 1);
  if (std::optional<int> code = answerLater(first))
    return *code;
  std::vector<std::string> words;
  InputWords driverWords;
  for (int i = 1; i < argc; ++i) {
    if (!driverWords.hasDriverCommand && std::strcmp(argv[i], "--") == 0)
      driverWords.hasDriverCommand = true;
    else
      (driverWords.hasDriverCommand ? driverWords.driverCommand : words).emplace_back(argv[i]);
  }
  CLI::App app("compiles convolutions and runs them", "orzo");
  app.require_subcommand(1);
  AllOptions options;
  bindCommands(app, options);
  if (std::optional<int> code = parseWords(app, std::move(words)))
    return *code;
  return dispatchCommand(app, options, driverWords);
}

} // namespace

int orzoMain(int argc, char **argv) {
  holdStandardStreams();
  return finishOutput(runCommandLine(argc, argv));
}

} // namespace orzo::driver
