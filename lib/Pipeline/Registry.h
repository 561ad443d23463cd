// What the compiler can parse and run: dialects, and passes by flag.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace orzo {

/// orzo's dialects and the upstream ones that its IR contains before kernels are emitted: func, tensor, memref, arith.
void registerProblemDialects(mlir::DialectRegistry &registry);

/// Those and the ones that inputs are made of: linalg and what goes with it, torch, util, hal.
void registerInputDialects(mlir::DialectRegistry &registry);

/// Those and the ones that kernels are made of (KernelLowering.h).
void registerAllDialects(mlir::DialectRegistry &registry);

/// orzo's passes and upstream's canonicalise, cse and the like, for `orzo opt`. Once per process.
void registerPasses();

} // namespace orzo
