#include "Driver/OptionBinding.h"

#include "Driver/Version.h"
#include "orzo/Support/Environment.h"

#include <charconv>
#include <cstdio>
#include <unistd.h>

namespace orzo::driver {

namespace {

/// An option whose text `parse` turns into a T, its failures being messages of the command line.
template <typename T, typename Parse>
void bindParsed(CLI::App &command, const std::string &names, T &into, const Parse &parse, const std::string &help,
                const std::string &values) {
  command
      .add_option_function<std::string>(
          names,
          [&into, parse, names](const std::string &text) {
            auto value = parse(text);
            if (!value)
              throw CLI::ValidationError(value.status().message());
            into = *value;
          },
          help)
      ->type_name(values);
}

/// "2e9", "512M", "4 G": a number with a decimal prefix.
Expected<double> parseQuantity(const std::string &option, const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  double factor = 1;
  std::string_view suffix = end;
  for (auto [letter, scale] :
       {std::pair('k', 1e3), std::pair('K', 1e3), std::pair('M', 1e6), std::pair('G', 1e9), std::pair('T', 1e12)})
    if (suffix.size() == 1 && suffix[0] == letter) {
      factor = scale;
      suffix = "";
    }
  if (text.empty() || end == text.c_str() || !suffix.empty() || !(value >= 0))
    return Status::invalidArgument(option + ": got '" + text +
                                   "', expected a number that is not negative, with k, M, "
                                   "G or T behind it if wanted: 2e9, 512M");
  return value * factor;
}

void bindQuantity(CLI::App &command, const std::string &name, std::optional<double> &into, const std::string &help) {
  bindParsed(
      command, name, into, [name](const std::string &text) { return parseQuantity(name, text); }, help, "NUMBER");
}

/// A whole number from `least` to `most`.
template <typename T, typename Into>
void bindInteger(CLI::App &command, const std::string &name, Into &into, T least, T most, const std::string &help) {
  bindParsed(
      command, name, into,
      [name, least, most](const std::string &text) -> Expected<T> {
        T value{};
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
          return Status::invalidArgument(name + ": got '" + text + "', expected a whole number from " +
                                         std::to_string(least) + " to " + std::to_string(most));
        return value;
      },
      help, "NUMBER");
}

Expected<double> parseTimeout(const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(value >= 0))
    return Status::invalidArgument("--timeout: got '" + text +
                                   "', expected a number of seconds that is not negative; 0 is no limit");
  return value;
}

void bindColor(CLI::App &command, bool &color) {
  color = isatty(STDOUT_FILENO) && !colorForbidden();
  bindParsed(
      command, "--color", color,
      [](const std::string &text) -> Expected<bool> {
        if (text == "auto")
          return isatty(STDOUT_FILENO) && !colorForbidden();
        if (text == "always" || text == "never")
          return text == "always";
        return Status::invalidArgument("--color: got '" + text + "', expected auto, always or never");
      },
      "colours in text: auto (default), always, never", "WHEN");
}

void bindCompile(CLI::App &command, SharedOptions &options) {
  command
      .add_option("--target", options.target,
                  "cpu (this machine's instruction set), or cpu:ISA,... of avx2, "
                  "avx512, avx512_bf16, or cuda:sm_90a")
      ->type_name("TARGET");
  command.add_option("--force-lowering", options.forceLowering, "contract, implicit, wgrad or zero-insert")
      ->type_name("NAME");
  command.add_option("--plan", options.plan, "the text of a plan, instead of the cost model's")->type_name("TEXT");
  command.add_option("--stop-after", options.stopAfter, "print the IR after import, conv, dispatch, kernel or target")
      ->type_name("PHASE");
  command.add_option("--dump-ir", options.dumpIr, "write the IR after every phase into this folder")->type_name("DIR");
  command.add_option("--tuning", options.tuning, "tuning database (comes later)")->type_name("FILE");
  command
      .add_option("--cache-dir", options.cacheDirectory,
                  "folder of compiled artifacts (default ORZO_CACHE_DIR, "
                  "else ~/.cache/orzo)")
      ->type_name("DIR");
  command.add_flag("--no-cache", options.noCache, "neither read nor write the cache");
  command.add_flag("--no-fallback", options.noFallback, "fail rather than fall back; nothing falls back today");
  command.add_flag("--strict-rounding", options.strictRounding, "round at every declared type");
}

void bindRun(CLI::App &command, SharedOptions &options) {
  bindParsed(command, "--verify", options.verify, parseVerifyMode, "auto, full, project, sample or off", "MODE");
  bindParsed(command, "--data", options.data, parseDataKind, "random, integer or ones", "KIND");
  bindInteger<uint64_t>(command, "--seed", options.seed, 0, UINT64_MAX, "of data, signs and samples (default 1)");
  bindInteger<int64_t>(command, "--iter", options.iterations, 1, 1'000'000'000, "timed runs, exactly");
  bindInteger<int64_t>(command, "--warmup", options.warmup, 0, 1'000'000'000, "untimed runs before (default 1)");
}

} // namespace

void bindOutput(CLI::App &command, SharedOptions &options) {
  bindParsed(command, "--format", options.format, parseReportFormat, "text, json, csv, miopen or markdown", "FORM");
  command.add_flag("--quiet", options.quiet, "text: neither problems that are ok nor notes");
  bindColor(command, options.color);
}

void bindThreads(CLI::App &command, int &threads) {
  bindInteger<int>(command, "--threads", threads, 1, 1024, "threads to run on (default: every core)");
}

void bindShared(CLI::App &command, SharedOptions &options, OptionGroups groups) {
  if (groups.inputs)
    command
        .add_option("INPUT", options.words.inputs,
                    groups.compile ? "a quoted driver command, a file (.txt, .tsv, .mlir, .graph, .orzo), - "
                                     "for standard input; or a driver command after --"
                                   : "artifact files (.orzo); - is standard input")
        ->type_name("");
  if (groups.inputs && groups.compile)
    command.add_option("--commands-file", options.words.commandsFiles, "a file of driver commands, one a line")
        ->expected(1)
        ->type_name("FILE");
  if (groups.compile)
    bindCompile(command, options);
  else
    command.add_option("--target", options.target, "which image to take: cpu (the best), cpu:ISA, cuda:sm_90a")
        ->type_name("TARGET");
  if (groups.run)
    bindRun(command, options);
  bindThreads(command, options.threads);
  bindQuantity(command, "--max-flops", options.maxFlops, "skip problems with more useful FLOPs");
  bindQuantity(command, "--max-bytes", options.maxBytes, "skip problems with more bytes of tensors");
  bindParsed(command, "--timeout", options.timeoutSeconds, parseTimeout, "seconds for one problem (status timeout)",
             "SECONDS");
  bindOutput(command, options);
}

std::optional<int> parseWords(CLI::App &app, std::vector<std::string> words) {
  app.set_version_flag("--version", version, "print the version");
  std::string known;
  bool isKnown = words.empty() || words[0].starts_with("-");
  for (const CLI::App *command : std::as_const(app).get_subcommands([](const CLI::App *) { return true; })) {
    known += (known.empty() ? "" : ", ") + command->get_name();
    isKnown = isKnown || command->get_name() == words[0];
  }
  if (words.empty()) {
    std::fprintf(stderr, "%s: no command; there are %s; see %s --help\n", app.get_name().c_str(), known.c_str(),
                 app.get_name().c_str());
    return 2;
  }
  if (!isKnown) {
    std::fprintf(stderr, "%s: unknown command '%s'; there are %s\n", app.get_name().c_str(), words[0].c_str(),
                 known.c_str());
    return 2;
  }
  std::reverse(words.begin(), words.end()); // As CLI11 wants them.
  try {
    app.parse(words);
  } catch (const CLI::Success &success) { // Help and version.
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    std::string command = app.get_name();
    for (const CLI::App *sub : app.get_subcommands())
      command += " " + sub->get_name();
    std::fprintf(stderr, "%s: %s; see %s --help. A driver command goes behind -- or into one quoted argument\n",
                 command.c_str(), error.what(), command.c_str());
    return 2;
  }
  return std::nullopt;
}

} // namespace orzo::driver
