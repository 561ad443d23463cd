#include "Command/FlagTable.h"

namespace orzo {

static std::string effectText(const FlagRow &row) {
  std::string detail(row.detail);
  switch (row.effect) {
  case Effect::Used:
    return detail;
  case Effect::Option:
    return "sets " + detail;
  case Effect::Ignored:
    break;
  }
  return "no effect here: " + detail;
}

static std::string defaultText(const FlagRow &row, Dialect dialect) {
  const char *value = row.defaultIn(dialect);
  return value ? std::string(value) : std::string();
}

std::string flagHelp(Dialect dialect, const Base &base) {
  std::string text = "usage: " + std::string(programName(dialect)) + " " + std::string(base.word) +
                     " [flag value]...\nflags, with their defaults in brackets:\n";
  for (const FlagRow &row : flagTable()) {
    if (!row.isIn(dialect, base.family))
      continue;
    std::string line = "  " + row.spelling();
    line.resize(std::max<size_t>(line.size() + 1, 30), ' ');
    line += row.meaning;
    if (std::string value = defaultText(row, dialect); !value.empty())
      line += " [" + value + "]";
    if (std::string effect = effectText(row); !effect.empty())
      line += "; " + effect;
    text += line + "\n";
  }
  return text;
}

/// A table cell: `value` as code, "-" for a flag the dialect lacks, blank for one without a default.
static std::string defaultCell(const FlagRow &row, Dialect dialect) {
  if (!row.defaultIn(dialect))
    return "-";
  std::string value = defaultText(row, dialect);
  if (value == required)
    return value;
  return value.empty() ? "(none)" : "`" + value + "`";
}

std::string flagTableMarkdown() {
  std::string text = "| flag | of | MIOpen | BOO | Fusilli | meaning | effect here |\n|---|---|---|---|---|---|---|\n";
  for (const FlagRow &row : flagTable()) {
    std::string of = !row.family ? "all" : *row.family == Family::Conv ? "conv" : "gemm";
    text += "| `" + row.spelling() + "` | " + of;
    for (Dialect dialect : allDialects)
      text += " | " + defaultCell(row, dialect);
    std::string effect = effectText(row);
    text += " | " + std::string(row.meaning) + " | " + (effect.empty() ? "used" : effect) + " |\n";
  }
  return text;
}

} // namespace orzo
