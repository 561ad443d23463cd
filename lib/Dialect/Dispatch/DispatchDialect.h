// The dispatch dialect: regions, kernels and the flat program of launches, fills and copies.
#pragma once

#include "Dialect/Conv/ConvDialect.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace orzo::dispatch {
/// Effects of a step on memrefs: reads its ins, writes its outs. On tensors it has none.
void collectStepEffects(mlir::DestinationStyleOpInterface step,
                        llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);
} // namespace orzo::dispatch

#include "Dialect/Dispatch/DispatchDialect.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Dispatch/DispatchOps.h.inc"
