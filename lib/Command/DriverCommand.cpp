#include "Command/DriverCommand.h"

#include "Command/ConvCommand.h"
#include "Command/GemmCommand.h"
#include "Command/Lexer.h"
#include "Command/Parser.h"

#include <algorithm>

namespace orzo {

static Expected<RunOptions> readOptions(const FlagValues &values, NoteList &notes) {
  RunOptions options;
  bool mustSayIterations = values.dialect() == Dialect::Fusilli;
  if (values.written(Flag::Iter) || mustSayIterations) {
    auto iterations = values.size(Flag::Iter, 1);
    if (!iterations)
      return iterations.status();
    options.iterations = *iterations;
  }
  if (values.written(Flag::Verify)) {
    auto verify = values.boolean(Flag::Verify);
    if (!verify)
      return verify.status();
    options.verify = *verify;
  }
  if (values.written(Flag::VerifyNumerics))
    options.verify = true;
  if (values.written(Flag::CacheDir))
    options.cacheDirectory = *values.word(Flag::CacheDir);
  if (values.written(Flag::Splat)) {
    options.ones = *values.real(Flag::Splat) == 1;
    if (!options.ones)
      notes.noEffect(values.described(Flag::Splat), "only the value 1 (--data=ones) has one");
  }
  if (values.written(Flag::CommandsFile))
    return Status::invalidArgument(values.described(Flag::CommandsFile) +
                                   ": a command cannot name a file of commands; give the file to orzo itself");
  return options;
}

static Expected<DriverCommand> readCommand(std::span<const std::string> tokens) {
  DriverCommand command;
  command.text = joinShell({tokens.begin(), tokens.end()});
  NoteList notes;
  auto parsed = parseTokens(tokens, notes);
  if (!parsed)
    return parsed.status();
  const FlagValues &values = parsed->values;
  command.dialect = values.dialect();
  command.base = values.base().word;
  if (parsed->wantsHelp) {
    command.help = flagHelp(values.dialect(), values.base());
    return command;
  }
  auto problems = values.base().family == Family::Conv ? convProblems(values, notes) : gemmProblems(values);
  if (!problems)
    return problems.status();
  for (const DriverProblem &problem : *problems)
    if (Status status = validate(problem.spec); !status.ok())
      return status;
  auto options = readOptions(values, notes);
  if (!options)
    return options.status();
  command.problems = problems.take();
  command.options = options.take();
  command.notes = notes.texts();
  return command;
}

Expected<DriverCommand> parseDriverCommand(std::span<const std::string> tokens) {
  auto comment = std::find(tokens.begin(), tokens.end(), "#");
  return readCommand(tokens.first(comment - tokens.begin()));
}

Expected<DriverCommand> parseDriverCommand(std::string_view line) {
  auto tokens = splitShell(line);
  if (!tokens)
    return tokens.status();
  return readCommand(*tokens);
}

bool beginsDriverCommand(std::string_view word) { return dialectOfProgram(word) || isKnownBase(word); }

} // namespace orzo
