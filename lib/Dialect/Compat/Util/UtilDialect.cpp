#include "Dialect/Compat/Util/UtilDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

namespace orzo::util {

/// One list of types for operands and results.
static mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &operands,
                                        llvm::SmallVectorImpl<mlir::Type> &results) {
  if (parser.parseTypeList(operands))
    return mlir::failure();
  results.assign(operands.begin(), operands.end());
  return mlir::success();
}

static void printSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::TypeRange operands, mlir::TypeRange) {
  llvm::interleaveComma(operands, printer);
}

} // namespace orzo::util

#include "Dialect/Compat/Util/UtilDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Compat/Util/UtilAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "Dialect/Compat/Util/UtilOps.cpp.inc"

namespace orzo::util {

void UtilDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/Compat/Util/UtilAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Dialect/Compat/Util/UtilOps.cpp.inc"
      >();
}

mlir::ParseResult FuncOp::parse(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  auto type = [](mlir::Builder &builder, llvm::ArrayRef<mlir::Type> arguments, llvm::ArrayRef<mlir::Type> results,
                 mlir::function_interface_impl::VariadicFlag,
                 std::string &) { return builder.getFunctionType(arguments, results); };
  return mlir::function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), type,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(mlir::OpAsmPrinter &printer) {
  mlir::function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                                 getArgAttrsAttrName(), getResAttrsAttrName());
}

} // namespace orzo::util
