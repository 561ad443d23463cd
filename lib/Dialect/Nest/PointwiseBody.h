// PointwiseBody: what every pointwise mode computes, as arith and math ops.
#pragma once

#include "orzo/Spec/Pointwise.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace orzo::nest {

/// `mode` of `inputs`, f32 each, as many as the mode takes: an f32.
mlir::Value buildPointwise(mlir::OpBuilder &builder, mlir::Location location, PointwiseMode mode,
                           const PointwiseParameters &parameters, mlir::ValueRange inputs);

} // namespace orzo::nest
