// Passes that form, outline and place dispatches.
#pragma once

#include "Dialect/Dispatch/DispatchDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace orzo::dispatch {
#define GEN_PASS_DECL
#include "Dialect/Dispatch/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Dialect/Dispatch/Transforms/Passes.h.inc"
} // namespace orzo::dispatch
