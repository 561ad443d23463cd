// From a GraphSpec to conv and nest ops.
#pragma once

#include "orzo/Spec/GraphSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace orzo {

/// A module of one func.func @problem, whose arguments are the graph's inputs and whose results are its outputs, both
/// by value and flat (tensor<elements x type>); one conv or nest op a step. Constants are in the bodies of the nest
/// ops. The function says its text (`orzo.graph`), whether rounding is strict (`orzo.strict_rounding`), and the values
/// that arguments and results are (`orzo.values`: "%0", ...). `graph` must be valid.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(mlir::MLIRContext &context, const GraphSpec &graph);

} // namespace orzo
