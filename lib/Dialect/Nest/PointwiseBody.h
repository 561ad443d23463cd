// PointwiseBody: what a pointwise mode computes, as ops on f32.
#pragma once

#include "mlir/IR/Builders.h"
#include "orzo/Spec/Pointwise.h"

namespace orzo::nest {

/// Builds `mode` on inputCount(mode) f32 values and returns its f32 result. Everything built is an elementwise op of
/// arith or math without fast-math flags, or a constant: it may be cloned on vectors, and needs no library at run time.
/// (Some modes go through f64 and integers.) The numbers are those of lib/Reference, edge values included; how near,
/// docs/Numerics.md says. `mode` is not NOT_SET. Parameters are used to f32's precision at least.
mlir::Value buildPointwise(mlir::OpBuilder &builder, mlir::Location location, PointwiseMode mode,
                           const PointwiseParameters &parameters, mlir::ValueRange inputs);

} // namespace orzo::nest
