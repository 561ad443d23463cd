// RaiseConv: the convolution that a function on tensors computes.
#pragma once

#include "Conversion/LinalgToConv/Refusal.h"
#include "Dialect/Conv/Binding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace orzo {

/// Each result of `function` as a convolution of two of its arguments. Any spelling will do: named or generic, loops
/// and operands in any order, transposes, pads, slices, flips, reshapes and casts around it in any number; what is
/// raised is what the ops compute, not what they resemble. Named convolutions and matrix products are rewritten as
/// linalg.generic on the way; the function is not changed otherwise. Refuses, at the op that stands in the way, what is
/// no convolution, what else takes part (a bias, an activation), dynamic shapes, other types than f32, f16 and bf16,
/// sums in less than f32.
OrRefusal<std::vector<conv::BoundProblem>> raiseConvs(mlir::func::FuncOp function);

} // namespace orzo
