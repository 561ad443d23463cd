// Conditions: whole numbers that an iteration computes from its indices, and tests of them.
#pragma once

#include "Conversion/LinalgToConv/IndexExpr.h"
#include "Conversion/LinalgToConv/Refusal.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"

namespace orzo {

/// A whole number that an iteration computes. `remainder` stands for the expression modulo a number, for conditions;
/// `floored` for a division that drops the rest, which is an index only under the condition that there is none.
struct Number {
  IndexExpr expr;
  int64_t modulus = 0;
};

/// Conditions on the iteration, all of which must hold.
struct Conditions {
  llvm::SmallVector<std::pair<IndexExpr, Interval>> bounds;
  llvm::SmallVector<std::pair<IndexExpr, int64_t>> divisible;
};

/// `value` as a function of the loops: indices, constants, sums, products and quotients with constants, affine maps.
OrRefusal<Number> readNumber(mlir::Value value);

/// `value`, an i1: a conjunction of bounds and of tests for divisibility.
OrRefusal<Conditions> readConditions(mlir::Value value, const Loops &loops);

/// `map` of `dims`; refuses floordiv, mod and symbols.
OrRefusal<llvm::SmallVector<IndexExpr>> applyMapTo(mlir::AffineMap map, llvm::ArrayRef<IndexExpr> dims,
                                                   mlir::Location location);

} // namespace orzo
