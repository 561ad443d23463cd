// What is left of linalg that is no convolution: passes that make it a launch of plain loops.
#pragma once

#include "Dialect/Dispatch/DispatchDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"

namespace orzo {
#define GEN_PASS_DECL
#include "Conversion/LinalgToLoops/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Conversion/LinalgToLoops/Passes.h.inc"
} // namespace orzo
