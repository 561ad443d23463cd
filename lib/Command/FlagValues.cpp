#include "Command/FlagValues.h"

#include <algorithm>
#include <charconv>

namespace orzo {

Expected<int64_t> parseInteger(std::string_view text) {
  std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  int64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    return Status::invalidArgument("'" + std::string(text) + "' does not fit in 64 bits");
  if (error != std::errc() || end != digits.data() + digits.size() ||
      (text.starts_with('+') && digits.starts_with('-')))
    return Status::invalidArgument("expected a whole number, got '" + std::string(text) + "'");
  return value;
}

Expected<double> parseReal(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return Status::invalidArgument("expected a number, got '" + std::string(text) + "'");
  return value;
}

Status FlagValues::write(const FlagRow &row, const std::string &spelling, const std::string &value, NoteList &notes) {
  if (row.kind == ValueKind::Integer)
    if (auto number = parseInteger(value); !number)
      return number.status().within(spelling);
  if (row.kind == ValueKind::Real)
    if (auto number = parseReal(value); !number)
      return number.status().within(spelling);
  if (row.effect == Effect::Ignored) {
    notes.noEffect(spelling, std::string(row.detail));
    return Status::success();
  }
  auto earlier = std::find_if(flags.begin(), flags.end(), [&](const Written &flag) { return flag.flag == row.flag; });
  if (earlier != flags.end()) {
    if (earlier->value != value)
      notes.add("flag " + spelling + " is written more than once; the last value, " + value + ", counts");
    flags.erase(earlier);
  }
  flags.push_back({row.flag, spelling, value});
  return Status::success();
}

const FlagValues::Written *FlagValues::find(Flag flag) const {
  for (const Written &candidate : flags)
    if (candidate.flag == flag)
      return &candidate;
  return nullptr;
}

std::string FlagValues::spelling(Flag flag) const {
  const Written *written = find(flag);
  return written ? written->spelling : "";
}

std::string FlagValues::described(Flag flag) const {
  if (const Written *written = find(flag))
    return written->value.empty() ? written->spelling : written->spelling + " " + written->value;
  const FlagRow &row = rowOf(flag, ofDialect, ofBase.family);
  const char *value = row.defaultIn(ofDialect) ? row.defaultIn(ofDialect) : row.defaultIn(Dialect::MIOpen);
  return row.spelling() + " (default " + std::string(value ? value : "") + ")";
}

Expected<std::string> FlagValues::word(Flag flag) const {
  if (const Written *written = find(flag))
    return written->value;
  const FlagRow &row = rowOf(flag, ofDialect, ofBase.family);
  const char *value = row.defaultIn(ofDialect) ? row.defaultIn(ofDialect) : row.defaultIn(Dialect::MIOpen);
  if (value && value == required)
    return Status::invalidArgument(row.spelling() + " is missing: " + std::string(programName(ofDialect)) +
                                   " has no default for it (" + std::string(row.meaning) + ")");
  return std::string(value ? value : "");
}

Expected<int64_t> FlagValues::integer(Flag flag) const {
  auto text = word(flag);
  if (!text)
    return text.status();
  auto value = parseInteger(*text);
  return value ? value : value.status().within(described(flag));
}

Expected<double> FlagValues::real(Flag flag) const {
  auto text = word(flag);
  if (!text)
    return text.status();
  auto value = parseReal(*text);
  return value ? value : value.status().within(described(flag));
}

Expected<int64_t> FlagValues::size(Flag flag, int64_t least) const {
  auto value = integer(flag);
  if (!value || (*value >= least && *value <= largestSize))
    return value;
  std::string meaning(rowOf(flag, ofDialect, ofBase.family).meaning);
  return Status::invalidArgument(
      described(flag) + ": " + meaning + " must be " +
      (*value < least ? "at least " + std::to_string(least) : "at most " + std::to_string(largestSize)));
}

Expected<bool> FlagValues::boolean(Flag flag) const {
  auto value = integer(flag);
  if (!value)
    return value.status();
  if (*value != 0 && *value != 1)
    return Status::invalidArgument(described(flag) + ": must be 0 or 1");
  return *value == 1;
}

} // namespace orzo
