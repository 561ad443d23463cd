#include "Command/Lexer.h"

namespace orzo {

static bool isBlank(char character) {
  return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}

Expected<std::vector<std::string>> splitShell(std::string_view line) {
  std::vector<std::string> tokens;
  size_t position = 0;
  while (true) {
    while (position < line.size() && isBlank(line[position]))
      ++position;
    if (position == line.size())
      return tokens;
    std::string token;
    bool bare = true;
    char quote = 0;
    for (; position < line.size() && (quote || !isBlank(line[position])); ++position) {
      char character = line[position];
      if (quote && character == quote) {
        quote = 0;
      } else if (!quote && (character == '\'' || character == '"')) {
        quote = character;
        bare = false;
      } else if (character == '\\' && quote != '\'') {
        bare = false;
        if (++position == line.size())
          return Status::invalidArgument("the command ends in a backslash that escapes nothing");
        // Inside "..." a backslash is itself unless it precedes a character that is special there.
        if (quote && std::string_view("\"\\$`").find(line[position]) == std::string_view::npos)
          token += '\\';
        token += line[position];
      } else {
        token += character;
      }
    }
    if (quote)
      return Status::invalidArgument(std::string("a ") + quote + " quote is not closed: " + quote + token);
    if (bare && token == "#")
      return tokens;
    tokens.push_back(std::move(token));
  }
}

std::vector<std::string> splitTabs(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n'))
    line.remove_suffix(1);
  std::vector<std::string> tokens;
  while (!line.empty()) {
    size_t end = std::min(line.find('\t'), line.size());
    std::string_view field = line.substr(0, end);
    if (field == "#")
      break;
    if (!field.empty())
      tokens.emplace_back(field);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return tokens;
}

std::string joinShell(const std::vector<std::string> &tokens) {
  std::string line;
  for (const std::string &token : tokens) {
    if (!line.empty())
      line += ' ';
    bool plain = !token.empty() && token != "#" && token.find_first_of(" \t\r\n'\"\\") == std::string::npos;
    if (plain) {
      line += token;
      continue;
    }
    line += '\'';
    for (char character : token)
      if (character == '\'')
        line += "'\\''";
      else
        line += character;
    line += '\'';
  }
  return line;
}

} // namespace orzo
