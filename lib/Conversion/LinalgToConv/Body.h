// Body: the region of a linalg op, read for its meaning: what value does an iteration yield?
#pragma once

#include "Conversion/LinalgToConv/IndexExpr.h"
#include "Conversion/LinalgToConv/Refusal.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace orzo {

/// An element of a tensor, or zero where a condition on the iteration does not hold.
struct Element {
  mlir::Value tensor;
  llvm::SmallVector<IndexExpr> index;  ///< One per dim of `tensor`, of the op's loops.
  llvm::SmallVector<Interval> present; ///< Per dim: indices outside read as zero.
  mlir::Type type;                     ///< As the iteration sees it, after casts.
  bool rounded = false;                ///< A cast to a narrower type is among the casts.
  bool widened = false;                ///< And after it one to a wider type: a rounding point in between.
};

/// What an op that moves data yields: one element, or zero.
struct Moved {
  bool isZero = false;
  Element element;
};

/// acc + a * b, in any order of operands.
struct MultiplyAdd {
  Element lhs, rhs;
  mlir::Type accumulate;
};

/// The op's loops, 0 ... extent-1 each, or a refusal where an extent is not static or there are none.
OrRefusal<Loops> loopsOf(mlir::linalg::LinalgOp op);

/// The value yielded by a body that only moves data: an argument, an extract, a constant zero, casts of these, or a
/// select between one and zero under conditions on the indices.
OrRefusal<Moved> readMove(mlir::linalg::LinalgOp op, const Loops &loops);

/// The body as a multiply-add onto the output argument.
OrRefusal<MultiplyAdd> readMultiplyAdd(mlir::linalg::LinalgOp op, const Loops &loops);

/// Whether the body's first step towards the yielded value is an addition of the output argument: it reduces.
bool reduces(mlir::linalg::LinalgOp op);

/// `map` applied to the op's loops; refuses floordiv, mod and symbols.
OrRefusal<llvm::SmallVector<IndexExpr>> applyMap(mlir::AffineMap map, mlir::Location location);

} // namespace orzo
