#include "Dialect/Conv/ConvDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

#include "Dialect/Conv/ConvDialect.cpp.inc"
#include "Dialect/Conv/ConvInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Conv/ConvAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "Dialect/Conv/ConvOps.cpp.inc"

namespace orzo::conv {

void ConvDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/Conv/ConvAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Dialect/Conv/ConvOps.cpp.inc"
      >();
}

mlir::LogicalResult verifyConvOp(mlir::Operation *op) {
  Expected<ConvSpec> spec = specOf(op);
  if (!spec)
    return op->emitOpError(spec.status().message());
  return mlir::success();
}

ConvOpInterface createConv(mlir::OpBuilder &builder, mlir::Location location, const ConvSpec &spec, mlir::Value lhs,
                           mlir::Value rhs) {
  switch (spec.direction) {
  case Direction::FProp:
    return FpropOp::create(builder, location, lhs, rhs, spec);
  case Direction::DGrad:
    return DgradOp::create(builder, location, lhs, rhs, spec);
  case Direction::WGrad:
    break;
  }
  return WgradOp::create(builder, location, lhs, rhs, spec);
}

} // namespace orzo::conv
