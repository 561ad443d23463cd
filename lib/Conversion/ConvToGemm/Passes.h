// The pass from conv ops to gemm ops.
#pragma once

#include "Dialect/Dispatch/DispatchDialect.h"
#include "Dialect/Gemm/GemmDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace orzo {
#define GEN_PASS_DECL
#include "Conversion/ConvToGemm/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Conversion/ConvToGemm/Passes.h.inc"
} // namespace orzo
