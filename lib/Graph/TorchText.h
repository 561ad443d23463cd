// TorchText: lines of torch IR - constants, lists, ops - under readable, unique names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace orzo {

/// A value of torch IR: "%x" and "!torch.vtensor<[2,3],f32>".
struct TorchValue {
  std::string name, type;
};

class TorchText {
public:
  /// Appends one op, indented as a function's body is.
  void line(const std::string &text) { lines += "    " + text + "\n"; }

  /// "%name", with letters, digits and underscores only, and a number behind where that is taken.
  std::string fresh(const std::string &name);

  /// Each defines %name (made fresh) and gives "%name". A list's elements are %name_0, %name_1 ...
  std::string none(const std::string &name);
  std::string boolean(const std::string &name, bool value);
  std::string integer(const std::string &name, int64_t value);
  std::string real(const std::string &name, double value);
  std::string word(const std::string &name, const std::string &value);
  std::string integers(const std::string &name, const std::vector<int64_t> &values);
  std::string booleans(const std::string &name, const std::vector<bool> &values);

  /// %name = torch.mnemonic operands : types -> type; `name` is made fresh.
  TorchValue op(const std::string &mnemonic, const std::vector<TorchValue> &operands, const std::string &name,
                const std::string &type);

  /// "!torch.vtensor<[1,2],bf16>", or !torch.tensor of a mutable one.
  static std::string tensor(const std::vector<int64_t> &shape, std::string_view element, bool isMutable = false);

  const std::string &text() const { return lines; }

private:
  std::string constant(const std::string &name, const std::string &value);
  /// Makes %name of elements that are there; `element` is "int" or "bool".
  std::string list(const std::string &name, const std::vector<std::string> &elements, std::string_view element);

  std::string lines;
  std::unordered_set<std::string> names;
};

} // namespace orzo
