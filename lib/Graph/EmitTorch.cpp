// GraphDefinition::emitTorch(): a graph as a torch front end hands it to its compiler.
//
//     worked example   relu(convFProp(x, w)) with x and y channels last: func.func @main(%y_, %w, %x); %x_logical is %x
//     by
//                      aten.permute [0, 3, 1, 2]; aten.convolution; aten.relu gives %y; %y_memory is %y by [0, 2, 3, 1]
//                      and goes into %y_ by torch.overwrite.tensor.contents.
#include "Graph/NodeRules.h"
#include "Graph/TorchOps.h"
#include "orzo/Graph/GraphDefinition.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

namespace orzo::graph {

class TorchEmission {
public:
  explicit TorchEmission(const GraphDefinition &graph) : graph(graph) {}

  Expected<std::string> run() {
    findLive();
    std::string arguments = nameArguments();
    for (const TensorPtr &input : inputs)
      readInput(*input);
    for (int index : graph.order) {
      const Node &node = graph.nodeList[index];
      if (!live.contains(node.output.get()))
        continue;
      TorchOps ops(text, node.name);
      Expected<TorchTensor> result = emit(ops, node);
      if (!result)
        return result.status();
      values[node.output.get()] = *result;
    }
    for (const TensorPtr &output : outputs)
      if (Status status = writeOutput(*output); !status.ok())
        return status;
    return "module @module {\n  func.func @main(" + arguments + ") attributes {torch.assume_strict_symbolic_shapes" +
           (graph.strictRounding ? ", orzo.strict_rounding" : "") + "} {\n" + text.text() + "    return\n  }\n}\n";
  }

private:
  void findLive() {
    std::unordered_set<const TensorAttr *> made;
    for (const Node &node : graph.nodeList)
      made.insert(node.output.get());
    for (auto index = graph.order.rbegin(); index != graph.order.rend(); ++index) {
      const Node &node = graph.nodeList[*index];
      if (node.output->isVirtual() && !live.contains(node.output.get()))
        continue;
      makers[node.output.get()] = &node;
      live.insert(node.output.get());
      for (const TensorPtr &input : node.inputs)
        live.insert(input.get());
    }
    for (const TensorPtr &tensor : graph.tensorList) {
      if (!live.contains(tensor.get()))
        continue;
      if (!made.contains(tensor.get()))
        inputs.push_back(tensor);
      else if (!tensor->isVirtual())
        outputs.push_back(tensor);
    }
    auto byName = [](const TensorPtr &a, const TensorPtr &b) { return a->getName() < b->getName(); };
    std::sort(inputs.begin(), inputs.end(), byName);
    std::sort(outputs.begin(), outputs.end(), byName);
  }

  /// How a tensor lies in the memory of its argument: packed dims in some order; repeated dims (stride 0) have extent 1
  /// there. nullopt: it has gaps, and its argument is flat.
  static std::optional<std::vector<int>> argumentOrder(const TensorAttr &tensor) {
    Extents dim = storedDim(tensor);
    if (!isPacked(dim, tensor.getStride()))
      return std::nullopt;
    return fullOrder(dim, tensor.getStride());
  }

  static Extents storedDim(const TensorAttr &tensor) {
    Extents dim = tensor.getDim();
    for (size_t i = 0; i < dim.size(); ++i)
      if (tensor.getStride()[i] == 0 && dim[i] > 1)
        dim[i] = 1;
    return dim;
  }

  static Extents argumentDim(const TensorAttr &tensor) {
    std::optional<std::vector<int>> order = argumentOrder(tensor);
    if (!order)
      return {tensor.getSpan()};
    Extents stored = storedDim(tensor), dim;
    for (int i : *order)
      dim.push_back(stored[i]);
    return dim;
  }

  std::string nameArguments() {
    std::string list;
    auto add = [&](const TensorAttr &tensor, const std::string &name, bool isMutable) {
      arguments[&tensor] = {text.fresh(name), torchType(argumentDim(tensor), tensor.getDataType(), isMutable)};
      list += (list.empty() ? "" : ", ") + arguments[&tensor].name + ": " + arguments[&tensor].type;
    };
    for (const TensorPtr &output : outputs)
      add(*output, output->getName() + "_", true);
    for (const TensorPtr &input : inputs)
      if (!input->isScalar())
        add(*input, input->getName(), false);
    return list;
  }

  /// The bits of a scalar in its type, as MLIR spells them.
  static std::string literal(const TensorAttr &scalar) {
    double value = scalar.getScalarValue().value_or(0);
    DataType type = scalar.getDataType();
    unsigned char bytes[8] = {};
    storeElement(bytes, 0, type, value);
    if (type == DataType::Boolean)
      return bytes[0] ? "true" : "false";
    if (!isFloat(type))
      return std::to_string(static_cast<int64_t>(loadElement(bytes, 0, type)));
    std::string digits = "0x";
    for (size_t i = byteSize(type); i-- > 0;)
      for (int shift : {4, 0})
        digits += "0123456789ABCDEF"[bytes[i] >> shift & 15];
    return digits;
  }

