#include "Codegen/CPU/Epilogue.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace orzo::cpu {

Status checkEpilogue(Region *epilogue) {
  if (!epilogue)
    return Status::success();
  for (Operation &op : epilogue->front().without_terminator())
    if (!op.hasTrait<OpTrait::Elementwise>() && !op.hasTrait<OpTrait::ConstantLike>())
      return Status::unsupported("epilogue op '" + op.getName().getStringRef().str() + "' is not elementwise");
  return Status::success();
}

Value inlineEpilogue(Writer &writer, Region *epilogue, Value accumulator) {
  if (!epilogue)
    return accumulator;
  IRMapping map;
  Block &block = epilogue->front();
  map.map(block.getArgument(0), accumulator);
  auto shape = dyn_cast<VectorType>(accumulator.getType());
  for (Operation &op : block.without_terminator()) {
    Operation *copy = writer.b.clone(op, map);
    for (auto [scalar, result] : llvm::zip_equal(op.getResults(), copy->getResults())) {
      if (!shape)
        continue;
      VectorType type = VectorType::get(shape.getShape(), result.getType());
      if (op.hasTrait<OpTrait::ConstantLike>())
        map.map(scalar, vector::BroadcastOp::create(writer.b, writer.loc, type, result));
      else
        result.setType(type);
    }
  }
  return map.lookupOrDefault(block.getTerminator()->getOperand(0));
}

} // namespace orzo::cpu
