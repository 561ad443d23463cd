// TensorMemory: the tensor whose memory another is, in a shape of its own.
#pragma once

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace orzo::dispatch {

/// `value` without the reshapes between it and where its memory is made.
inline mlir::Value memoryOf(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (!mlir::isa<mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

} // namespace orzo::dispatch