  void readInput(const TensorAttr &tensor) {
    TorchOps ops(text, tensor.getName());
    const Extents &dim = tensor.getDim();
    DataType type = tensor.getDataType();
    if (tensor.isScalar()) {
      std::string name = text.fresh(tensor.getName()), builtin = "tensor<";
      for (int64_t extent : dim)
        builtin += std::to_string(extent) + "x";
      TorchTensor value{{name, torchType(dim, type)}, dim, type};
      text.line(name + " = torch.vtensor.literal(dense<" + literal(tensor) + "> : " + builtin +
                std::string(torchName(type)) + ">) : " + value.value.type);
      values[&tensor] = value;
      return;
    }
    TorchTensor value{arguments[&tensor], argumentDim(tensor), type};
    std::optional<std::vector<int>> order = argumentOrder(tensor);
    if (!order) {
      TorchValue sizes = ops.integers("size", dim), strides = ops.integers("stride", tensor.getStride());
      value = ops.tensor("aten.as_strided", {value, sizes, strides, ops.integer("offset", 0)},
                         tensor.getName() + "_logical", dim, type);
    } else {
      if (!std::is_sorted(order->begin(), order->end()))
        value = ops.permute(value, inverse(*order), tensor.getName() + "_logical");
      if (value.dim != dim) {
        TorchValue sizes = ops.integers("size", dim);
        value = ops.tensor("aten.expand", {value, sizes, ops.boolean("implicit", false)},
                           tensor.getName() + "_repeated", dim, type);
      }
    }
    values[&tensor] = value;
  }

  static std::vector<int> inverse(const std::vector<int> &order) {
    std::vector<int> result(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      result[order[i]] = static_cast<int>(i);
    return result;
  }

  Status writeOutput(const TensorAttr &tensor) {
    TorchTensor value = values[&tensor];
    if (!isPacked(tensor.getDim(), tensor.getStride()))
      return unsupported(*makers[&tensor], tensor,
                         "a torch tensor that is written has no gaps; got dims " + orzo::graph::text(tensor.getDim()) +
                             " with strides " + orzo::graph::text(tensor.getStride()));
    std::vector<int> order = fullOrder(tensor.getDim(), tensor.getStride());
    if (!std::is_sorted(order.begin(), order.end()))
      value = TorchOps(text, tensor.getName()).permute(value, order, tensor.getName() + "_memory");
    const TorchValue &argument = arguments[&tensor];
    text.line("torch.overwrite.tensor.contents " + value.value.name + " overwrites " + argument.name + " : " +
              value.value.type + ", " + argument.type);
    return Status::success();
  }

  Expected<TorchTensor> emit(TorchOps &ops, const Node &node) {
    std::vector<TorchTensor> in;
    for (const TensorPtr &input : node.inputs)
      in.push_back(values[input.get()]);
    if (std::holds_alternative<PointwiseAttr>(node.attr))
      return emitPointwise(ops, node, in);
    if (std::holds_alternative<ReductionAttr>(node.attr))
      return emitReduction(ops, node, in[0]);
    if (std::holds_alternative<CastAttr>(node.attr))
      return emitCast(ops, node, in[0]);
    if (std::holds_alternative<MatmulAttr>(node.attr))
      return product(ops, node, in);
    if (node.attr.index() < 3)
      return emitConvolution(ops, node, in);
    return shape(ops, node, in[0]);
  }

  static TorchTensor product(TorchOps &ops, const Node &node, const std::vector<TorchTensor> &in) {
    size_t rank = in[0].dim.size();
    bool same = rank == in[1].dim.size() && (rank == 2 || in[0].dim[0] == in[1].dim[0]);
    return ops.tensor(same && rank == 2   ? "aten.mm"
                      : same && rank == 3 ? "aten.bmm"
                                          : "aten.matmul",
                      {in[0], in[1]}, node.output->getName(), node.output->getDim(), node.output->getDataType());
  }

  /// reshape, transpose, slice; a copy behind where the result has memory of its own.
  static TorchTensor shape(TorchOps &ops, const Node &node, const TorchTensor &x) {
    bool isCopied = !node.output->isVirtual();
    std::string name = node.output->getName() + (isCopied ? "_view" : "");
    TorchTensor result = x;
    if (const auto *attr = std::get_if<TransposeAttr>(&node.attr)) {
      result = ops.permute(x, {attr->getPermutation().begin(), attr->getPermutation().end()}, name);
    } else if (const auto *attr = std::get_if<SliceAttr>(&node.attr)) {
      result = slice(ops, *attr, x, node.output->getDim(), name);
    } else {
      TorchValue size = ops.integers("size", node.output->getDim());
      result = ops.tensor("aten.view", {x, size}, name, node.output->getDim(), x.type);
    }
    return isCopied ? emitCast(ops, node, result) : result;
  }

  /// One aten.slice.Tensor for each dim that is cut, and at least one.
  static TorchTensor slice(TorchOps &ops, const SliceAttr &attr, TorchTensor x, const Extents &dim,
                           const std::string &name) {
    std::vector<size_t> cut;
    for (size_t i = 0; i < dim.size(); ++i)
      if (dim[i] != x.dim[i])
        cut.push_back(i);
    if (cut.empty())
      cut.push_back(0);
    for (size_t i : cut) {
      Extents sliced = x.dim;
      sliced[i] = dim[i];
      std::vector<TorchValue> operands = {x, ops.integer("dim", static_cast<int64_t>(i)),
                                          ops.integer("start", attr.getStarts()[i]),
                                          ops.integer("limit", attr.getLimits()[i]),
                                          ops.integer("step", attr.getSteps().empty() ? 1 : attr.getSteps()[i])};
      x = ops.tensor("aten.slice.Tensor", operands, i == cut.back() ? name : name + "_part", sliced, x.type);
    }
    return x;
  }

  const GraphDefinition &graph;
  TorchText text;
  std::vector<TensorPtr> inputs, outputs; ///< By name.
  std::unordered_set<const TensorAttr *> live;
  std::unordered_map<const TensorAttr *, const Node *> makers;
  std::unordered_map<const TensorAttr *, TorchValue> arguments;
  std::unordered_map<const TensorAttr *, TorchTensor> values; ///< In logical dims.
};

Expected<std::string> GraphDefinition::emitTorch() const {
  if (Status status = checkValidated("emitTorch()"); !status.ok())
    return status;
  return TorchEmission(*this).run();
}

} // namespace orzo::graph
