// The nest dialect: nest.map and nest.reduce, loops over flat memory.
#pragma once

#include "orzo/Spec/GraphSpec.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace orzo::nest {
class LoopsAttr;

/// The MLIR type of `type`, which is not NotSet: i1 for Boolean, ui8 for Uint8, signless integers for the others.
mlir::Type elementType(mlir::MLIRContext *context, ElementType type);
/// The reverse; NotSet for any other type.
ElementType elementType(mlir::Type type);
/// The reduction of that name; nullopt where there is none.
std::optional<ReductionMode> reductionMode(llvm::StringRef name);

/// Elements and type of a tensor or memref: what counts of it here.
int64_t elementsOf(mlir::Value value);
ElementType typeOf(mlir::Value value);

/// Verifies a map or reduce: operands are all tensors (one result, of out's type) or all memrefs (no result), of known
/// element types; `loops` has a column for each and stays inside of it; `body` takes one f32 an input and yields one.
mlir::LogicalResult verifyNestOp(mlir::Operation *op, LoopsAttr loops, mlir::Region &body);

void collectEffects(mlir::DestinationStyleOpInterface op,
                    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);
} // namespace orzo::nest

#include "Dialect/Nest/NestDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Nest/NestAttrs.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Nest/NestOps.h.inc"
