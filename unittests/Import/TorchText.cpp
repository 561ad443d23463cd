#include "TorchText.h"

namespace orzo::test {
namespace {

std::string join(const std::vector<std::string> &parts) {
  std::string line;
  for (const std::string &part : parts)
    line += (line.empty() ? "" : ", ") + part;
  return line;
}

class Writer {
public:
  Writer(const Sample &sample, TorchStyle style) : sample(sample), style(style) {}

  std::string run() {
    bool forward = sample.direction == (style.transposed ? Direction::DGrad : Direction::FProp);
    Role resultRole = orzo::resultRole(sample.direction);
    for (Role role : {Role::X, Role::W, Role::Y})
      if (role != resultRole)
        values[static_cast<int>(role)] =
            permute("%" + std::string(name(role)), sample.shape(role), sample.logicalToMemory(role));
    std::string result = forward ? convolution(resultRole) : backward(resultRole);
    // Back into memory order.
    std::vector<int64_t> order = sample.logicalToMemory(resultRole), inverse(order.size());
    for (size_t dim = 0; dim < order.size(); ++dim)
      inverse[order[dim]] = static_cast<int64_t>(dim);
    std::string placed = permute(result, logicalShape(resultRole), inverse);

    std::vector<std::string> arguments;
    std::string resultType = torchType(sample.shape(resultRole), sample.type);
    std::string mutableType = "!torch.tensor" + resultType.substr(std::string("!torch.vtensor").size());
    if (style.overwrites)
      arguments.push_back("%out: " + mutableType);
    for (Role role : operandRoles(sample.direction))
      arguments.push_back("%" + std::string(name(role)) + ": " + torchType(sample.shape(role), sample.type));
    std::string end = style.overwrites ? "    torch.overwrite.tensor.contents " + placed +
                                             " overwrites %out : " + resultType + ", " + mutableType + "\n    return\n"
                                       : "    return " + placed + " : " + resultType + "\n";
    return "module @module {\n  func.func @main(" + join(arguments) + ")" +
           (style.overwrites ? "" : " -> " + resultType) + " {\n" + body + end + "  }\n}\n";
  }

private:
  std::vector<int64_t> logicalShape(Role role) {
    std::vector<int64_t> memory = sample.shape(role), shape;
    for (int64_t dim : sample.logicalToMemory(role))
      shape.push_back(memory[dim]);
    return shape;
  }

  std::string fresh() { return "%v" + std::to_string(counter++); }

  std::string line(const std::string &text) {
    std::string value = fresh();
    body += "    " + value + " = " + text + "\n";
    return value;
  }

  std::string list(const std::vector<int64_t> &entries) {
    std::vector<std::string> values, types;
    for (int64_t entry : entries) {
      values.push_back(line("torch.constant.int " + std::to_string(entry)));
      types.push_back("!torch.int");
    }
    return line("torch.prim.ListConstruct " + join(values) + " : (" + join(types) + ") -> !torch.list<int>");
  }

  std::string permute(const std::string &value, const std::vector<int64_t> &shape, const std::vector<int64_t> &order) {
    std::vector<int64_t> permuted;
    for (int64_t dim : order)
      permuted.push_back(shape[dim]);
    std::string dims = list(order);
    return line("torch.aten.permute " + value + ", " + dims + " : " + torchType(shape, sample.type) +
                ", !torch.list<int> -> " + torchType(permuted, sample.type));
  }

  void geometry() {
    std::vector<int64_t> strides, pads, dilations, rest;
    for (const SpatialDim &dim : sample.dims) {
      strides.push_back(dim.stride);
      pads.push_back(dim.padLow);
      dilations.push_back(dim.dilation);
      rest.push_back(dim.padLow - dim.padHigh());
    }
    stride = list(strides);
    padding = list(pads);
    dilation = list(dilations);
    outputPadding = style.transposed ? list(rest) : list({});
    transposed = line(std::string("torch.constant.bool ") + (style.transposed ? "true" : "false"));
    none = line("torch.constant.none");
    groups = line("torch.constant.int " + std::to_string(sample.groups));
  }

  std::string typed(Role role) { return torchType(logicalShape(role), sample.type); }

  std::string convolution(Role resultRole) {
    geometry();
    Role input = resultRole == Role::Y ? Role::X : Role::Y;
    return line("torch.aten.convolution " +
                join({values[static_cast<int>(input)], values[1], none, stride, padding, dilation, transposed,
                      outputPadding, groups}) +
                " : " +
                join({typed(input), typed(Role::W), "!torch.none", "!torch.list<int>", "!torch.list<int>",
                      "!torch.list<int>", "!torch.bool", "!torch.list<int>", "!torch.int"}) +
                " -> " + typed(resultRole));
  }

  std::string backward(Role resultRole) {
    geometry();
    Role gradient = style.transposed ? Role::X : Role::Y, input = style.transposed ? Role::Y : Role::X;
    std::string sizes = list(logicalShape(resultRole));
    std::string number = line("torch.constant.int " + std::string(sample.type == DataType::F32    ? "6"
                                                                  : sample.type == DataType::BF16 ? "15"
                                                                                                  : "5"));
    values[static_cast<int>(resultRole)] = line(
        "torch.aten.empty.memory_format " + join({sizes, number, none, none, none, none}) +
        " : !torch.list<int>, !torch.int, !torch.none, !torch.none, !torch.none, !torch.none -> " + typed(resultRole));
    std::string yes = line("torch.constant.bool true"), no = line("torch.constant.bool false");
    bool forInput = resultRole != Role::W;
    std::string mask = line("torch.prim.ListConstruct " + join({forInput ? yes : no, forInput ? no : yes, no}) +
                            " : (!torch.bool, !torch.bool, !torch.bool) -> !torch.list<bool>");
    std::string first = fresh(), second = fresh(), third = fresh();
    body += "    " + join({first, second, third}) + " = torch.aten.convolution_backward " +
            join({values[static_cast<int>(gradient)], values[static_cast<int>(input)], values[1], none, stride, padding,
                  dilation, transposed, outputPadding, groups, mask}) +
            " : " +
            join({typed(gradient), typed(input), typed(Role::W), "!torch.none", "!torch.list<int>", "!torch.list<int>",
                  "!torch.list<int>", "!torch.bool", "!torch.list<int>", "!torch.int", "!torch.list<bool>"}) +
            " -> " +
            join({forInput ? typed(resultRole) : std::string("!torch.none"),
                  forInput ? std::string("!torch.none") : typed(Role::W), "!torch.none"}) +
            "\n";
    return forInput ? first : second;
  }

  const Sample &sample;
  TorchStyle style;
  std::array<std::string, 3> values;
  std::string body, stride, padding, dilation, outputPadding, transposed, none, groups;
  int counter = 0;
};

} // namespace

std::string torchType(const std::vector<int64_t> &shape, DataType type) {
  std::string sizes;
  for (int64_t extent : shape)
    sizes += (sizes.empty() ? "" : ",") + std::to_string(extent);
  return "!torch.vtensor<[" + sizes + "]," + std::string(name(type)) + ">";
}

std::string torchText(const Sample &sample, TorchStyle style) { return Writer(sample, style).run(); }

} // namespace orzo::test
