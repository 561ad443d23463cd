#include "Dialect/Compat/HAL/HALDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

namespace orzo::hal {

/// One list of types for operands and results.
static mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &sources,
                                        llvm::SmallVectorImpl<mlir::Type> &results) {
  if (parser.parseTypeList(sources))
    return mlir::failure();
  results.assign(sources.begin(), sources.end());
  return mlir::success();
}

static void printSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::TypeRange sources, mlir::TypeRange) {
  llvm::interleaveComma(sources, printer);
}

} // namespace orzo::hal

#include "Dialect/Compat/HAL/HALDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/Compat/HAL/HALTypes.cpp.inc"

#define GET_OP_CLASSES
#include "Dialect/Compat/HAL/HALOps.cpp.inc"

namespace orzo::hal {

void HALDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Dialect/Compat/HAL/HALTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Dialect/Compat/HAL/HALOps.cpp.inc"
      >();
}

mlir::LogicalResult TensorBarrierOp::verify() {
  if (!llvm::equal(getSources().getTypes(), getResults().getTypes()))
    return emitOpError("has results of other types than its sources");
  return mlir::success();
}

} // namespace orzo::hal
