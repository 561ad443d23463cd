#include "Export/Torch/ExportTorch.h"

#include "Graph/TorchText.h"

#include <algorithm>

namespace orzo {

namespace {

Status requireExpressible(const ConvSpec &spec) {
  DataType type = spec.type(Role::X);
  if (spec.type(Role::W) != type || spec.type(Role::Y) != type)
    return Status::unsupported("a torch convolution has one element type; x, w and y have " + std::string(name(type)) +
                               ", " + std::string(name(spec.type(Role::W))) + " and " +
                               std::string(name(spec.type(Role::Y))));
  for (const SpatialDim &dim : spec.spatial) {
    if (dim.flip && dim.filter > 1)
      return Status::unsupported("a torch convolution has no mirrored filter");
    int64_t room = dim.in + 2 * dim.padLow - (dim.dilation * (dim.filter - 1) + 1);
    if (dim.padLow < 0 || room < 0 || room / dim.stride + 1 != dim.out)
      return Status::unsupported("a torch convolution has one padding for both sides; none gives in " +
                                 std::to_string(dim.in) + ", filter " + std::to_string(dim.filter) + ", out " +
                                 std::to_string(dim.out) + ", stride " + std::to_string(dim.stride) + ", dilation " +
                                 std::to_string(dim.dilation) + ", padLow " + std::to_string(dim.padLow) +
                                 ", padHigh " + std::to_string(dim.padHigh()));
  }
  return Status::success();
}

/// A tensor in torch's terms: its dims in memory order, and where each dim of N C H W (K C R S) is among them.
struct TorchTensor {
  std::vector<int64_t> memoryShape, logicalShape, toLogical, toMemory;
};

/// Memory order by merged axes: a group axis and the channels behind it are one.
Expected<TorchTensor> torchTensor(const ConvSpec &spec, Role role) {
  Axis split = role == Role::X ? Axis::C : Axis::K;
  Layout order = spec.layout(role);
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] == Axis::G && spec.groups > 1 && spec.extent(role, split) > 1 &&
        (i + 1 == order.size() || order[i + 1] != split))
      return Status::unsupported("layout " + text(order, role, spec.rank()) + " of " + std::string(name(role)) +
                                 ": torch has groups just before the channels that they split");
  bool hasSplit = std::find(order.begin(), order.end(), split) != order.end();
  if (hasSplit)
    std::erase(order, Axis::G);
  std::replace(order.begin(), order.end(), Axis::G, split);
  Layout logical = role == Role::W ? Layout{Axis::K, Axis::C} : Layout{Axis::N, split};
  for (int dim = 0; dim < spec.rank(); ++dim)
    logical.push_back(spatialAxis(dim));
  for (Axis axis : logical)
    if (std::find(order.begin(), order.end(), axis) == order.end())
      order.insert(order.begin(), axis);
  auto extentOf = [&](Axis axis) { return spec.extent(role, axis) * (axis == split ? spec.groups : 1); };
  TorchTensor tensor;
  for (Axis axis : order) {
    tensor.memoryShape.push_back(extentOf(axis));
    tensor.toMemory.push_back(std::find(logical.begin(), logical.end(), axis) - logical.begin());
  }
  for (Axis axis : logical) {
    tensor.logicalShape.push_back(extentOf(axis));
    tensor.toLogical.push_back(std::find(order.begin(), order.end(), axis) - order.begin());
  }
  return tensor;
}

/// c10::ScalarType, as constant operands spell element types.
int64_t scalarType(DataType type) { return type == DataType::F32 ? 6 : type == DataType::F16 ? 5 : 15; }

class TorchExport {
public:
  TorchExport(const ConvSpec &spec, const std::array<TorchTensor, 3> &tensors)
      : spec(spec), tensors(tensors), element(name(spec.type(Role::X))), result(resultRole(spec.direction)) {}

  std::string write() {
    std::string permuted = spec.direction == Direction::FProp ? writeForward() : writeBackward();
    std::string returned = permute(permuted, nameOf(result), tensor(result).logicalShape, tensor(result).toMemory,
                                   tensor(result).memoryShape);
    text.line("torch.overwrite.tensor.contents " + returned + " overwrites %" + nameOf(result) +
              "_ : " + TorchText::tensor(tensor(result).memoryShape, element) + ", " +
              TorchText::tensor(tensor(result).memoryShape, element, /*isMutable=*/true));
    std::string arguments =
        "%" + nameOf(result) + "_: " + TorchText::tensor(tensor(result).memoryShape, element, /*isMutable=*/true);
    for (Role role : operandOrder())
      arguments += ", %" + nameOf(role) + ": " + TorchText::tensor(tensor(role).memoryShape, element);
    return "module @module {\n  func.func @main(" + arguments +
           ") attributes {torch.assume_strict_symbolic_shapes} {\n" + text.text() + "    return\n  }\n}\n";
  }

private:
  const TorchTensor &tensor(Role role) const { return tensors[static_cast<int>(role)]; }

  /// x, w, y in fprop; the gradients of a backward are dx, dw, dy.
  std::string nameOf(Role role) const {
    bool isGradient = spec.direction != Direction::FProp && (role == Role::Y || role == result);
    return (isGradient ? "d" : "") + std::string(name(role));
  }

