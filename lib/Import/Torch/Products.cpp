// Matrix products: out[m, n] = sum over k of a[m, k] * b[k, n], with m as the batch n of a convolution of rank 0.
#include "Dialect/Conv/ConvDialect.h"
#include "Import/Torch/Constants.h"
#include "Import/Torch/TorchReader.h"

using namespace mlir;

namespace orzo::torch {

LogicalResult TorchReader::product(Operation *op) {
  const TensorValue a = tensor(op->getOperand(0)), b = tensor(op->getOperand(1));
  Value result = op->getResult(0);
  if (const TensorValue *other = blocked({&a, &b})) {
    values[result] = *other;
    return success();
  }
  auto type = staticTensor(result.getType());
  if (!type)
    return refuse(op) << "the shape of its result is not static";
  auto other = [&](std::string reason) {
    values[result] = TensorValue::other(op, "'" + op->getName().getStringRef().str() + "' " + std::move(reason));
    return success();
  };
  bool linear = isa<AtenLinearOp>(op);
  if (linear && !isNone(op->getOperand(2)))
    return other("has a bias: a sum is a node of a graph");
  if (a.kind != TensorValue::Kind::Argument || b.kind != TensorValue::Kind::Argument)
    return other("reads something else than arguments");
  size_t batches = a.shape.size() == 3 && b.shape.size() == 3 ? 1 : 0;
  bool isMatrix = a.shape.size() == 2 && b.shape.size() == 2;
  if ((!isMatrix && batches == 0) || (batches != 0 && (linear || isa<AtenMmOp>(op))) ||
      (batches == 0 && isa<AtenBmmOp>(op)))
    return other("is read of two matrices, or of two batches of them; got " + shapeText(a.shape) + " and " +
                 shapeText(b.shape));
  int64_t groups = batches ? a.shape[0] : 1, m = a.shape[batches], k = a.shape[batches + 1];
  int64_t n = b.shape[batches + (linear ? 0 : 1)], bk = b.shape[batches + (linear ? 1 : 0)];
  SmallVector<int64_t> expected = batches ? SmallVector<int64_t>{groups, m, n} : SmallVector<int64_t>{m, n};
  if (bk != k || (batches && b.shape[0] != groups) || type->first != expected)
    return op->emitError() << "a product of " << shapeText(a.shape) << " and " << shapeText(b.shape)
                           << " is declared to be " << shapeText(type->first);
  PendingProblem problem;
  problem.op = op;
  problem.result = Role::Y;
  ConvSpec &spec = problem.bound.spec;
  spec.n = m;
  spec.groups = groups;
  if (__builtin_mul_overflow(k, groups, &spec.c) || __builtin_mul_overflow(n, groups, &spec.k))
    return op->emitError() << "its channels leave 63 bits";
  for (auto [role, elementType] :
       {std::pair(Role::X, a.elementType), std::pair(Role::W, b.elementType), std::pair(Role::Y, type->second)}) {
    Expected<DataType> known = conv::dataType(elementType);
    if (!known)
      return refuse(op) << known.status().message();
    spec.type(role) = *known;
  }
  auto axes = [&](Axis first, Axis second) {
    return batches ? DimAxes{{Axis::G}, {first}, {second}} : DimAxes{{first}, {second}};
  };
  place(problem, Role::X, a, axes(Axis::N, Axis::C));
  place(problem, Role::W, b, linear ? axes(Axis::K, Axis::C) : axes(Axis::C, Axis::K));
  return finish(std::move(problem), result, axes(Axis::N, Axis::K));
}

} // namespace orzo::torch
