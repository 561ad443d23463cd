#include "Dialect/Conv/Transforms/Passes.h"

namespace orzo::conv {

ConvOpInterface problemOf(mlir::ModuleOp module) {
  mlir::func::FuncOp function;
  for (mlir::Operation &op : module.getBody()->getOperations()) {
    auto candidate = mlir::dyn_cast<mlir::func::FuncOp>(op);
    if (!candidate || candidate.getName() != "problem" || function) {
      op.emitError("unsupported: expected a module of one func.func @problem");
      return {};
    }
    function = candidate;
  }
  if (!function || function.isExternal()) {
    module.emitError("unsupported: expected a module of one func.func @problem with a body");
    return {};
  }
  ConvOpInterface conv;
  for (mlir::Operation &op : function.getBody().front().without_terminator()) {
    auto candidate = mlir::dyn_cast<ConvOpInterface>(op);
    if (!candidate || conv) {
      op.emitError("unsupported: expected @problem to hold one conv op");
      return {};
    }
    conv = candidate;
  }
  mlir::Operation *end = function.getBody().front().getTerminator();
  if (!conv || !llvm::equal(conv->getOperands(), function.getArguments()) ||
      !llvm::equal(end->getOperands(), conv->getResults())) {
    function.emitError("unsupported: expected @problem to return one conv op of its two arguments, in role order");
    return {};
  }
  return conv;
}

} // namespace orzo::conv
