// Convolutions in torch: aten.convolution and aten.convolution_backward with a mask of one gradient.
//
// torch pads both sides alike. Where that gives the same windows (rows that no window reaches do not matter) it
// suffices; else x is padded or cropped by an op of its own: before a convolution that reads it, behind one that makes
// it.
#include "Graph/NodeRules.h"
#include "Graph/TorchOps.h"

namespace orzo::graph {

namespace {

class ConvolutionEmission {
public:
  ConvolutionEmission(TorchOps &ops, const Node &node, const std::vector<TorchTensor> &inputs)
      : ops(ops), geometry(convGeometry(node)), roles(convRoles(node)), name(node.output->getName()),
        flat(node.output->getDim().size() == 2) {
    for (int i = 0; i < 2; ++i)
      of(roles[i]) = inputs[i];
    of(roles[2]) = {{}, node.output->getDim(), node.output->getDataType()};
  }

  TorchTensor run() {
    if (flat)
      for (int i = 0; i < 3; ++i)
        addDim(of(roles[i]), i < 2);
    decidePadding();
    TorchTensor y = roles[2] == Role::Y ? forward() : backward();
    return flat ? ops.squeeze(y, 2, name) : y;
  }

private:
  TorchTensor &of(Role role) { return tensors[static_cast<int>(role)]; }
  size_t rank() { return of(Role::X).dim.size() - 2; }
  static int64_t at(const std::vector<int64_t> &list, size_t i, int64_t otherwise) {
    return list.empty() ? otherwise : list[i];
  }

  /// A product of no spatial dim as a convolution of one of extent 1.
  void addDim(TorchTensor &tensor, bool isThere) {
    if (isThere)
      tensor = ops.unsqueeze(tensor, 2, ops.node + "_" + std::to_string(tensor.dim.size()) + "d");
    else
      tensor.dim.push_back(1);
  }

  void decidePadding() {
    for (size_t i = 0; i < rank(); ++i) {
      stride.push_back(at(geometry.stride, i, 1));
      dilation.push_back(at(geometry.dilation, i, 1));
      low.push_back(at(geometry.prePadding, i, 0));
      high.push_back(at(geometry.postPadding, i, 0));
      __int128 reach = __int128(of(Role::W).dim[i + 2] - 1) * dilation[i] + 1;
      __int128 room = __int128(of(Role::X).dim[i + 2]) + 2 * __int128(low[i]) - reach;
      isPadded = isPadded || low[i] < 0 || room < 0 || room / stride[i] + 1 != of(Role::Y).dim[i + 2];
    }
    padding = isPadded ? Extents(rank(), 0) : low;
  }

  /// `x` with `sign` times the padding around it.
  TorchTensor pad(const TorchTensor &x, int64_t sign, const std::string &result) {
    std::vector<int64_t> amounts; // Of the last dim first.
    Extents dim = x.dim;
    for (size_t i = rank(); i-- > 0;) {
      amounts.push_back(sign * low[i]);
      amounts.push_back(sign * high[i]);
      dim[i + 2] += sign * (low[i] + high[i]);
    }
    TorchValue list = ops.integers("pad", amounts);
    return ops.tensor("aten.constant_pad_nd", {x, list, ops.real("zero", 0)}, result, dim, x.type);
  }

  TorchTensor paddedX() {
    return isPadded ? pad(of(Role::X), 1, of(Role::X).value.name.substr(1) + "_padded") : of(Role::X);
  }

  /// stride, padding, dilation, transposed, output padding, groups.
  std::vector<TorchValue> lists() {
    return {ops.integers("stride", stride),     ops.integers("padding", padding),
            ops.integers("dilation", dilation), ops.boolean("transposed", false),
            ops.integers("output_padding", {}), ops.integer("groups", of(Role::X).dim[1] / of(Role::W).dim[1])};
  }

  TorchTensor forward() {
    std::vector<TorchValue> operands = {paddedX(), of(Role::W), ops.none()};
    for (const TorchValue &value : lists())
      operands.push_back(value);
    return ops.tensor("aten.convolution", operands, flat ? name + "_3d" : name, of(Role::Y).dim, of(Role::Y).type);
  }

  /// A tensor that is there for its shape alone.
  TorchTensor empty(const Extents &dim, DataType type) {
    TorchValue none = ops.none(), size = ops.integers("size", dim), dtype = ops.integer("dtype", torchScalarType(type));
    return ops.tensor("aten.empty.memory_format", {size, dtype, none, none, none, none}, "empty_" + ops.node, dim,
                      type);
  }

  TorchTensor backward() {
    bool isInput = roles[2] == Role::X;
    TorchTensor x, w;
    if (isInput) {
      Extents dim = of(Role::X).dim;
      for (size_t i = 0; isPadded && i < rank(); ++i)
        dim[i + 2] += low[i] + high[i];
      x = empty(dim, of(Role::X).type);
      w = of(Role::W);
    } else {
      x = paddedX();
      w = empty(of(Role::W).dim, of(Role::W).type);
    }
    std::vector<TorchValue> operands = {of(Role::Y), x, w, ops.none()};
    for (const TorchValue &value : lists())
      operands.push_back(value);
    operands.push_back(ops.booleans("mask", {isInput, !isInput, false}));
    bool isCropped = isInput && isPadded;
    std::string resultName = ops.text.fresh(isCropped ? name + "_padded" : flat ? name + "_3d" : name);
    TorchTensor result = isInput ? x : w;
    result.value.name = resultName;
    std::string values, types;
    for (const TorchValue &operand : operands) {
      values += (values.empty() ? "" : ", ") + operand.name;
      types += (types.empty() ? "" : ", ") + operand.type;
    }
    std::string other = ops.text.fresh(std::string(isInput ? "grad_weight_" : "grad_input_") + ops.node);
    std::string bias = ops.text.fresh("grad_bias_" + ops.node), none = "!torch.none";
    ops.text.line((isInput ? resultName + ", " + other : other + ", " + resultName) + ", " + bias +
                  " = torch.aten.convolution_backward " + values + " : " + types + " -> " +
                  (isInput ? result.value.type + ", " + none : none + ", " + result.value.type) + ", " + none);
    if (!isCropped)
      return result;
    // The copy keeps these zeros, or this crop, from being taken for the padding of a convolution that follows.
    TorchTensor own = pad(result, -1, name + "_cropped");
    return ops.tensor("aten.clone", {own, ops.none()}, flat ? name + "_3d" : name, own.dim, own.type);
  }

  TorchOps &ops;
  const ConvGeometry &geometry;
  std::array<Role, 3> roles;
  std::array<TorchTensor, 3> tensors; ///< By role.
  std::string name;
  bool flat, isPadded = false; ///< isPadded: by an op of its own.
  Extents stride, dilation, low, high, padding;
};

} // namespace

TorchTensor emitConvolution(TorchOps &ops, const Node &node, const std::vector<TorchTensor> &inputs) {
  return ConvolutionEmission(ops, node, inputs).run();
}

} // namespace orzo::graph
