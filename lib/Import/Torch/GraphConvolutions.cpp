// Convolutions, their gradients and matrix products as nodes.
#include "Graph/NodeRules.h"
#include "Import/Torch/Constants.h"
#include "Import/Torch/GraphReader.h"
#include "Import/Torch/TensorValue.h"

using namespace mlir;

namespace orzo::torch {

using graph::DataType;
using graph::TensorPtr;

/// Zeros around x, and rows that are cut off, may be counted as padding of the convolution where no window tells the
/// difference: its own padding is zeros as well, but not where it would lie over rows that were cut off.
bool GraphReader::takeOver(const GraphTensor &x, const GraphTensor &w, const GraphTensor &y, const Geometry &geometry,
                           Extents &low, Extents &high) {
  if (x.padLow[0] != 0 || x.padHigh[0] != 0 || x.padLow[1] != 0 || x.padHigh[1] != 0)
    return false;
  for (size_t i = 2; i < x.dim.size(); ++i) {
    // How far windows reach behind the end of x.
    __int128 beyond = __int128(y.dim[i] - 1) * geometry.stride[i - 2] +
                      __int128(w.dim[i] - 1) * geometry.dilation[i - 2] + 1 - low[i - 2] - x.dim[i];
    if ((x.padLow[i] < 0 && low[i - 2] > 0) || (x.padHigh[i] < 0 && beyond > 0))
      return false;
    low[i - 2] += x.padLow[i];
    high[i - 2] += x.padHigh[i];
  }
  return true;
}

/// Before any dim or list is looked at.
static std::optional<Complaint> checkRanks(ArrayRef<const GraphTensor *> tensors) {
  size_t rank = tensors[0]->dim.size();
  for (const GraphTensor *tensor : tensors)
    if (tensor->dim.size() != rank || rank < 3 || rank > 5)
      return Complaint{false, "convolutions are read of tensors of 3 to 5 dims, all of as many; got " +
                                  shapeText(tensor->dim)};
  return std::nullopt;
}

TensorPtr GraphReader::convolve(Operation *op, Direction direction, const std::array<GraphTensor, 3> &tensors,
                                const Geometry &geometry) {
  const GraphTensor &x = tensors[0], &w = tensors[1], &y = tensors[2];
  if (auto complaint = checkRanks({&x, &w, &y})) {
    refuse(op, *complaint);
    return nullptr;
  }
  Extents low = geometry.padLow, high = geometry.padHigh;
  for (size_t i = 0; i < low.size(); ++i)
    high[i] -= geometry.outputPadding[i];
  Role result = resultRole(direction);
  Extents innerLow = low, innerHigh = high;
  bool takesInner = direction != Direction::DGrad && x.inner && takeOver(x, w, y, geometry, innerLow, innerHigh);
  if (takesInner) {
    low = innerLow;
    high = innerHigh;
  }
  auto set = [&](auto attr) -> graph::NodeAttr {
    attr.setStride(geometry.stride).setDilation(geometry.dilation).setPrePadding(low).setPostPadding(high);
    return attr.setGroups(geometry.groups);
  };
  auto operandOf = [&](Role role) -> TensorPtr {
    const GraphTensor &tensor = tensors[static_cast<int>(role)];
    if (role == Role::X && takesInner)
      return tensor.inner;
    if (tensor.isRead)
      return whole(op, tensor);
    refuse(op, tensor.complaint);
    return nullptr;
  };
  const GraphTensor &made = tensors[static_cast<int>(result)];
  auto build = [&](graph::NodeAttr attr, Role first, Role second) -> TensorPtr {
    TensorPtr a = operandOf(first), b = a ? operandOf(second) : nullptr;
    return b ? node(op, std::move(attr), {a, b}, made.dim, made.type) : nullptr;
  };
  switch (direction) {
  case Direction::FProp:
    return build(set(graph::ConvFPropAttr()), Role::X, Role::W);
  case Direction::DGrad:
    return build(set(graph::ConvDGradAttr()), Role::Y, Role::W);
  case Direction::WGrad:
    return build(set(graph::ConvWGradAttr()), Role::Y, Role::X);
  }
  return nullptr;
}

void GraphReader::forward(Operation *op) {
  GraphTensor input = operand(op, 0), weight = operand(op, 1), output;
  declared(op->getResult(0), output);
  if (auto complaint = checkRanks({&input, &weight, &output}))
    return refuse(op, *complaint);
  Geometry geometry;
  if (auto complaint = readConvolution(op, weight.dim, geometry))
    return refuse(op, *complaint);
  bool hasBias = !isNone(op->getOperand(2));
  TensorPtr product = geometry.transposed ? convolve(op, Direction::DGrad, {output, weight, input}, geometry)
                                          : convolve(op, Direction::FProp, {input, weight, output}, geometry);
  if (!product)
    return;
  if (!hasBias)
    return define(op, product);
  GraphTensor bias = operand(op, 2);
  Extents dim(output.dim.size(), 1);
  dim[1] = output.dim[1];
  TensorPtr spread = bias.tensor && bias.dim == Extents{output.dim[1]} ? reshaped(op, bias, dim) : nullptr;
  if (!spread)
    return refuse(op,
                  "the bias of " + nameOf(op) + " must be a tensor of " + std::to_string(output.dim[1]) + "; got " +
                      shapeText(bias.dim),
                  /*isInvalid=*/true);
  define(op, node(op, graph::PointwiseAttr().setMode(PointwiseMode::ADD), {product, spread}, output.dim, output.type));
}

void GraphReader::backward(AtenConvolutionBackwardOp op) {
  GraphTensor gradient = at(op.getGradOutput()), input = at(op.getInput()), weight = at(op.getWeight());
  std::optional<std::vector<bool>> mask = constantBools(op.getOutputMask());
  if (!mask || mask->size() != 3)
    return refuse(op, "output_mask is no list of 3 constants");
  if (auto complaint = checkRanks({&input, &weight, &gradient}))
    return refuse(op, *complaint);
  Geometry geometry;
  if (auto complaint = readBackward(op, static_cast<int>(input.dim.size()) - 2, geometry))
    return refuse(op, *complaint);
  // What is not asked for stays unread; a problem with one gradient is none of the others.
  refuse(op, "an output of " + nameOf(op) + " that its mask leaves out", /*isInvalid=*/true);
  auto gradientOf = [&](Value result, const GraphTensor &of, Direction direction) {
    if (result.use_empty())
      return;
    GraphTensor made;
    declared(result, made);
    if (made.dim != of.dim)
      return refuse(op, "a gradient of " + shapeText(of.dim) + " is declared to be " + shapeText(made.dim), true);
    // What was convolved plays x, what came out y; a transposed convolution is the gradient of one.
    std::array<GraphTensor, 3> tensors =
        geometry.transposed ? std::array{gradient, weight, input} : std::array{input, weight, gradient};
    tensors[static_cast<int>(resultRole(direction))] = made;
    if (TensorPtr tensor = convolve(op, direction, tensors, geometry))
      define(op, tensor, result);
  };
  if ((*mask)[0])
    gradientOf(op.getGradInput(), input, geometry.transposed ? Direction::FProp : Direction::DGrad);
  if ((*mask)[1])
    gradientOf(op.getGradWeight(), weight, Direction::WGrad);
  GraphTensor bias;
  if (!(*mask)[2] || op.getGradBias().use_empty() || !declared(op.getGradBias(), bias))
    return;
  TensorPtr dy = whole(op, gradient);
  if (!dy)
    return;
  Extents dim(gradient.dim.size(), 1), axes;
  dim[1] = gradient.dim[1];
  for (size_t i = 0; i < dim.size(); ++i)
    if (i != 1)
      axes.push_back(static_cast<int64_t>(i));
  GraphTensor sum{node(op, graph::ReductionAttr().setMode(ReductionMode::ADD).setAxes(axes), {dy}, dim, bias.type), dim,
                  bias.type};
  if (bias.dim != Extents{dim[1]})
    return refuse(op, "a bias gradient of " + std::to_string(dim[1]) + " is declared to be " + shapeText(bias.dim),
                  true);
  define(op, reshaped(op, sum, bias.dim), op.getGradBias());
}

/// Zeros around a gradient of the input, or a part of it, are another gradient: x is longer or shorter, and where that
/// is more, no window may have reached there.
TensorPtr GraphReader::padDGrad(AtenConstantPadNdOp op, const GraphTensor &from, const Extents &low,
                                const Extents &high) {
  auto maker = makers.find(from.tensor.get());
  if (maker == makers.end() || constantNumber(op.getValue()) != 0.0 || low[0] != 0 || low[1] != 0 || high[0] != 0 ||
      high[1] != 0)
    return nullptr;
  const graph::Node made = nodes[maker->second];
  const auto *attr = std::get_if<graph::ConvDGradAttr>(&made.attr);
  if (!attr)
    return nullptr;
  graph::ConvGeometry geometry = attr->getGeometry();
  Extents dim = from.dim;
  for (size_t i = 2; i < dim.size(); ++i) {
    int64_t &pre = geometry.prePadding[i - 2], &post = geometry.postPadding[i - 2];
    __int128 beyond = __int128(made.inputs[0]->getDim()[i] - 1) * geometry.stride[i - 2] +
                      __int128(made.inputs[1]->getDim()[i] - 1) * geometry.dilation[i - 2] + 1 - pre - dim[i];
    if ((low[i] > 0 && pre > 0) || (high[i] > 0 && beyond > 0))
      return nullptr;
    pre -= low[i];
    post -= high[i];
    dim[i] += low[i] + high[i];
  }
  graph::ConvDGradAttr other = *attr;
  other.setPrePadding(geometry.prePadding).setPostPadding(geometry.postPadding);
  return node(nodeOps[maker->second], other, made.inputs, dim, from.type);
}

bool GraphReader::convolution(Operation *op) {
  if (auto both = dyn_cast<AtenConvolutionBackwardOp>(op)) {
    backward(both);
    return true;
  }
  if (!isa<AtenConvolutionOp, AtenUnderscoreConvolutionOp, AtenConv1dOp, AtenConv2dOp, AtenConv3dOp,
           AtenConv1dPaddingOp, AtenConv2dPaddingOp, AtenConv3dPaddingOp, AtenConvTranspose1dOp,
           AtenConvTranspose2dInputOp, AtenConvTranspose3dInputOp>(op))
    return false;
  forward(op);
  return true;
}

bool GraphReader::product(Operation *op) {
  bool isLinear = isa<AtenLinearOp>(op), addsInput = isa<AtenAddmmOp, AtenBaddbmmOp>(op);
  if (!isLinear && !addsInput && !isa<AtenMmOp, AtenBmmOp, AtenMatmulOp>(op))
    return false;
  GraphTensor a = operand(op, addsInput ? 1 : 0), b = operand(op, addsInput ? 2 : 1), result;
  declared(op->getResult(0), result);
  size_t wanted = isa<AtenMmOp, AtenAddmmOp>(op) ? 2 : isa<AtenBmmOp, AtenBaddbmmOp>(op) ? 3 : 0;
  if (wanted != 0 && (a.dim.size() != wanted || b.dim.size() != wanted)) {
    refuse(op,
           nameOf(op) + " takes tensors of " + std::to_string(wanted) + " dims; got " + shapeText(a.dim) + " and " +
               shapeText(b.dim),
           /*isInvalid=*/true);
    return true;
  }
  // Repeated over the batch is what a product does by itself.
  auto matrix = [&](GraphTensor &tensor) -> TensorPtr {
    if (!tensor.tensor || tensor.tensor->isScalar())
      return whole(op, tensor);
    TensorPtr own = ranked(op, tensor);
    for (size_t i = tensor.dim.size() < 2 ? 0 : tensor.dim.size() - 2; i < tensor.dim.size(); ++i)
      if (own->getDim()[i] != tensor.dim[i])
        return whole(op, tensor);
    return own;
  };
  TensorPtr left = matrix(a), right = left ? matrix(b) : nullptr;
  if (!right)
    return true;
  auto as = [&](const TensorPtr &tensor, const Extents &dim) {
    return reshaped(op, {tensor, tensor->getDim(), tensor->getDataType()}, dim);
  };
  Extents full = result.dim; // Of the product, before a vector's dim is dropped.
  if (isLinear && b.dim.size() == 2) {
    right = node(op, graph::TransposeAttr().setPermutation({1, 0}), {right}, {b.dim[1], b.dim[0]}, b.type);
    b.dim = {b.dim[1], b.dim[0]};
  }
  bool isVectorLeft = a.dim.size() == 1, isVectorRight = b.dim.size() == 1;
  if (isVectorLeft) {
    left = as(left, {1, a.dim[0]});
    a.dim = {1, a.dim[0]};
  }
  if (isVectorRight) {
    right = as(right, {b.dim[0], 1});
    b.dim = {b.dim[0], 1};
  }
  Extents batchA(a.dim.begin(), a.dim.end() - 2), batchB(b.dim.begin(), b.dim.end() - 2);
  std::optional<Extents> batch = graph::broadcast(batchA, batchB);
  if (!batch || a.dim.back() != b.dim[b.dim.size() - 2]) {
    refuse(op, "a product of " + shapeText(a.dim) + " and " + shapeText(b.dim) + " does not exist", /*isInvalid=*/true);
    return true;
  }
  Extents dim = *batch, seen = *batch;
  if (!isVectorLeft)
    seen.push_back(a.dim[a.dim.size() - 2]);
  if (!isVectorRight)
    seen.push_back(b.dim.back());
  if (seen.empty())
    seen = {1};
  dim.push_back(a.dim[a.dim.size() - 2]);
  dim.push_back(b.dim.back());
  if (addsInput ? seen != result.dim : seen != full) {
    refuse(op,
           "a product of " + shapeText(a.dim) + " and " + shapeText(b.dim) + " is declared to be " +
               shapeText(result.dim),
           /*isInvalid=*/true);
    return true;
  }
  // Where both are repeated over a batch dim the product is too.
  std::optional<Extents> own = graph::broadcast({left->getDim().begin(), left->getDim().end() - 2},
                                                {right->getDim().begin(), right->getDim().end() - 2});
  Extents ownDim = own.value_or(*batch);
  ownDim.insert(ownDim.end(), dim.end() - 2, dim.end());
  GraphTensor made{node(op, graph::MatmulAttr(), {left, right}, ownDim, result.type), dim, result.type};
  TensorPtr product = reshaped(op, made, seen);
  if (!product) {
    refuse(op, nameOf(op) + " of repeated tensors");
    return true;
  }
  made.tensor = product;
  made.dim = seen;
  if (isLinear && !isNone(op->getOperand(2)))
    return pointwise(op, PointwiseMode::ADD, {made, operand(op, 2)});
  if (!addsInput) {
    define(op, product);
    return true;
  }
  std::optional<double> beta = constantNumber(op->getOperand(3)), alpha = constantNumber(op->getOperand(4));
  if (!beta || !alpha) {
    refuse(op, "alpha or beta of " + nameOf(op) + " is no constant");
    return true;
  }
  if (*alpha != 1)
    made = step(op, PointwiseMode::MUL, {made, constant(*alpha, made)});
  if (*beta == 0) {
    define(op, made.tensor);
    return true;
  }
  GraphTensor added = operand(op, 0);
  if (*beta != 1)
    added = step(op, PointwiseMode::MUL, {added, constant(*beta, added)});
  return pointwise(op, PointwiseMode::ADD, {made, added});
}

} // namespace orzo::torch
