// Interpreter: what a function of linalg and tensor ops computes, in double, one op and one iteration at a time. It
// knows nothing of convolutions: raising is checked against it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <vector>

namespace orzo::test {

/// A tensor in row-major order.
struct NaiveTensor {
  std::vector<int64_t> shape;
  std::vector<double> elements;
};

/// The results of `function` on `arguments`; those of its arguments that are no tensors are skipped. Casts between
/// float types change nothing: data must be whole numbers that all of them have. An op that is not known fails the
/// test.
std::vector<NaiveTensor> interpret(mlir::func::FuncOp function, const std::vector<NaiveTensor> &arguments);

} // namespace orzo::test
