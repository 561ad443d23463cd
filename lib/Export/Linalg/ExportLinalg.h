// ExportLinalg: a problem as a module of linalg ops on tensors, as other compilers take them.
#pragma once

#include "Conversion/ConvToLinalg/ConvToLinalg.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace orzo {

struct LinalgExport {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  LinalgChoice choice;
};

/// One func.func @main that takes the operands and returns the result: fprop (x, w), dgrad (dy, w), wgrad (dy, x). The
/// tensors' dims are the letters of `spec`'s layouts in their order; groups and the channels that they split are one
/// dim where they are neighbours. `spec` must satisfy validate(). Loads the dialects it needs into `context`.
LinalgExport exportLinalg(mlir::MLIRContext &context, const ConvSpec &spec, LinalgForm form);

} // namespace orzo
