#include "Command/Parser.h"

#include "Command/Suggestion.h"

#include <algorithm>
#include <vector>

namespace orzo {

static bool isFlag(std::string_view token) { return token.size() > 1 && token[0] == '-'; }
static bool isLong(std::string_view token) { return token.size() > 2 && token.starts_with("--"); }

/// The name in "--name" or "--name=value".
static std::string_view longName(std::string_view token) {
  token.remove_prefix(2);
  return token.substr(0, token.find('='));
}

static bool hasName(std::string_view name, Dialect dialect) {
  return findName(name, dialect, Family::Conv) || findName(name, dialect, Family::Gemm);
}

static const FlagRow *rowOfToken(std::string_view token, Dialect dialect, Family family) {
  return isLong(token) ? findName(longName(token), dialect, family) : findLetter(token[1], dialect, family);
}

/// Tokens that flag `token` takes up when the base, and with it the family, is not known yet: 2 with a separate value.
static size_t width(std::string_view token, Dialect dialect) {
  const FlagRow *row = rowOfToken(token, dialect, Family::Conv);
  if (!row)
    row = rowOfToken(token, dialect, Family::Gemm);
  bool inlineValue = isLong(token) ? token.find('=') != std::string_view::npos : token.size() > 2;
  return inlineValue || (row && row->kind == ValueKind::None) ? 1 : 2;
}

/// Index of the base: the first token that is neither a flag nor a flag's value.
static size_t baseIndex(std::span<const std::string> tokens, Dialect dialect) {
  if (dialect == Dialect::MIOpen)
    return 0;
  size_t index = 0;
  while (index < tokens.size() && isFlag(tokens[index]))
    index += width(tokens[index], dialect);
  return std::min(index, tokens.size());
}

static Dialect dialectWithoutName(std::span<const std::string> tokens, NoteList &notes) {
  auto readAs = [&](Dialect dialect, const std::string &because) {
    notes.add("read as a command of " + std::string(programName(dialect)) + ": " + because);
    return dialect;
  };
  if (!tokens.empty() && isFlag(tokens[0]) && tokens[0] != "-h" && tokens[0] != "-?" && tokens[0] != "--help") {
    size_t base = baseIndex(tokens, Dialect::Fusilli);
    bool fusilli = true;
    for (size_t index = 0; index < base; index += width(tokens[index], Dialect::Fusilli)) {
      const FlagRow *row = rowOfToken(tokens[index], Dialect::Fusilli, Family::Conv);
      fusilli = fusilli && row && !row->family;
    }
    return readAs(fusilli ? Dialect::Fusilli : Dialect::Boo, "flags stand before the base");
  }
  for (const std::string &token : tokens)
    if (isLong(token) && !hasName(longName(token), Dialect::MIOpen))
      for (Dialect other : {Dialect::Boo, Dialect::Fusilli})
        if (hasName(longName(token), other))
          return readAs(other, "--" + std::string(longName(token)) + " is its flag");
  return Dialect::MIOpen;
}

/// The spellings of `dialect` and `family`, as a user writes them.
static std::vector<std::string> spellings(Dialect dialect, Family family, bool longOnes) {
  std::vector<std::string> known;
  for (const FlagRow &row : flagTable()) {
    if (!row.isIn(dialect, family))
      continue;
    if (!longOnes && row.letter)
      known.push_back(std::string("-") + row.letter);
    for (std::string_view name : {row.name, row.alias})
      if (longOnes && !name.empty())
        known.push_back("--" + std::string(name));
  }
  return known;
}

static Status unknownFlag(std::string_view token, const FlagValues &values) {
  bool isName = isLong(token);
  std::string flag = isName ? "--" + std::string(longName(token)) : std::string(token.substr(0, 2));
  Family family = values.base().family;
  std::string message = std::string(programName(values.dialect())) + " " + std::string(values.base().word) +
                        " has no flag " + flag + didYouMean(flag, spellings(values.dialect(), family, isName));
  for (Dialect other : allDialects)
    if (other != values.dialect() && rowOfToken(token, other, family))
      message += "; " + std::string(programName(other)) + " has it: begin the command with that name to use its flags";
  return Status::invalidArgument(message);
}

namespace {
/// One flag on the command line, as far as its own token tells.
struct FlagToken {
  const FlagRow *row;
  std::string spelling;
  std::optional<std::string> inlineValue;
};
} // namespace

/// The row `name` abbreviates, argparse's way.
static Expected<const FlagRow *> abbreviated(std::string_view name, const FlagValues &values) {
  std::vector<std::string> matches;
  const FlagRow *found = nullptr;
  for (const FlagRow &row : flagTable())
    for (std::string_view full : {row.name, row.alias})
      if (row.isIn(values.dialect(), values.base().family) && full.starts_with(name)) {
        if (!found || &row != found)
          matches.push_back("--" + std::string(full));
        found = &row;
      }
  if (matches.size() <= 1)
    return found;
  std::string message = "--" + std::string(name) + " may be";
  for (size_t index = 0; index < matches.size(); ++index)
    message += (index ? ", " : " ") + matches[index];
  return Status::invalidArgument(message + "; write more of it");
}

static Expected<FlagToken> readLong(const std::string &token, const FlagValues &values) {
  std::string_view name = longName(token);
  const FlagRow *row = findName(name, values.dialect(), values.base().family);
  if (!row && values.dialect() == Dialect::Boo && !name.empty()) {
    auto unique = abbreviated(name, values);
    if (!unique)
      return unique.status();
    row = *unique;
  }
  if (!row)
    return unknownFlag(token, values);
  FlagToken flag{row, "--" + std::string(name), std::nullopt};
  if (size_t equals = token.find('='); equals != std::string::npos)
    flag.inlineValue = token.substr(equals + 1);
  return flag;
}

static Expected<FlagToken> readShort(const std::string &token, const FlagValues &values) {
  const FlagRow *row = findLetter(token[1], values.dialect(), values.base().family);
  if (!row)
    return unknownFlag(token, values);
  FlagToken flag{row, token.substr(0, 2), std::nullopt};
  std::string rest = token.substr(2);
  if (rest.empty())
    return flag;
  if (rest[0] == '=')
    flag.inlineValue = rest.substr(1);
  else if (values.dialect() != Dialect::MIOpen || (row->kind == ValueKind::Integer && parseInteger(rest)) ||
           (row->kind == ValueKind::Real && parseReal(rest)))
    flag.inlineValue = rest;
  else
    flag.spelling = token + " (that is " + flag.spelling + ": after one dash only the first letter counts)";
  return flag;
}

static Status bareWord(const std::string &word) {
  std::string hint = word.starts_with('#') ? "a comment begins with a # that stands alone"
                                           : "every flag takes one value, and everything else is a flag";
  return Status::invalidArgument("unexpected word '" + word + "'; " + hint);
}

/// A token that may stand as a separate value.
static bool canBeValue(const std::string &token, Dialect dialect) {
  return dialect == Dialect::MIOpen || !isFlag(token) || parseReal(token);
}

Expected<ParsedCommand> parseTokens(std::span<const std::string> tokens, NoteList &notes) {
  // A line of MIOpen's log: "MIOpen(HIP): Command [...] ./bin/MIOpenDriver conv ...".
  if (!tokens.empty() && tokens[0].starts_with("MIOpen(")) {
    auto program = std::find_if(tokens.begin(), tokens.end(),
                                [](const std::string &token) { return dialectOfProgram(token).has_value(); });
    if (program != tokens.end())
      tokens = tokens.subspan(program - tokens.begin());
  }
  std::optional<Dialect> named = tokens.empty() ? std::nullopt : dialectOfProgram(tokens[0]);
  if (named)
    tokens = tokens.subspan(1);
  Dialect dialect = named ? *named : dialectWithoutName(tokens, notes);
  size_t baseAt = baseIndex(tokens, dialect);
  if (baseAt == tokens.size() || isFlag(tokens[baseAt])) {
    bool help = !tokens.empty() && (tokens[0] == "-h" || tokens[0] == "--help" || tokens[0] == "-?");
    if (!help)
      return Status::invalidArgument(
          "the command has no base; it begins with one of conv, convfp16, convbfp16, gemm ...");
    return ParsedCommand{FlagValues(dialect, bases().front()), true};
  }
  auto base = parseBase(tokens[baseAt], dialect);
  if (!base)
    return base.status();

  ParsedCommand command{FlagValues(dialect, *base)};
  for (size_t index = 0; index < tokens.size(); ++index) {
    const std::string &token = tokens[index];
    if (index == baseAt)
      continue;
    if (!isFlag(token))
      return bareWord(token);
    auto flag = isLong(token) ? readLong(token, command.values) : readShort(token, command.values);
    if (!flag)
      return flag.status();
    std::string value;
    if (flag->row->kind == ValueKind::None) {
      if (flag->inlineValue)
        return Status::invalidArgument(flag->spelling + " takes no value, got '" + *flag->inlineValue + "'");
    } else if (flag->inlineValue) {
      value = *flag->inlineValue;
    } else {
      if (index + 1 == tokens.size() || index + 1 == baseAt || !canBeValue(tokens[index + 1], dialect))
        return Status::invalidArgument(flag->spelling + ": its value is missing (" + std::string(flag->row->meaning) +
                                       ")");
      value = tokens[++index];
    }
    if (flag->row->flag == Flag::Help)
      command.wantsHelp = true;
    else if (Status status = command.values.write(*flag->row, flag->spelling, value, notes); !status.ok())
      return status;
  }
  return command;
}

} // namespace orzo
