// TorchReader: one pass over a torch function, from its arguments to what it writes and returns.
#pragma once

#include "Dialect/Compat/Torch/TorchDialect.h"
#include "Import/Binding/Binding.h"
#include "Import/Torch/Geometry.h"
#include "Import/Torch/TensorValue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

namespace orzo::torch {

/// The dims of a tensor as axes of a role: the group axis and the channels of a group share one.
using DimAxes = std::vector<std::vector<Axis>>;

/// A convolution that was read; its result's layout is set when it is known where the result goes.
struct PendingProblem {
  conv::BoundProblem bound;
  Role result;
  DimAxes resultAxes; ///< Of each memory dim of the result.
  mlir::Operation *op = nullptr;
  bool placed = false;
};

class TorchReader {
public:
  explicit TorchReader(mlir::func::FuncOp function) : function(function) {}

  /// Reads the whole function. Failure: an error was emitted.
  mlir::LogicalResult run();

  Binding binding;
  std::vector<PendingProblem> problems; ///< Those that are placed count.

private:
  mlir::InFlightDiagnostic refuse(mlir::Operation *op) { return op->emitError("unsupported: "); }
  mlir::LogicalResult arguments();
  mlir::LogicalResult read(mlir::Operation *op);

  // Views.cpp: value of a view op's result; Other where it is no mere view.
  std::optional<TensorValue> view(mlir::Operation *op);
  TensorValue reshape(mlir::Operation *op, const TensorValue &from);

  // Convolutions.cpp
  mlir::LogicalResult convolution(mlir::Operation *op);
  mlir::LogicalResult backward(AtenConvolutionBackwardOp op);
  mlir::LogicalResult complain(mlir::Operation *op, const std::optional<Complaint> &complaint);
  struct Tensors {
    TensorValue x, w, y; ///< The result's is ShapeOnly.
  };
  mlir::LogicalResult add(mlir::Operation *op, mlir::Value result, Direction direction, const Tensors &tensors,
                          const Geometry &geometry);

  // Products.cpp
  mlir::LogicalResult product(mlir::Operation *op);

  /// Operand `value`, if it is a tensor that is read; Other with a reason where it is not.
  const TensorValue &tensor(mlir::Value value);
  /// Enters what `operand` plays in `problem`: layout, binding, type.
  void place(PendingProblem &problem, Role role, const TensorValue &operand, const DimAxes &axes);
  /// Ends `problem` (its result is `result` with axes `axes`) and makes `value` its result.
  mlir::LogicalResult finish(PendingProblem problem, mlir::Value value, const DimAxes &axes);
  /// The result `value` goes into argument `destination`, or is returned (-1).
  mlir::LogicalResult deliver(mlir::Operation *op, mlir::Value value, int destination);
  /// First of `values` that is Other, or null.
  const TensorValue *blocked(llvm::ArrayRef<const TensorValue *> values);

  mlir::func::FuncOp function;
  llvm::DenseMap<mlir::Value, TensorValue> values;
  TensorValue unknown;
};

} // namespace orzo::torch
