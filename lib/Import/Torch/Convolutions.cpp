#include "Dialect/Conv/ConvDialect.h"
#include "Import/Torch/Constants.h"
#include "Import/Torch/TorchReader.h"

using namespace mlir;

namespace orzo::torch {

LogicalResult TorchReader::complain(Operation *op, const std::optional<Complaint> &complaint) {
  if (!complaint)
    return success();
  if (complaint->isInvalid)
    return op->emitError(complaint->reason);
  return refuse(op) << complaint->reason;
}

/// The axes of the dims of x, w or y: batch or filter's output channels first, then channels, then spatial dims.
static DimAxes dimAxes(Role role, int rank, bool grouped) {
  auto withGroup = [&](Axis axis) { return grouped ? std::vector{Axis::G, axis} : std::vector{axis}; };
  DimAxes axes;
  if (role == Role::W) {
    axes = {withGroup(Axis::K), {Axis::C}};
  } else {
    axes = {{Axis::N}, withGroup(role == Role::X ? Axis::C : Axis::K)};
  }
  for (int dim = 0; dim < rank; ++dim)
    axes.push_back({spatialAxis(dim)});
  return axes;
}

/// One convolution: checks that the three shapes are those of one relation, then places the operands.
LogicalResult TorchReader::add(Operation *op, Value result, Direction direction, const Tensors &tensors,
                               const Geometry &geometry) {
  std::array<const TensorValue *, 3> byRole = {&tensors.x, &tensors.w, &tensors.y};
  Role resultRole = orzo::resultRole(direction);
  int rank = static_cast<int>(tensors.w.shape.size()) - 2;
  PendingProblem problem;
  problem.op = op;
  problem.result = resultRole;
  ConvSpec &spec = problem.bound.spec;
  spec.direction = direction;
  spec.groups = geometry.groups;
  spec.n = tensors.x.shape[0];
  spec.c = tensors.x.shape[1];
  spec.k = tensors.w.shape[0];
  for (Role role : {Role::X, Role::W, Role::Y}) {
    const TensorValue &tensor = *byRole[static_cast<int>(role)];
    Expected<DataType> type = conv::dataType(tensor.elementType);
    if (!type)
      return refuse(op) << name(role).data() << ": " << type.status().message();
    spec.type(role) = *type;
    if (role != resultRole && tensor.kind != TensorValue::Kind::Argument) {
      bool empty = tensor.kind == TensorValue::Kind::ShapeOnly;
      values[result] = TensorValue::other(
          op, empty ? "'" + op->getName().getStringRef().str() + "' reads a tensor that nothing was written to"
                    : "'" + op->getName().getStringRef().str() + "' reads the result of another convolution");
      return success();
    }
  }
  if (spec.groups > spec.c || spec.c % spec.groups != 0 || spec.k % spec.groups != 0)
    return op->emitError() << "C4: groups must divide c and k; got groups " << spec.groups << ", c " << spec.c << ", k "
                           << spec.k;
  std::array<int64_t, 2> w = {spec.k, spec.c / spec.groups}, y = {spec.n, spec.k};
  if (tensors.w.shape[1] != w[1] || tensors.y.shape[0] != y[0] || tensors.y.shape[1] != y[1])
    return op->emitError() << "tensors of " << shapeText(tensors.x.shape) << ", " << shapeText(tensors.w.shape)
                           << " and " << shapeText(tensors.y.shape) << " (x, w, y) in " << spec.groups
                           << " groups do not fit each other's batch and channels";
  for (int dim = 0; dim < rank; ++dim) {
    spec.spatial.push_back({tensors.x.shape[dim + 2], tensors.w.shape[dim + 2], tensors.y.shape[dim + 2],
                            geometry.stride[dim], geometry.dilation[dim], geometry.padLow[dim], false});
    const SpatialDim &last = spec.spatial.back();
    // The last window ends within the padded input, and there is no further one. A transposed convolution says what is
    // left behind it.
    __int128 end = __int128(last.out - 1) * last.stride + __int128(last.filter - 1) * last.dilation + 1;
    __int128 rest = __int128(last.in) + geometry.padLow[dim] + geometry.padHigh[dim] - end;
    bool fits = geometry.transposed ? rest == geometry.outputPadding[dim] : rest >= 0 && rest < last.stride;
    if (last.in < 1 || last.filter < 1 || last.out < 1 || !fits)
      return op->emitError() << "along spatial dim " << dim << " in " << last.in << ", filter " << last.filter
                             << ", stride " << last.stride << ", dilation " << last.dilation << ", padding "
                             << geometry.padLow[dim] << " do not give out " << last.out;
  }
  bool grouped = spec.groups > 1;
  for (Role role : operandRoles(direction))
    place(problem, role, *byRole[static_cast<int>(role)], dimAxes(role, rank, grouped));
  return finish(std::move(problem), result, dimAxes(resultRole, rank, grouped));
}

/// Ranks, before any dim is asked for.
static LogicalResult checkRanks(Operation *op, ArrayRef<const TensorValue *> tensors) {
  size_t rank = tensors[0]->shape.size();
  for (const TensorValue *tensor : tensors)
    if (tensor->shape.size() != rank || rank < 3 || rank > 5)
      return op->emitError("unsupported: ")
             << "convolutions are read of tensors of 3 to 5 dims, all of as many; got " << shapeText(tensor->shape);
  return success();
}

LogicalResult TorchReader::convolution(Operation *op) {
  Value inputValue = op->getOperand(0), weightValue = op->getOperand(1), bias = op->getOperand(2);
  const TensorValue input = tensor(inputValue), weight = tensor(weightValue);
  Value result = op->getResult(0);
  if (const TensorValue *other = blocked({&input, &weight})) {
    values[result] = *other;
    return success();
  }
  auto type = staticTensor(result.getType());
  if (!type)
    return refuse(op) << "the shape of its result is not static";
  TensorValue output = TensorValue::ofMemory(TensorValue::Kind::ShapeOnly, 0, type->first, type->second);
  if (failed(checkRanks(op, {&input, &weight, &output})))
    return failure();
  if (!isNone(bias)) {
    values[result] = TensorValue::other(op, "the bias of '" + op->getName().getStringRef().str() +
                                                "' takes part: a sum is a node of a graph");
    return success();
  }
  Geometry geometry;
  if (failed(complain(op, readConvolution(op, weight.shape, geometry))))
    return failure();
  if (!geometry.transposed)
    return add(op, result, Direction::FProp, {input, weight, output}, geometry);
  return add(op, result, Direction::DGrad, {output, weight, input}, geometry);
}

LogicalResult TorchReader::backward(AtenConvolutionBackwardOp op) {
  const TensorValue gradient = tensor(op.getGradOutput()), input = tensor(op.getInput()),
                    weight = tensor(op.getWeight());
  if (const TensorValue *other = blocked({&gradient, &input, &weight})) {
    for (Value result : op->getResults())
      values[result] = *other;
    return success();
  }
  if (failed(checkRanks(op, {&gradient, &input, &weight})))
    return failure();
  std::optional<std::vector<bool>> mask = constantBools(op.getOutputMask());
  if (!mask || mask->size() != 3)
    return refuse(op) << "output_mask is no list of 3 constants";
  Geometry geometry;
  if (failed(complain(op, readBackward(op, static_cast<int>(input.shape.size()) - 2, geometry))))
    return failure();
  // What was convolved plays x, what came out y; a transposed convolution is the gradient of one.
  Tensors tensors = geometry.transposed ? Tensors{gradient, weight, input} : Tensors{input, weight, gradient};
  auto gradientOf = [&](Value result, const TensorValue &of, Direction direction) -> LogicalResult {
    if (result.use_empty())
      return success();
    auto type = staticTensor(result.getType());
    if (!type || type->first != of.shape)
      return op->emitError() << "a gradient of " << shapeText(of.shape) << " is declared to be "
                             << (type ? shapeText(type->first) : std::string("of unknown shape"));
    Tensors mine = tensors;
    TensorValue shapeOnly = TensorValue::ofMemory(TensorValue::Kind::ShapeOnly, 0, type->first, type->second);
    (direction == Direction::WGrad ? mine.w : direction == Direction::DGrad ? mine.x : mine.y) = shapeOnly;
    return add(op, result, direction, mine, geometry);
  };
  if ((*mask)[0] &&
      failed(gradientOf(op.getGradInput(), input, geometry.transposed ? Direction::FProp : Direction::DGrad)))
    return failure();
  if ((*mask)[1] && failed(gradientOf(op.getGradWeight(), weight, Direction::WGrad)))
    return failure();
  values[op.getGradBias()] = TensorValue::other(op, "the bias gradient of '" + op->getName().getStringRef().str() +
                                                        "' takes part: a sum is a node of a graph");
  return success();
}

} // namespace orzo::torch
