// LinalgRunner: runs a func.func of linalg ops on f32 tensors, by upstream's bufferization, loops and JIT.
#pragma once

#include "orzo/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <span>
#include <vector>

namespace orzo::test {

/// A context that can run what runLinalg() takes.
std::unique_ptr<mlir::MLIRContext> runnerContext();

/// Runs @main of `module` (which is lowered in place) on `operands`, packed tensors of f32 in the order of its
/// arguments; its one result goes to `result`, as large as it is. Internal: some step of the lowering fails.
Status runLinalg(mlir::ModuleOp module, std::span<std::vector<float>> operands, std::vector<float> &result);

} // namespace orzo::test
