#include "Dialect/Compat/Torch/TorchDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

namespace orzo::torch {

/// A copy names the value's type only; the memory it is copied from has the same sizes.
static mlir::ParseResult parseCopyType(mlir::OpAsmParser &parser, mlir::Type &operand, mlir::Type &result) {
  llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseType(result))
    return mlir::failure();
  auto type = mlir::dyn_cast<VTensorType>(result);
  if (!type)
    return parser.emitError(location, "expected a !torch.vtensor type");
  operand = NonValueTensorType::get(parser.getContext(), type.getHasSizes(), type.getSizes(), type.getElementType());
  return mlir::success();
}

static void printCopyType(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type, mlir::Type result) {
  printer << result;
}

} // namespace orzo::torch

#include "Dialect/Compat/Torch/TorchDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Dialect/Compat/Torch/TorchOps.cpp.inc"

namespace orzo::torch {

void TorchDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "Dialect/Compat/Torch/TorchOps.cpp.inc"
      >();
}

} // namespace orzo::torch
