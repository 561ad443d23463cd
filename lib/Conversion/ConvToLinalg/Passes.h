// The pass from conv ops to linalg ops.
#pragma once

#include "Dialect/Conv/ConvDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace orzo {
#define GEN_PASS_DECL
#include "Conversion/ConvToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Conversion/ConvToLinalg/Passes.h.inc"
} // namespace orzo
