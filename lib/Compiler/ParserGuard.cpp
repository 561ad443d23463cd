#include "Compiler/ParserGuard.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace orzo {

/// Blanks and comments.
static llvm::StringRef skip(llvm::StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.consume_front("//"))
      return text;
    text = text.drop_until([](char letter) { return letter == '\n'; });
  }
}

/// Takes `[1, -2, ...]` off; false where that is not what comes next.
static bool takeList(llvm::StringRef &text) {
  text = skip(text);
  if (!text.consume_front("["))
    return false;
  text = skip(text);
  if (text.consume_front("]"))
    return true;
  while (true) {
    text = skip(text);
    llvm::StringRef number = text.take_while([](char letter) { return llvm::isDigit(letter) || letter == '-'; });
    int64_t value = 0;
    if (number.getAsInteger(10, value))
      return false;
    text = skip(text.drop_front(number.size()));
    if (text.consume_front("]"))
      return true;
    if (!text.consume_front(","))
      return false;
  }
}

/// Whether what comes next is no list of groups, or one of groups that count up from 0.
static bool groupsCountUp(llvm::StringRef text) {
  text = skip(text);
  if (!text.consume_front("["))
    return true;
  text = skip(text);
  int64_t next = 0;
  while (text.consume_front("[")) {
    do {
      text = skip(text);
      llvm::StringRef number = text.take_while([](char letter) { return llvm::isDigit(letter) || letter == '-'; });
      int64_t value = -1;
      if (number.getAsInteger(10, value) || value != next++)
        return false;
      text = skip(text.drop_front(number.size()));
    } while (text.consume_front(","));
    if (!text.consume_front("]"))
      return true; // The parser says what is wrong with that.
    text = skip(text);
    if (text.consume_front(","))
      text = skip(text);
  }
  return true;
}

static Status refuseAt(llvm::StringRef before, const std::string &inputName, const std::string &what) {
  size_t line = std::count(before.begin(), before.end(), '\n') + 1;
  size_t begin = before.rfind('\n');
  size_t column = before.size() - (begin == llvm::StringRef::npos ? 0 : begin + 1) + 1;
  return Status::invalidArgument(inputName + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + what);
}

Status guardParser(const std::string &source, const std::string &inputName) {
  llvm::StringRef all = source;
  for (llvm::StringRef word : {"permutation", "dimensions"}) {
    for (size_t at = all.find(word); at != llvm::StringRef::npos; at = all.find(word, at + 1)) {
      llvm::StringRef rest = skip(all.drop_front(at + word.size()));
      if (!rest.consume_front("=") || takeList(rest))
        continue;
      // In the generic form of an op it is an attribute like any other.
      llvm::StringRef before = all.take_front(at);
      size_t op = before.rfind("linalg.");
      if (op != llvm::StringRef::npos && op > 0 && before[op - 1] == '"')
        continue;
      return refuseAt(before, inputName, word.str() + " must be a list of whole numbers in brackets");
    }
  }
  for (llvm::StringRef word : {"expand_shape", "collapse_shape", "reassociation"}) {
    for (size_t at = all.find(word); at != llvm::StringRef::npos; at = all.find(word, at + 1)) {
      // The groups are what follows the operand, or the attribute's name and the equals sign.
      llvm::StringRef rest = all.drop_front(at + word.size());
      rest = rest.drop_until([](char letter) { return letter == '[' || letter == ':' || letter == '\n'; });
      if (!groupsCountUp(rest))
        return refuseAt(all.take_front(at), inputName, word.str() + " must have groups of dims that count 0, 1, 2 ...");
    }
  }
  return Status::success();
}

} // namespace orzo
