// RowSum: the oracle's inner loops, for a row of results along one channel axis.
#pragma once

#include <cstdint>
#include <vector>

namespace orzo::reference {

/// Where the two operands of one product lie, relative to a row's bases.
struct Pair {
  int64_t a = 0, b = 0;
};

/// A row of results: result[lane] = sum over outer, pair, reduction of
///     a[outer*aOuter + pair.a + reduction*aReduction] * b[outer*bOuter + pair.b + reduction*bReduction + lane*bLane].
struct Row {
  const double *a = nullptr, *b = nullptr;
  const Pair *pairs = nullptr;
  int64_t pairCount = 0;
  int64_t outerCount = 1, aOuter = 0, bOuter = 0;
  int64_t reductionCount = 1, aReduction = 0, bReduction = 0;
  int64_t bLane = 1;

  /// Number of products in each result.
  int64_t terms() const { return outerCount * pairCount * reductionCount; }
};

/// Results [lane, lane + lanes) of `row`, and with `squares` non-null the sum of the products' squares.
void rowSum(const Row &row, int64_t lane, int64_t lanes, double *sums, double *squares);

} // namespace orzo::reference
