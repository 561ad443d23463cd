#include "Command/CommandFile.h"

#include "Command/Lexer.h"

namespace orzo {

static std::string_view trimmed(std::string_view line) {
  size_t first = line.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    return {};
  return line.substr(first, line.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<FileCommand> parseCommandFile(std::string_view contents, CommandFileForm form) {
  if (contents.starts_with("\xef\xbb\xbf"))
    contents.remove_prefix(3);
  std::vector<FileCommand> commands;
  for (size_t lineNumber = 1; !contents.empty(); ++lineNumber) {
    size_t end = std::min(contents.find('\n'), contents.size());
    std::string_view line = trimmed(contents.substr(0, end));
    contents.remove_prefix(std::min(end + 1, contents.size()));
    if (line.empty() || line[0] == '#')
      continue;
    auto parse = [&]() -> Expected<DriverCommand> {
      if (form == CommandFileForm::Shell)
        return parseDriverCommand(line);
      return parseDriverCommand(splitTabs(line));
    };
    commands.push_back({lineNumber, std::string(line), parse()});
  }
  return commands;
}

} // namespace orzo
