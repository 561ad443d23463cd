#include "Graph/TorchText.h"

#include <cctype>
#include <cmath>
#include <cstdio>

namespace orzo {

std::string TorchText::fresh(const std::string &name) {
  std::string base = "%";
  for (char letter : name)
    base += std::isalnum(static_cast<unsigned char>(letter)) && static_cast<unsigned char>(letter) < 128 ? letter : '_';
  // A name of digits alone would be a value's number.
  if (base.size() == 1 || std::isdigit(static_cast<unsigned char>(base[1])))
    base.insert(1, "_");
  std::string unique = base;
  for (int number = 1; !names.insert(unique).second; ++number)
    unique = base + "_" + std::to_string(number);
  return unique;
}

std::string TorchText::constant(const std::string &name, const std::string &value) {
  std::string defined = fresh(name);
  line(defined + " = torch.constant." + value);
  return defined;
}

std::string TorchText::none(const std::string &name) { return constant(name, "none"); }

std::string TorchText::boolean(const std::string &name, bool value) {
  return constant(name, value ? "bool true" : "bool false");
}

std::string TorchText::integer(const std::string &name, int64_t value) {
  return constant(name, "int " + std::to_string(value));
}

std::string TorchText::real(const std::string &name, double value) {
  if (std::isinf(value))
    return constant(name, value > 0 ? "float 0x7FF0000000000000" : "float 0xFFF0000000000000");
  char digits[40];
  (void)std::snprintf(digits, sizeof digits, "%.17e", value);
  return constant(name, std::string("float ") + digits);
}

std::string TorchText::word(const std::string &name, const std::string &value) {
  return constant(name, "str \"" + value + "\"");
}

std::string TorchText::list(const std::string &name, const std::vector<std::string> &elements,
                            std::string_view element) {
  std::string operands, types, defined = fresh(name);
  for (const std::string &one : elements) {
    operands += (operands.empty() ? "" : ", ") + one;
    types += (types.empty() ? "!torch." : ", !torch.") + std::string(element);
  }
  line(defined + " = torch.prim.ListConstruct " + operands + " : (" + types + ") -> !torch.list<" +
       std::string(element) + ">");
  return defined;
}

std::string TorchText::integers(const std::string &name, const std::vector<int64_t> &values) {
  std::vector<std::string> elements;
  for (size_t i = 0; i < values.size(); ++i)
    elements.push_back(integer(name + "_" + std::to_string(i), values[i]));
  return list(name, elements, "int");
}

std::string TorchText::booleans(const std::string &name, const std::vector<bool> &values) {
  std::vector<std::string> elements;
  for (size_t i = 0; i < values.size(); ++i)
    elements.push_back(boolean(name + "_" + std::to_string(i), values[i]));
  return list(name, elements, "bool");
}

TorchValue TorchText::op(const std::string &mnemonic, const std::vector<TorchValue> &operands, const std::string &name,
                         const std::string &type) {
  TorchValue result{fresh(name), type};
  std::string values, types;
  for (const TorchValue &operand : operands) {
    values += (values.empty() ? " " : ", ") + operand.name;
    types += (types.empty() ? "" : ", ") + operand.type;
  }
  line(result.name + " = torch." + mnemonic + values + " : " + types + " -> " + type);
  return result;
}

std::string TorchText::tensor(const std::vector<int64_t> &shape, std::string_view element, bool isMutable) {
  std::string extents;
  for (int64_t extent : shape)
    extents += (extents.empty() ? "" : ",") + std::to_string(extent);
  return std::string(isMutable ? "!torch.tensor<[" : "!torch.vtensor<[") + extents + "]," + std::string(element) + ">";
}

} // namespace orzo
