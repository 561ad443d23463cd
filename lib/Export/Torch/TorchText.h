// TorchText: lines of torch IR - constants, lists, permutations - under readable, unique names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orzo {

class TorchText {
public:
  /// Appends one op, indented as a function's body is.
  void line(const std::string &text) { lines += "    " + text + "\n"; }

  /// Each defines %name and gives "%name". A list's elements are %name_0, %name_1 ...
  std::string none(const std::string &name);
  std::string boolean(const std::string &name, bool value);
  std::string integer(const std::string &name, int64_t value);
  std::string integers(const std::string &name, const std::vector<int64_t> &values);
  std::string booleans(const std::string &name, const std::vector<bool> &values);

  /// "!torch.vtensor<[1,2],bf16>", or !torch.tensor of a mutable one.
  static std::string tensor(const std::vector<int64_t> &shape, std::string_view element, bool isMutable = false);

  const std::string &text() const { return lines; }

private:
  /// Makes %name of elements that are there; `element` is "int" or "bool".
  std::string list(const std::string &name, const std::vector<std::string> &elements, std::string_view element);

  std::string lines;
};

} // namespace orzo
