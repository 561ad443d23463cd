#include "Codegen/CPU/Epilogue.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace orzo::cpu {

Status checkBody(Region *body) {
  if (!body)
    return Status::success();
  for (Operation &op : body->front().without_terminator())
    if (!op.hasTrait<OpTrait::Elementwise>() && !op.hasTrait<OpTrait::ConstantLike>())
      return Status::unsupported("body op '" + op.getName().getStringRef().str() + "' is not elementwise");
  return Status::success();
}

Value inlineBody(Writer &writer, Region *body, ValueRange arguments) {
  if (!body)
    return arguments.front();
  VectorType shape;
  for (Value argument : arguments)
    if (auto vector = dyn_cast<VectorType>(argument.getType()))
      shape = vector;
  auto spread = [&](Value value) -> Value {
    if (!shape || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(writer.b, writer.loc, VectorType::get(shape.getShape(), value.getType()), value);
  };
  IRMapping map;
  Block &block = body->front();
  for (auto [inner, outer] : llvm::zip_equal(block.getArguments(), arguments))
    map.map(inner, spread(outer));
  for (Operation &op : block.without_terminator()) {
    Operation *copy = writer.b.clone(op, map);
    for (auto [scalar, result] : llvm::zip_equal(op.getResults(), copy->getResults())) {
      if (!shape)
        continue;
      if (op.hasTrait<OpTrait::ConstantLike>())
        map.map(scalar, spread(result));
      else
        result.setType(VectorType::get(shape.getShape(), result.getType()));
    }
  }
  return map.lookupOrDefault(block.getTerminator()->getOperand(0));
}

} // namespace orzo::cpu
