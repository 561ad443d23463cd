#include "Reference/RowSum.h"

#include <cstring>

namespace orzo::reference {

namespace {

using Vector = double __attribute__((vector_size(64)));

/// 8*Vectors neighbouring lanes at once, in registers.
template <int Vectors, bool Squares>
[[gnu::always_inline]] inline void laneBlock(const Row &row, int64_t lane, double *sums, double *squares) {
  Vector sum[Vectors] = {}, square[Vectors] = {};
  for (int64_t outer = 0; outer < row.outerCount; ++outer)
    for (int64_t pair = 0; pair < row.pairCount; ++pair) {
      const double *a = row.a + outer * row.aOuter + row.pairs[pair].a;
      const double *b = row.b + outer * row.bOuter + row.pairs[pair].b + lane;
      for (int64_t i = 0; i < row.reductionCount; ++i, a += row.aReduction, b += row.bReduction)
        for (int vector = 0; vector < Vectors; ++vector) {
          Vector values;
          std::memcpy(&values, b + 8 * vector, sizeof values);
          Vector product = values * *a;
          sum[vector] += product;
          if (Squares)
            square[vector] += product * product;
        }
    }
  std::memcpy(sums, sum, sizeof sum);
  if (Squares)
    std::memcpy(squares, square, sizeof square);
}

/// One lane; a vector at a time where both operands are contiguous along the reduction.
template <bool Squares>
[[gnu::always_inline]] inline void oneLane(const Row &row, int64_t lane, double *sums, double *squares) {
  Vector sum[2] = {}, square[2] = {};
  double tail = 0, squareTail = 0;
  bool contiguous = row.aReduction == 1 && row.bReduction == 1;
  for (int64_t outer = 0; outer < row.outerCount; ++outer)
    for (int64_t pair = 0; pair < row.pairCount; ++pair) {
      const double *a = row.a + outer * row.aOuter + row.pairs[pair].a;
      const double *b = row.b + outer * row.bOuter + row.pairs[pair].b + lane * row.bLane;
      int64_t i = 0;
      for (; contiguous && i + 16 <= row.reductionCount; i += 16)
        for (int half = 0; half < 2; ++half) {
          Vector left, right;
          std::memcpy(&left, a + i + 8 * half, sizeof left);
          std::memcpy(&right, b + i + 8 * half, sizeof right);
          Vector product = left * right;
          sum[half] += product;
          if (Squares)
            square[half] += product * product;
        }
      for (; i < row.reductionCount; ++i) {
        double product = a[i * row.aReduction] * b[i * row.bReduction];
        tail += product;
        if (Squares)
          squareTail += product * product;
      }
    }
  for (int element = 0; element < 8; ++element) {
    tail += sum[0][element] + sum[1][element];
    squareTail += square[0][element] + square[1][element];
  }
  *sums = tail;
  if (Squares)
    *squares = squareTail;
}

template <bool Squares>
[[gnu::always_inline]] inline void rowSumBody(const Row &row, int64_t lane, int64_t lanes, double *sums,
                                              double *squares) {
  int64_t done = 0;
  if (row.bLane == 1) {
    for (; done + 32 <= lanes; done += 32)
      laneBlock<4, Squares>(row, lane + done, sums + done, Squares ? squares + done : nullptr);
    for (; done + 8 <= lanes; done += 8)
      laneBlock<1, Squares>(row, lane + done, sums + done, Squares ? squares + done : nullptr);
  }
  for (; done < lanes; ++done)
    oneLane<Squares>(row, lane + done, sums + done, Squares ? squares + done : nullptr);
}

// The same loops compiled for three chips: the oracle's own speed is all that differs.
using RowSumFunction = void (*)(const Row &, int64_t, int64_t, double *, double *);

[[gnu::target("avx512f,fma")]] void avx512Plain(const Row &row, int64_t lane, int64_t lanes, double *sums,
                                                double *squares) {
  rowSumBody<false>(row, lane, lanes, sums, squares);
}
[[gnu::target("avx512f,fma")]] void avx512Squares(const Row &row, int64_t lane, int64_t lanes, double *sums,
                                                  double *squares) {
  rowSumBody<true>(row, lane, lanes, sums, squares);
}
[[gnu::target("avx2,fma")]] void avx2Plain(const Row &row, int64_t lane, int64_t lanes, double *sums, double *squares) {
  rowSumBody<false>(row, lane, lanes, sums, squares);
}
[[gnu::target("avx2,fma")]] void avx2Squares(const Row &row, int64_t lane, int64_t lanes, double *sums,
                                             double *squares) {
  rowSumBody<true>(row, lane, lanes, sums, squares);
}
void basePlain(const Row &row, int64_t lane, int64_t lanes, double *sums, double *squares) {
  rowSumBody<false>(row, lane, lanes, sums, squares);
}
void baseSquares(const Row &row, int64_t lane, int64_t lanes, double *sums, double *squares) {
  rowSumBody<true>(row, lane, lanes, sums, squares);
}

RowSumFunction chooseRowSum(bool squares) {
  if (__builtin_cpu_supports("avx512f"))
    return squares ? avx512Squares : avx512Plain;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return squares ? avx2Squares : avx2Plain;
  return squares ? baseSquares : basePlain;
}

} // namespace

void rowSum(const Row &row, int64_t lane, int64_t lanes, double *sums, double *squares) {
  static const RowSumFunction plain = chooseRowSum(false), withSquares = chooseRowSum(true);
  (squares ? withSquares : plain)(row, lane, lanes, sums, squares);
}

} // namespace orzo::reference
