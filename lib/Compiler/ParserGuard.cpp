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
      size_t line = std::count(before.begin(), before.end(), '\n') + 1;
      size_t begin = before.rfind('\n');
      size_t column = at - (begin == llvm::StringRef::npos ? 0 : begin + 1) + 1;
      return Status::invalidArgument(inputName + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " +
                                     word.str() + " must be a list of whole numbers in brackets");
    }
  }
  return Status::success();
}

} // namespace orzo
