// From a ConvSpec to IR.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace orzo {

/// A module of one `func.func @problem` that returns one conv op of its arguments, which are the operands in role
/// order. No names, no locations. `spec` must satisfy validate(); the conv and func dialects must be loaded.
mlir::OwningOpRef<mlir::ModuleOp> importSpec(mlir::MLIRContext &context, const ConvSpec &spec);

} // namespace orzo
