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
  return problemOf(function);
}

ConvOpInterface problemOf(mlir::func::FuncOp function) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody())) {
    function.emitError("unsupported: expected a function with a body of one block");
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

mlir::func::FuncOp createProblem(mlir::OpBuilder &builder, const ConvSpec &spec, size_t number) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::MLIRContext *context = builder.getContext();
  mlir::Location location = builder.getUnknownLoc();
  llvm::SmallVector<mlir::Type> operands;
  for (Role role : operandRoles(spec.direction))
    operands.push_back(tensorType(context, spec, role));
  mlir::Type result = tensorType(context, spec, resultRole(spec.direction));
  std::string name = number == 0 ? "problem" : "problem_" + std::to_string(number);
  auto function = mlir::func::FuncOp::create(builder, location, name, builder.getFunctionType(operands, result));
  builder.setInsertionPointToStart(function.addEntryBlock());
  ConvOpInterface conv = createConv(builder, location, spec, function.getArgument(0), function.getArgument(1));
  mlir::func::ReturnOp::create(builder, location, conv->getResults());
  return function;
}

} // namespace orzo::conv
