// Files of driver commands, one a line.
#pragma once

#include "Command/DriverCommand.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orzo {

enum class CommandFileForm : uint8_t {
  Shell, ///< Words as in a shell (.txt).
  Tabs,  ///< Words between TABs, verbatim (.tsv).
};

struct FileCommand {
  size_t lineNumber; ///< From 1.
  std::string text;  ///< The line, without blanks around it.
  Expected<DriverCommand> command;
};

/// Reads every line of `contents`. Blank lines and those that begin with `#` are skipped; a bad line is an entry with
/// its failure and never keeps others from being read. Either line end, and a byte-order mark, are taken.
std::vector<FileCommand> parseCommandFile(std::string_view contents, CommandFileForm form = CommandFileForm::Shell);

} // namespace orzo
