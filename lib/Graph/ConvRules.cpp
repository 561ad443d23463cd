#include "Graph/NodeRules.h"

#include <algorithm>

namespace orzo::graph {

const ConvGeometry &convGeometry(const Node &node) {
  if (const auto *attr = std::get_if<ConvFPropAttr>(&node.attr))
    return attr->getGeometry();
  if (const auto *attr = std::get_if<ConvDGradAttr>(&node.attr))
    return attr->getGeometry();
  return std::get<ConvWGradAttr>(node.attr).getGeometry();
}

namespace {

using Wide = __int128; ///< Extents, strides and dilations are the user's: products of them may be anything.

/// A conv node in the terms of Spec.
struct Conv {
  Direction direction;
  const ConvGeometry &geometry;
  std::array<Role, 3> roles;                 ///< Of inputs and output, in the node's order.
  std::array<const TensorAttr *, 3> tensors; ///< By role.

  const TensorAttr &tensor(Role role) const { return *tensors[static_cast<int>(role)]; }
  const TensorAttr &x() const { return tensor(Role::X); }
  const TensorAttr &w() const { return tensor(Role::W); }
  const TensorAttr &y() const { return tensor(Role::Y); }

  int spatial() const { return static_cast<int>(tensor(roles[0]).getDim().size()) - 2; }
  static int64_t at(const std::vector<int64_t> &list, int i, int64_t otherwise) {
    return list.empty() ? otherwise : list[i];
  }
  int64_t stride(int i) const { return at(geometry.stride, i, 1); }
  int64_t dilation(int i) const { return at(geometry.dilation, i, 1); }
  int64_t low(int i) const { return at(geometry.prePadding, i, 0); }
  int64_t high(int i) const { return at(geometry.postPadding, i, 0); }
};

Conv convOf(const Node &node) {
  auto direction = std::holds_alternative<ConvFPropAttr>(node.attr)   ? Direction::FProp
                   : std::holds_alternative<ConvDGradAttr>(node.attr) ? Direction::DGrad
                                                                      : Direction::WGrad;
  Conv conv{direction, convGeometry(node), convRoles(node), {}};
  conv.tensors[static_cast<int>(conv.roles[0])] = node.inputs[0].get();
  conv.tensors[static_cast<int>(conv.roles[1])] = node.inputs[1].get();
  conv.tensors[static_cast<int>(conv.roles[2])] = node.output.get();
  return conv;
}

std::string number(Wide value) {
  Wide limit = Wide(1) << 62;
  return value > limit ? "more than 2^62" : value < -limit ? "less than -2^62" : std::to_string(int64_t(value));
}

/// Windows along dim i of an x of extent `in`: (in + low + high - reach) / stride + 1, or 0 where none fits.
Wide windows(const Conv &conv, int i, Wide in, Wide filter) {
  Wide room = in + conv.low(i) + conv.high(i) - ((filter - 1) * conv.dilation(i) + 1);
  return room < 0 ? 0 : room / conv.stride(i) + 1;
}

Status preValidate(const Node &node) {
  Conv conv = convOf(node);
  const TensorAttr &first = *node.inputs[0], &second = *node.inputs[1];
  if (first.getDim().size() < 2 || first.getDim().size() > 5)
    return invalid(node, first, "must have 2 to 5 dims (two, and 0 to 3 spatial ones); got " + text(first.getDim()));
  if (first.getDim().size() != second.getDim().size())
    return invalid(node, second,
                   "must have as many dims as '" + first.getName() + "' (" + text(first.getDim()) + "); got " +
                       text(second.getDim()));
  auto spatial = static_cast<size_t>(conv.spatial());
  for (auto [what, list] :
       {std::pair("padding before", &conv.geometry.prePadding), std::pair("padding behind", &conv.geometry.postPadding),
        std::pair("stride", &conv.geometry.stride), std::pair("dilation", &conv.geometry.dilation)})
    if (!list->empty() && list->size() != spatial)
      return invalid(node, first,
                     std::string(what) + " must have an entry for each of the " + std::to_string(spatial) +
                         " spatial dims, or none; got " + std::to_string(list->size()));
  for (int i = 0; i < conv.spatial(); ++i)
    for (auto [what, value] : {std::pair("stride", conv.stride(i)), std::pair("dilation", conv.dilation(i))})
      if (value < 1)
        return invalid(node, first,
                       std::string(what) + " of spatial dim " + std::to_string(i) + " must be at least 1; got " +
                           std::to_string(value));
  if (conv.geometry.groups && *conv.geometry.groups < 1)
    return invalid(node, first, "groups must be at least 1; got " + std::to_string(*conv.geometry.groups));
  for (const TensorPtr &input : node.inputs)
    for (size_t i = 0; i < input->getDim().size(); ++i)
      if (input->getDim()[i] < 1 && (i > 0 || input.get() == conv.tensors[int(Role::W)]))
        return invalid(node, *input,
                       "dim " + std::to_string(i) + " must be at least 1 (only the batch may be empty); got " +
                           text(input->getDim()));
  return Status::success();
}

/// The one value of `extent`, from `from` on, for which `fits`; an error where there is none or several.
Status inferExtent(const Node &node, int i, Wide from, Wide to, Extents &dim) {
  std::string label = "extent of spatial dim " + std::to_string(i);
  if (to < from || to < 1)
    return invalid(node, *node.output,
                   "no " + label + " fits the other tensors, padding, stride and dilation; they ask for " +
                       number(from) + (from == to ? "" : " to " + number(to)));
  from = std::max<Wide>(from, 1);
  if (from != to)
    return invalid(node, *node.output,
                   "the " + label + " is ambiguous: " + number(from) + " to " + number(to) +
                       " would fit; setDim on this tensor says which");
  if (to >= Wide(1) << 62)
    return invalid(node, *node.output, "the " + label + " is larger than 2^62");
  dim.push_back(int64_t(to));
  return Status::success();
}

Status inferFilter(const Node &node, const Conv &conv, int i, Extents &dim) {
  // (r-1)*dilation lies in [most - (stride-1), most].
  Wide most = Wide(conv.x().getDim()[i + 2]) + conv.low(i) + conv.high(i) - 1 -
              Wide(conv.y().getDim()[i + 2] - 1) * conv.stride(i);
  Wide least = most - (conv.stride(i) - 1), dilation = conv.dilation(i);
  Wide to = most < 0 ? 0 : most / dilation + 1;
  Wide from = least <= 0 ? 1 : (least + dilation - 1) / dilation + 1;
  return inferExtent(node, i, from, to, dim);
}

Status inferDims(const Node &node, const Conv &conv, Extents &dim) {
  for (int i = 0; i < conv.spatial(); ++i) {
    Status status;
    if (conv.direction == Direction::FProp) {
      Wide out = windows(conv, i, conv.x().getDim()[i + 2], conv.w().getDim()[i + 2]);
      if (out < 1)
        return invalid(node, conv.w(),
                       "the filter does not fit into the padded input along spatial dim " + std::to_string(i) +
                           ": filter " + number(conv.w().getDim()[i + 2]) + ", dilation " + number(conv.dilation(i)) +
                           ", input " + number(conv.x().getDim()[i + 2]) + ", padding " + number(conv.low(i)) +
                           " and " + number(conv.high(i)));
      status = inferExtent(node, i, out, out, dim);
    } else if (conv.direction == Direction::DGrad) {
      Wide least = Wide(conv.y().getDim()[i + 2] - 1) * conv.stride(i) +
                   Wide(conv.w().getDim()[i + 2] - 1) * conv.dilation(i) + 1 - conv.low(i) - conv.high(i);
      status = inferExtent(node, i, least, least + conv.stride(i) - 1, dim);
    } else {
      status = inferFilter(node, conv, i, dim);
    }
    if (!status.ok())
      return status;
  }
  return Status::success();
}

Status infer(const Node &node) {
  Conv conv = convOf(node);
  if (node.output->getDim().empty()) {
    int64_t groups = conv.geometry.groups.value_or(1);
    Extents dim;
    if (conv.direction == Direction::FProp)
      dim = {conv.x().getDim()[0], conv.w().getDim()[0]};
    else if (conv.direction == Direction::DGrad) {
      int64_t channels;
      if (__builtin_mul_overflow(conv.w().getDim()[1], groups, &channels))
        return invalid(node, *node.output, "its channels are more than 2^62");
      dim = {conv.y().getDim()[0], channels};
    } else if (conv.x().getDim()[1] % groups != 0)
      return invalid(node, conv.x(),
                     "its channels must be a multiple of groups; got " + std::to_string(conv.x().getDim()[1]) +
                         " and groups " + std::to_string(groups));
    else
      dim = {conv.y().getDim()[1], conv.x().getDim()[1] / groups};
    if (Status status = inferDims(node, conv, dim); !status.ok())
      return status;
    inferDim(node, dim);
  }
  inferLike(node, *node.inputs[0]);
  return Status::success();
}

Status checkSame(const Node &node, const char *what, const TensorAttr &a, int i, const TensorAttr &b, int j) {
  if (a.getDim()[i] == b.getDim()[j])
    return Status::success();
  return invalid(node, b,
                 "dim " + std::to_string(j) + " (" + what + ") must be that of '" + a.getName() + "', " +
                     std::to_string(a.getDim()[i]) + "; got " + text(b.getDim()));
}

/// Channels of all groups; the error where groups do not fit.
Expected<int64_t> groupsOf(const Node &node, const Conv &conv) {
  int64_t channels = conv.x().getDim()[1], each = conv.w().getDim()[1], filters = conv.w().getDim()[0];
  if (channels % each != 0)
    return invalid(node, conv.w(),
                   "dim 1 (channels of a group) must divide the channels of '" + conv.x().getName() + "', " +
                       std::to_string(channels) + "; got " + text(conv.w().getDim()));
  int64_t groups = channels / each;
  if (conv.geometry.groups && *conv.geometry.groups != groups)
    return invalid(node, conv.w(),
                   "groups is " + std::to_string(*conv.geometry.groups) + ", but '" + conv.x().getName() + "' has " +
                       std::to_string(channels) + " channels and this filter " + std::to_string(each) + ": " +
                       std::to_string(groups) + " groups");
  if (filters % groups != 0)
    return invalid(node, conv.w(),
                   "dim 0 must be a multiple of the " + std::to_string(groups) + " groups; got " +
                       text(conv.w().getDim()));
  return groups;
}

Status postValidate(const Node &node) {
  Conv conv = convOf(node);
  if (node.output->getDim().size() != node.inputs[0]->getDim().size())
    return invalid(node, *node.output,
                   "must have " + std::to_string(node.inputs[0]->getDim().size()) + " dims like the inputs; got " +
                       text(node.output->getDim()));
  for (size_t i = 0; i < node.output->getDim().size(); ++i)
    if (node.output->getDim()[i] < 1 && (i > 0 || conv.direction == Direction::WGrad))
      return invalid(node, *node.output,
                     "dim " + std::to_string(i) + " must be at least 1; got " + text(node.output->getDim()));
  if (Status status = checkSame(node, "batch", conv.x(), 0, conv.y(), 0); !status.ok())
    return status;
  if (Status status = checkSame(node, "output channels", conv.w(), 0, conv.y(), 1); !status.ok())
    return status;
  if (Expected<int64_t> groups = groupsOf(node, conv); !groups)
    return groups.status();
  for (int i = 0; i < conv.spatial(); ++i) {
    int64_t in = conv.x().getDim()[i + 2], filter = conv.w().getDim()[i + 2], out = conv.y().getDim()[i + 2];
    Wide expected = windows(conv, i, in, filter);
    if (expected != out)
      return invalid(node, *node.output,
                     "spatial dim " + std::to_string(i) + " does not fit: input " + std::to_string(in) + ", filter " +
                         std::to_string(filter) + ", stride " + std::to_string(conv.stride(i)) + ", dilation " +
                         std::to_string(conv.dilation(i)) + ", padding " + std::to_string(conv.low(i)) + " and " +
                         std::to_string(conv.high(i)) + " give " + number(expected) + " outputs, not " +
                         std::to_string(out));
  }
  for (const TensorAttr *tensor : {node.inputs[0].get(), node.inputs[1].get(), node.output.get()})
    if (!toDataType(tensor->getDataType()))
      return unsupported(node, *tensor,
                         "convolutions compute with f32, bf16 and f16; got " +
                             std::string(name(tensor->getDataType())));
  Expected<ConvSpec> spec = convSpecOf(node, realStrides(node));
  return spec.status();
}

} // namespace

std::array<Role, 3> convRoles(const Node &node) {
  if (std::holds_alternative<ConvDGradAttr>(node.attr))
    return {Role::Y, Role::W, Role::X};
  if (std::holds_alternative<ConvWGradAttr>(node.attr))
    return {Role::Y, Role::X, Role::W};
  return {Role::X, Role::W, Role::Y};
}

const NodeRules convRules = {preValidate, infer, postValidate};

Expected<ConvSpec> convSpecOf(const Node &node, const NodeStrides &strides) {
  Conv conv = convOf(node);
  ConvSpec spec;
  spec.direction = conv.direction;
  spec.n = conv.x().getDim()[0];
  spec.c = conv.x().getDim()[1];
  spec.k = conv.w().getDim()[0];
  spec.groups = spec.c / conv.w().getDim()[1];
  for (int i = 0; i < conv.spatial(); ++i)
    spec.spatial.push_back({.in = conv.x().getDim()[i + 2],
                            .filter = conv.w().getDim()[i + 2],
                            .out = conv.y().getDim()[i + 2],
                            .stride = conv.stride(i),
                            .dilation = conv.dilation(i),
                            .padLow = conv.low(i)});
  for (int position = 0; position < 3; ++position) {
    Role role = conv.roles[position];
    const TensorAttr &tensor = conv.tensor(role);
    if (!isPacked(tensor.getDim(), strides[position]))
      return unsupported(node, tensor,
                         "a convolution's tensors must be packed, in any order of dims; got dims " +
                             text(tensor.getDim()) + " with strides " + text(strides[position]));
    // The dim that groups split: the channels of x and y, the filters of w.
    int split = role == Role::W ? 0 : 1;
    const Axis leading[] = {role == Role::W ? Axis::K : Axis::N, role == Role::Y ? Axis::K : Axis::C};
    for (int dim : memoryOrder(tensor.getDim(), strides[position])) {
      if (dim == split && spec.groups > 1)
        spec.layout(role).push_back(Axis::G);
      spec.layout(role).push_back(dim < 2 ? leading[dim] : spatialAxis(dim - 2));
    }
    spec.type(role) = toDataType(tensor.getDataType()).value_or(orzo::DataType::F32);
  }
  if (Status status = validate(spec); !status.ok())
    return status.within(describe(node) + ", tensor '" + node.output->getName() + "'");
  return spec;
}

} // namespace orzo::graph
