#include "Driver/SourceText.h"

#include <string_view>
#include <vector>

namespace orzo::driver {

namespace {

/// Goes through a source letter by letter, past strings and comments, and keeps what is open.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}

  /// The first place that opens too many brackets, or npos.
  size_t tooDeep() {
    for (; at < text.size(); ++at) {
      char letter = text[at];
      if (letter == '/' && at + 1 < text.size() && text[at + 1] == '/')
        at = std::min(text.find('\n', at), text.size());
      else if (letter == '"')
        skipString();
      else if (isOpening(letter))
        open.push_back(letter);
      else
        close(letter);
      holdsCode |= at < text.size() && letter != '/' && std::string_view(" \t\r\n\f\v").find(letter) == text.npos;
      if (open.size() > deepestNesting)
        return at;
    }
    return std::string_view::npos;
  }

  bool holdsCode = false;

private:
  /// "<" that opens a list of parameters, not one that compares ("<=").
  bool isOpening(char letter) const {
    if (letter == '<')
      return at + 1 >= text.size() || text[at + 1] != '=';
    return letter == '(' || letter == '[' || letter == '{';
  }

  void close(char letter) {
    char opening = letter == ')' ? '(' : letter == ']' ? '[' : letter == '}' ? '{' : letter == '>' ? '<' : 0;
    if (opening == 0 || open.empty())
      return;
    if (opening == '<') { // "->" and ">=" close nothing, nor does one without its partner.
      bool isArrow = at > 0 && text[at - 1] == '-';
      if (!isArrow && open.back() == '<')
        open.pop_back();
      return;
    }
    // What was a comparison after all goes with what encloses it.
    size_t partner = open.size();
    while (partner > 0 && open[partner - 1] == '<')
      --partner;
    if (partner > 0 && open[partner - 1] == opening)
      open.resize(partner - 1);
  }

  void skipString() {
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
      if (text[at] == '\\')
        ++at;
  }

  std::string_view text;
  size_t at = 0;
  std::vector<char> open;
};

std::string place(std::string_view text, size_t at, const std::string &name) {
  size_t line = 1, begin = 0;
  for (size_t i = 0; i < at; ++i)
    if (text[i] == '\n') {
      ++line;
      begin = i + 1;
    }
  return name + ":" + std::to_string(line) + ":" + std::to_string(at - begin + 1) + ": ";
}

} // namespace

Expected<std::string> checkSourceText(std::string contents, const std::string &name) {
  if (contents.starts_with("ML\xefR"))
    return Status::unsupported(name + ":1:1: this is MLIR bytecode; orzo reads MLIR's text, which mlir-opt prints");
  if (contents.starts_with("\xef\xbb\xbf"))
    contents.erase(0, 3);
  if (size_t nul = contents.find('\0'); nul != std::string::npos)
    return Status::invalidArgument(place(contents, nul, name) + "a NUL byte: this is no MLIR text");
  Scanner scanner(contents);
  if (size_t deep = scanner.tooDeep(); deep != std::string::npos)
    return Status::invalidArgument(place(contents, deep, name) + "more than " + std::to_string(deepestNesting) +
                                   " brackets are open here; no module that orzo reads nests as deep");
  if (!scanner.holdsCode)
    return Status::invalidArgument(name + ":1:1: the file holds nothing but blanks and comments; expected an MLIR "
                                          "module");
  return contents;
}

} // namespace orzo::driver
