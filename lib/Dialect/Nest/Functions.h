// Functions: the elementary functions that pointwise bodies are made of, out of elementwise arithmetic alone.
//
// All take and give f32. The polynomials are least maximum (relative) errors, fitted for this file. What each mode's
// accuracy comes to is measured: docs/Numerics.md.
//
// An exponential is kept as mantissa and exponent where it is a factor of a result: a * e^x with a huge and e^x below
// all f32 is then still right, and so are results that are normal while one factor is not. Where x is below -745.13,
// e^x is zero: so it is in f64, in which lib/Reference computes, and infinity times it is a NaN there.
#pragma once

#include "Dialect/Nest/Term.h"

#include <optional>

namespace orzo::nest {

/// A sum of two f32 of which `low`, where there is one, is below the last place of `high`.
struct Pair {
  Term high;
  std::optional<Term> low;
};

/// mantissa * 2^exponent, an f32 and an i32. The mantissa may be zero, infinite or NaN, and then the exponent is any
/// number.
struct Scaled {
  Term mantissa, exponent;
};

/// (1 + excess) * 2^exponent. Products with 1 + excess are one fma, and so do not suffer from its rounding.
struct Exponential {
  Term excess, exponent;

  Scaled times(Term factor) const { return {fma(excess, factor, factor), exponent}; }
  /// The number itself, right down to 2^-126 and zero or about that for what is smaller: for sums with 1.
  Term besideOne() const;
};

/// c * x, to about 48 bits.
Pair product(double c, Term x);
/// -|x|.
Pair negativeSize(Pair x);

/// factor * scaled, rounded as if the exponent range had no end until the last step. The exponent is at most 126.
Term times(Term factor, Scaled scaled);
/// `scaled` as Exponential::besideOne().
Term besideOne(Scaled scaled);

/// e^x for x <= 100. Cody and Waite's reduction: x = k ln 2 + r, |r| <= ln 2 / 2 (Software Manual for the Elementary
/// Functions, 1980, chapter 6).
Exponential exponential(Pair x);
/// e^x and e^x - 1; the latter for x <= 0 only.
Term exp(Term x);
Term expMinusOne(Term x);
/// e^x - 1 for |x| <= 0.3466 (of -0: 0), which the functions above have at their hearts.
Term expMinusOneNearZero(Term x);

/// log x by k ln 2 + log m, sqrt(1/2) <= m < sqrt(2) (ibid., chapter 5), and log(1 + u) for 0 <= u <= 1.
Term log(Term x);
Term logOnePlus(Term u);

/// factor / (1 + e^-x).
Term timesSigmoid(Term factor, Pair x);

/// What the derivatives of a sigmoid are made of.
struct SigmoidParts {
  Exponential e;        ///< e^-|x|
  Term small;           ///< The same, beside one.
  Term inverseOfSquare; ///< 1 / (1 + e^-|x|)^2
};
SigmoidParts sigmoidParts(Pair x);

Term tanh(Term x);
Term erf(Term x);

/// The standard normal distribution: Phi(-a) for a >= 0 as e^(-a^2/2) times a function that is smooth in (a - 4)/(a +
/// 4) (Shepherd and Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc x, Math. Comp. 36, 1981).
Scaled normalTail(Term a);
/// Phi(-a) - a Phi'(a) for a >= 0, the derivative of gelu at -a. It has a zero at 0.7518, which is divided out before
/// the rest is approximated, so that what is left has no cancellation.
Scaled geluDerivativeTail(Term a);

/// Sine, cosine and tangent of every finite x. The reduction is in f64: x * 2/pi modulo 4 to 106 bits, where the whole
/// part of large x times 2/pi is left out beforehand (Payne and Hanek, Radian reduction for trigonometric functions,
/// SIGNUM 18, 1983), then polynomials on [-pi/4, pi/4].
Term sin(Term x);
Term cos(Term x);
Term tan(Term x);

/// C's pow, over 2^(b log2 |a|) in f64.
Term pow(Term a, Term b);

/// C's fmod, exact: long division by b 2^235, b 2^188, ... b in f64, in which every remainder is exact.
Term mod(Term a, Term b);

} // namespace orzo::nest
