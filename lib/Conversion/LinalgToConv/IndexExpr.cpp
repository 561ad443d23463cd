#include "Conversion/LinalgToConv/IndexExpr.h"

#include <algorithm>
#include <numeric>

namespace orzo {

/// Far enough from the end of int64_t for sums of two.
static constexpr int64_t limit = int64_t(1) << 62;

static int64_t checked(__int128 value, bool &tooLarge) {
  if (value > limit || value < -limit) {
    tooLarge = true;
    return 0;
  }
  return static_cast<int64_t>(value);
}

static int64_t add(int64_t a, int64_t b, bool &tooLarge) { return checked(__int128(a) + b, tooLarge); }
static int64_t multiply(int64_t a, int64_t b, bool &tooLarge) { return checked(__int128(a) * b, tooLarge); }

int64_t floorDivide(int64_t value, int64_t positive) {
  return value / positive - (value % positive != 0 && value < 0 ? 1 : 0);
}
int64_t ceilDivide(int64_t value, int64_t positive) { return -floorDivide(-value, positive); }

IndexExpr IndexExpr::constant(int64_t value) {
  IndexExpr expr;
  expr.offset = checked(value, expr.tooLarge);
  return expr;
}

IndexExpr IndexExpr::loop(int number) {
  IndexExpr expr;
  expr.coefficients.assign(number + 1, 0);
  expr.coefficients[number] = 1;
  return expr;
}

llvm::SmallVector<int> IndexExpr::loops() const {
  llvm::SmallVector<int> found;
  for (int loop = 0; loop < static_cast<int>(coefficients.size()); ++loop)
    if (coefficients[loop] != 0)
      found.push_back(loop);
  return found;
}

llvm::SmallVector<int> IndexExpr::longLoops(const Loops &box) const {
  llvm::SmallVector<int> found;
  for (int loop : loops())
    if (box[loop].high > box[loop].low)
      found.push_back(loop);
  return found;
}

void IndexExpr::simplify() {
  while (!coefficients.empty() && coefficients.back() == 0)
    coefficients.pop_back();
  int64_t common = std::gcd(offset, divideBy);
  for (int64_t coefficient : coefficients)
    common = std::gcd(common, coefficient);
  if (common <= 1)
    return;
  for (int64_t &coefficient : coefficients)
    coefficient /= common;
  offset /= common;
  divideBy /= common;
}

IndexExpr IndexExpr::plus(const IndexExpr &other) const {
  IndexExpr sum;
  sum.tooLarge = tooLarge || other.tooLarge;
  sum.divideBy = multiply(divideBy / std::gcd(divideBy, other.divideBy), other.divideBy, sum.tooLarge);
  if (sum.tooLarge)
    sum.divideBy = 1;
  int64_t mine = sum.divideBy / divideBy, its = sum.divideBy / other.divideBy;
  sum.coefficients.resize(std::max(coefficients.size(), other.coefficients.size()));
  for (int loop = 0; loop < static_cast<int>(sum.coefficients.size()); ++loop)
    sum.coefficients[loop] = add(multiply(coefficient(loop), mine, sum.tooLarge),
                                 multiply(other.coefficient(loop), its, sum.tooLarge), sum.tooLarge);
  sum.offset = add(multiply(offset, mine, sum.tooLarge), multiply(other.offset, its, sum.tooLarge), sum.tooLarge);
  sum.simplify();
  return sum;
}

IndexExpr IndexExpr::times(int64_t factor) const {
  IndexExpr product = *this;
  for (int64_t &coefficient : product.coefficients)
    coefficient = multiply(coefficient, factor, product.tooLarge);
  product.offset = multiply(offset, factor, product.tooLarge);
  product.simplify();
  return product;
}

IndexExpr IndexExpr::dividedBy(int64_t positive) const {
  IndexExpr quotient = *this;
  quotient.divideBy = multiply(divideBy, positive, quotient.tooLarge);
  if (quotient.tooLarge)
    quotient.divideBy = 1;
  quotient.simplify();
  return quotient;
}

IndexExpr IndexExpr::numerator() const {
  IndexExpr whole = *this;
  whole.divideBy = 1;
  return whole;
}

IndexExpr IndexExpr::substitute(int loop, const IndexExpr &replacement) const {
  int64_t factor = coefficient(loop);
  if (factor == 0)
    return *this;
  IndexExpr rest = numerator();
  rest.coefficients[loop] = 0;
  return rest.plus(replacement.times(factor)).dividedBy(divideBy);
}

Interval IndexExpr::numeratorRange(const Loops &box) const {
  bool tooFar = tooLarge;
  Interval range = {offset, offset};
  for (int loop : loops()) {
    int64_t factor = coefficients[loop];
    int64_t first = multiply(factor, box[loop].low, tooFar), last = multiply(factor, box[loop].high, tooFar);
    range.low = add(range.low, std::min(first, last), tooFar);
    range.high = add(range.high, std::max(first, last), tooFar);
  }
  return tooFar ? Interval{-limit, limit} : range;
}

Interval IndexExpr::range(const Loops &box) const {
  Interval whole = numeratorRange(box);
  return {ceilDivide(whole.low, divideBy), floorDivide(whole.high, divideBy)};
}

} // namespace orzo
