// NestFusion: nest ops taken apart, and two of them made one.
#pragma once

#include "Dialect/Nest/NestDialect.h"

#include "mlir/IR/Builders.h"

namespace orzo::dispatch {

/// A nest op taken apart.
struct NestOp {
  mlir::Operation *op;
  std::vector<GraphLoop> loops;
  std::vector<int64_t> offsets;

  explicit NestOp(mlir::Operation *op) : op(op) {
    auto attr = op->getAttrOfType<nest::LoopsAttr>("loops");
    loops = attr.getLoops();
    offsets = attr.getOffsets().vec();
  }
  mlir::OperandRange inputs() const { return op->getOperands().drop_back(); }
  size_t resultColumn() const { return offsets.size() - 1; }
  mlir::Block &body() const { return op->getRegion(0).front(); }
};

/// `consumer` - a map or reduction - with `map`, which makes its input `column`, computed in its body: written in front
/// of `consumer`, whose uses it gets. Null where the input is not read once, element by element.
mlir::Operation *mergeNests(nest::MapOp map, const NestOp &consumer, size_t column);

/// A region of one block with `inputs` arguments of f32; the builder is in it afterwards.
mlir::Block *addBody(mlir::OpBuilder &builder, mlir::OperationState &state, size_t inputs);

/// Clones the ops of `body` with its arguments replaced by `inputs`; what it yields.
mlir::Value inlined(mlir::OpBuilder &builder, mlir::Block &body, mlir::ValueRange inputs);

} // namespace orzo::dispatch
