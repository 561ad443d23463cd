// The pass from linalg on tensors to conv ops.
#pragma once

#include "Conversion/LinalgToConv/RaiseConv.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/Pass.h"

namespace orzo {
#define GEN_PASS_DECL
#include "Conversion/LinalgToConv/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Conversion/LinalgToConv/Passes.h.inc"

/// What the pass found, for those who want more than the IR.
struct RaiseReport {
  std::vector<conv::BoundProblem> problems; ///< By function: @problem, @problem_1, ...
  std::optional<Refusal> refusal;           ///< The first one.
};

/// The pass, which also fills `report` unless it is null; it must outlive the run.
std::unique_ptr<mlir::Pass> createLinalgToConvPass(RaiseReport *report);

/// Whether the pass looks at `function`: it holds linalg or tensor ops, or no conv op.
bool isToBeRaised(mlir::func::FuncOp function);
} // namespace orzo
