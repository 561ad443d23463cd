// Passes from conv ops to conv ops.
#pragma once

#include "Dialect/Conv/ConvDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace orzo::conv {
#define GEN_PASS_DECL
#include "Dialect/Conv/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Dialect/Conv/Transforms/Passes.h.inc"

/// The conv op of `module`, where the module is what orzo compiles: a `func.func @problem` of two arguments that
/// returns one conv op of both, in role order, and nothing else. Otherwise emits an error at the op that does not fit
/// and returns null.
ConvOpInterface problemOf(mlir::ModuleOp module);
/// The same of one function, whatever its name.
ConvOpInterface problemOf(mlir::func::FuncOp function);

/// A function of `spec`'s operands in role order that returns its conv op: @problem, or @problem_<number> where
/// `number` is not 0. Its location is unknown. `spec` must satisfy validate().
mlir::func::FuncOp createProblem(mlir::OpBuilder &builder, const ConvSpec &spec, size_t number = 0);
} // namespace orzo::conv