  /// By name, as front ends sort their arguments.
  std::vector<Role> operandOrder() const {
    std::vector<Role> roles;
    for (Role role : operandRoles(spec.direction))
      roles.push_back(role);
    std::sort(roles.begin(), roles.end(), [&](Role a, Role b) { return nameOf(a) < nameOf(b); });
    return roles;
  }

  std::string permute(const std::string &value, const std::string &name, const std::vector<int64_t> &from,
                      const std::vector<int64_t> &order, const std::vector<int64_t> &to) {
    std::string dims = text.integers(name + "_order", order), out = "%" + name + "_permuted";
    if (value == out) // The result, permuted back.
      out = "%" + name;
    text.line(out + " = torch.aten.permute " + value + ", " + dims + " : " + TorchText::tensor(from, element) +
              ", !torch.list<int> -> " + TorchText::tensor(to, element));
    return out;
  }

  std::string operand(Role role) {
    return permute("%" + nameOf(role), nameOf(role), tensor(role).memoryShape, tensor(role).toLogical,
                   tensor(role).logicalShape);
  }

  std::string logicalType(Role role) const { return TorchText::tensor(tensor(role).logicalShape, element); }

  struct Geometry {
    std::string none, stride, padding, dilation, transposed, outputPadding, groups;
  };

  Geometry writeGeometry() {
    auto each = [&](const char *name, int64_t SpatialDim::*field) {
      std::vector<int64_t> values;
      for (const SpatialDim &dim : spec.spatial)
        values.push_back(dim.*field);
      return text.integers(name, values);
    };
    Geometry geometry;
    geometry.none = text.none("none");
    geometry.stride = each("stride", &SpatialDim::stride);
    geometry.padding = each("padding", &SpatialDim::padLow);
    geometry.dilation = each("dilation", &SpatialDim::dilation);
    geometry.transposed = text.boolean("transposed", false);
    geometry.outputPadding = text.integers("output_padding", {});
    geometry.groups = text.integer("groups", spec.groups);
    return geometry;
  }

  std::string writeForward() {
    Geometry geometry = writeGeometry();
    std::string x = operand(Role::X), w = operand(Role::W), out = "%" + nameOf(Role::Y) + "_permuted";
    text.line(out + " = torch.aten.convolution " + x + ", " + w + ", " + geometry.none + ", " + geometry.stride + ", " +
              geometry.padding + ", " + geometry.dilation + ", " + geometry.transposed + ", " + geometry.outputPadding +
              ", " + geometry.groups + " : " + logicalType(Role::X) + ", " + logicalType(Role::W) +
              ", !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, "
              "!torch.int -> " +
              logicalType(Role::Y));
    return out;
  }

  /// The tensor that the op wants for its shape alone.
  std::string shapeOnly(Role role, const std::string &none) {
    std::string size = text.integers("empty_size", tensor(role).logicalShape);
    std::string type = text.integer("empty_type", scalarType(spec.type(role)));
    text.line("%empty = torch.aten.empty.memory_format " + size + ", " + type + ", " + none + ", " + none + ", " +
              none + ", " + none +
              " : !torch.list<int>, !torch.int, !torch.none, !torch.none, !torch.none, !torch.none -> " +
              logicalType(role));
    return "%empty";
  }

  std::string writeBackward() {
    Geometry geometry = writeGeometry();
    std::string dy = operand(Role::Y), x, w;
    bool isInput = result == Role::X;
    if (isInput) {
      w = operand(Role::W);
      x = shapeOnly(Role::X, geometry.none);
    } else {
      x = operand(Role::X);
      w = shapeOnly(Role::W, geometry.none);
    }
    std::string mask = text.booleans("mask", {isInput, !isInput, false}), out = "%" + nameOf(result) + "_permuted";
    text.line(
        (isInput ? out + ", %unused_dw" : "%unused_dx, " + out) + ", %unused_db = torch.aten.convolution_backward " +
        dy + ", " + x + ", " + w + ", " + geometry.none + ", " + geometry.stride + ", " + geometry.padding + ", " +
        geometry.dilation + ", " + geometry.transposed + ", " + geometry.outputPadding + ", " + geometry.groups + ", " +
        mask + " : " + logicalType(Role::Y) + ", " + logicalType(Role::X) + ", " + logicalType(Role::W) +
        ", !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, "
        "!torch.int, !torch.list<bool> -> " +
        (isInput ? logicalType(result) + ", !torch.none" : "!torch.none, " + logicalType(result)) + ", !torch.none");
    return out;
  }

  const ConvSpec &spec;
  const std::array<TorchTensor, 3> &tensors;
  std::string element;
  Role result;
  TorchText text;
};

} // namespace

Expected<std::string> exportTorch(const ConvSpec &source) {
  ConvSpec spec = source;
  if (spec.spatial.empty())
    spec.spatial.emplace_back();
  if (Status status = requireExpressible(spec); !status.ok())
    return status;
  std::array<TorchTensor, 3> tensors;
  for (Role role : {Role::X, Role::W, Role::Y}) {
    Expected<TorchTensor> tensor = torchTensor(spec, role);
    if (!tensor)
      return tensor.status();
    tensors[static_cast<int>(role)] = tensor.take();
  }
  return TorchExport(spec, tensors).write();
}

} // namespace orzo
