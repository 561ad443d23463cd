// The conv dialect: conv.fprop, conv.dgrad, conv.wgrad, their geometry, and the way between them and ConvSpec.
#pragma once

#include "orzo/Spec/Canonical.h"
#include "orzo/Spec/ConvSpec.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <array>

namespace orzo::conv {
class GeometryAttr;

/// The MLIR type of `type`.
mlir::Type elementType(mlir::MLIRContext *context, DataType type);
/// The reverse; InvalidArgument for any other type names the three that would work.
Expected<DataType> dataType(mlir::Type type);

/// The packed tensor that plays `role` in `spec`, in the order of its layout.
mlir::RankedTensorType tensorType(mlir::MLIRContext *context, const ConvSpec &spec, Role role);

/// The ConvSpec of an op that implements ConvOpInterface, verified or not. InvalidArgument: an element type or layout
/// that is none, a shape whose rank is not its layout's, tensors that disagree on an extent, or a constraint of
/// validate() (the message begins with its number).
Expected<ConvSpec> specOf(mlir::Operation *op);

/// The verifier of all three ops: specOf() succeeds.
mlir::LogicalResult verifyConvOp(mlir::Operation *op);

} // namespace orzo::conv

#include "Dialect/Conv/ConvDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Conv/ConvAttrs.h.inc"

#include "Dialect/Conv/ConvInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Conv/ConvOps.h.inc"

namespace orzo::conv {
/// The conv op of `spec.direction` on operands in role order.
ConvOpInterface createConv(mlir::OpBuilder &builder, mlir::Location location, const ConvSpec &spec, mlir::Value lhs,
                           mlir::Value rhs);
} // namespace orzo::conv
