// IndexExpr: an index as a rational affine expression of loops, and the loops it ranges over.
//
//     (sum of coefficient[v] * v + constant) / divisor        divisor >= 1
//
// An index is only there where the division leaves no rest: strided insertion of zeros writes element i of its source
// to offset + stride*i, so reading index e of the result reads element (e - offset)/stride of the source, or a zero.
//
// All arithmetic is checked: an expression that leaves 62 bits says so (overflowed()), and whoever builds on it
// refuses.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace orzo {

/// Whole numbers low ... high, both included; empty where low > high.
struct Interval {
  int64_t low = 0, high = -1;
  bool empty() const { return low > high; }
  bool contains(Interval other) const { return other.empty() || (low <= other.low && other.high <= high); }
  Interval intersect(Interval other) const { return {std::max(low, other.low), std::min(high, other.high)}; }
  bool operator==(const Interval &) const = default;
};

/// The loops of one product, by number. A loop may be split or renamed: its number then stays unused.
using Loops = std::vector<Interval>;

class IndexExpr {
public:
  IndexExpr() = default;
  static IndexExpr constant(int64_t value);
  static IndexExpr loop(int number);

  int64_t coefficient(int loop) const { return loop < static_cast<int>(coefficients.size()) ? coefficients[loop] : 0; }
  int64_t constant() const { return offset; }
  int64_t divisor() const { return divideBy; }
  bool overflowed() const { return tooLarge; }

  /// The loops with a coefficient, those of one iteration included.
  llvm::SmallVector<int> loops() const;
  /// Those of more than one iteration.
  llvm::SmallVector<int> longLoops(const Loops &loops) const;
  bool isConstant() const { return loops().empty(); }

  IndexExpr plus(const IndexExpr &other) const;
  IndexExpr plus(int64_t value) const { return plus(constant(value)); }
  IndexExpr times(int64_t factor) const;
  /// Division that must leave no rest to be an index at all.
  IndexExpr dividedBy(int64_t positive) const;
  /// The expression with `replacement`, whose divisor must be 1, for `loop`.
  IndexExpr substitute(int loop, const IndexExpr &replacement) const;
  /// The numerator of the expression, on its own.
  IndexExpr numerator() const;

  /// Bounds of the numerator over the box of loops.
  Interval numeratorRange(const Loops &loops) const;
  /// Bounds of the expression's whole values over the box of loops.
  Interval range(const Loops &loops) const;

  bool operator==(const IndexExpr &) const = default;

private:
  void simplify();

  std::vector<int64_t> coefficients; ///< By loop number, without trailing zeros.
  int64_t offset = 0;
  int64_t divideBy = 1;
  bool tooLarge = false;
};

int64_t floorDivide(int64_t value, int64_t positive);
int64_t ceilDivide(int64_t value, int64_t positive);

} // namespace orzo
