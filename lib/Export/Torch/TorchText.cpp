#include "Export/Torch/TorchText.h"

namespace orzo {

std::string TorchText::none(const std::string &name) {
  line("%" + name + " = torch.constant.none");
  return "%" + name;
}

std::string TorchText::boolean(const std::string &name, bool value) {
  line("%" + name + " = torch.constant.bool " + (value ? "true" : "false"));
  return "%" + name;
}

std::string TorchText::integer(const std::string &name, int64_t value) {
  line("%" + name + " = torch.constant.int " + std::to_string(value));
  return "%" + name;
}

std::string TorchText::list(const std::string &name, const std::vector<std::string> &elements,
                            std::string_view element) {
  std::string operands, types;
  for (const std::string &one : elements) {
    operands += (operands.empty() ? "" : ", ") + one;
    types += (types.empty() ? "!torch." : ", !torch.") + std::string(element);
  }
  line("%" + name + " = torch.prim.ListConstruct " + operands + " : (" + types + ") -> !torch.list<" +
       std::string(element) + ">");
  return "%" + name;
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

std::string TorchText::tensor(const std::vector<int64_t> &shape, std::string_view element, bool isMutable) {
  std::string extents;
  for (int64_t extent : shape)
    extents += (extents.empty() ? "" : ",") + std::to_string(extent);
  return std::string(isMutable ? "!torch.tensor<[" : "!torch.vtensor<[") + extents + "]," + std::string(element) + ">";
}

} // namespace orzo
