#include "Dialect/Nest/Functions.h"

#include <cmath>

using namespace mlir;

namespace orzo::nest {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

// Integers: exponents and bits.
static Term add(Term x, int64_t y) { return x.create<arith::AddIOp>(x.get(), x.integer(y).get()); }
static Term sub(Term x, Term y) { return x.create<arith::SubIOp>(x.get(), y.get()); }
static Term bitAnd(Term x, int64_t y) { return x.create<arith::AndIOp>(x.get(), x.integer(y).get()); }
static Term shiftLeft(Term x, int64_t y) { return x.create<arith::ShLIOp>(x.get(), x.integer(y).get()); }
static Term shiftRight(Term x, int64_t y) { return x.create<arith::ShRSIOp>(x.get(), x.integer(y).get()); }
static Term shiftRightUnsigned(Term x, int64_t y) { return x.create<arith::ShRUIOp>(x.get(), x.integer(y).get()); }
static Term atLeast(Term x, int64_t y) { return x.create<arith::MaxSIOp>(x.get(), x.integer(y).get()); }
static Term lowHalf(Term x) { return x.create<arith::TruncIOp>(x.b().getI32Type(), x.get()); }
static Term isNonZero(Term x) { return x.create<arith::CmpIOp>(arith::CmpIPredicate::ne, x.get(), x.integer(0).get()); }

/// 2^k as f32, -126 <= k <= 127.
static Term powerOfTwo(Term k) { return shiftLeft(add(k, 127), 23).asF32(); }

Pair product(double c, Term x) {
  if (c == 1)
    return {x, std::nullopt};
  auto cHigh = static_cast<float>(c);
  Term high = x * cHigh;
  Term low = fma(x, cHigh, -high) + x * (c - cHigh);
  // Past the range of f32, and for an infinite x, there is nothing below the last place; but a finite x is no infinity.
  Term isFinite = abs(high) < 1e30;
  if (std::abs(c) > 1)
    high = select((abs(high) == infinity) & (abs(x) < infinity), copysign(high.constant(3e38), high), high);
  return {high, select(isFinite, low, 0)};
}

Pair negativeSize(Pair x) {
  if (!x.low)
    return {-abs(x.high), std::nullopt};
  return {-abs(x.high), select(x.high < 0, *x.low, -*x.low)};
}

Term Exponential::besideOne() const { return times(powerOfTwo(atLeast(exponent, -126))).mantissa; }

Term besideOne(Scaled scaled) { return scaled.mantissa * powerOfTwo(atLeast(scaled.exponent, -126)); }

Term times(Term factor, Scaled scaled) {
  // The mantissa takes what keeps it normal; then the product has neither overflown nor lost anything that would count.
  Term first = atLeast(scaled.exponent, -100);
  Term rest = atLeast(sub(scaled.exponent, first), -252);
  Term half = shiftRight(rest, 1);
  Term value = factor * (scaled.mantissa * powerOfTwo(first));
  return value * powerOfTwo(half) * powerOfTwo(sub(rest, half));
}

Term expMinusOneNearZero(Term x) {
  Term tail = polynomial(x, {0.5, 0.166666672, 0.0416663475, 0.00833327323, 0.00139414414, 0.000199141621});
  return fma(x * x, tail, x);
}

namespace {

/// x = k ln 2 + r; k as a float and as an integer.
struct Reduced {
  Term k, exponent, r;
};

} // namespace

static Reduced reduceByLn2(Pair x) {
  // Added to 1.5 * 2^23, a number is rounded to an integer, which then is the low bits of the sum.
  constexpr double magic = 0x1.8p23;
  Term sum = fma(x.high, 1.44269504, magic), k = sum - magic;
  // ln 2 to 15 bits, whose product with k and the difference are exact, and what it leaves.
  Term near = fma(k, -0.693145751953125, x.high);
  Term r = x.low ? near + fma(k, -1.42860682e-06, *x.low) : fma(k, -1.42860682e-06, near);
  return {k, add(sum.bits(), -0x4b400000), r};
}

Exponential exponential(Pair x) {
  Reduced reduced = reduceByLn2({select(x.high < -746, -746, x.high), x.low});
  Term excess = expMinusOneNearZero(reduced.r);
  return {select(x.high < -745.1332, -1, excess), reduced.exponent};
}

Term exp(Term x) {
  Exponential result = exponential({select(x > 100, 100, x), std::nullopt});
  Term exponent = atLeast(result.exponent, -252), half = shiftRight(exponent, 1);
  return result.times(powerOfTwo(half)).mantissa * powerOfTwo(sub(exponent, half));
}

Term expMinusOne(Term x) {
  Reduced reduced = reduceByLn2({select(x < -100, -100, x), std::nullopt});
  Term near = expMinusOneNearZero(reduced.r);
  Term far = (near + 1) * powerOfTwo(atLeast(reduced.exponent, -126)) - 1;
  return copysign(select(reduced.k == 0, near, far), x); // -0 stays -0.
}

/// log(1 + f) for sqrt(1/2) <= 1 + f <= sqrt(2).
static Term logNearOne(Term f) {
  Term tail = polynomial(f, {0.333333135, -0.250000089, 0.200021192, -0.166679963, 0.142195508, -0.124055915,
                             0.118881747, -0.116756409, 0.0674660131});
  return fma(f * f, fma(f, tail, -0.5), f);
}

/// k ln 2 + x.
static Term addLn2Times(Term k, Term x) { return fma(k, 0.693147182, fma(k, -1.90465421e-09, x)); }

Term log(Term x) {
  Term isSmall = x < 0x1p-126;
  Term bits = add(select(isSmall, x * 0x1p23, x).bits(), -0x3f3504f3); // sqrt(1/2)
  Term exponent = shiftRight(bits, 23);
  Term m = add(bitAnd(bits, 0x007fffff), 0x3f3504f3).asF32();
  Term k = x.create<arith::SIToFPOp>(x.type(), exponent.get());
  Term result = addLn2Times(select(isSmall, k - 23, k), logNearOne(m - 1));
  result = select(x == 0, -infinity, select(x == infinity, infinity, result));
  return select(x >= 0, result, notANumber);
}

Term logOnePlus(Term u) {
  Term isLarge = u > 0.41421354;
  Term f = select(isLarge, fma(u, 0.5, -0.5), u); // (1 + u)/2 - 1, exactly
  return addLn2Times(select(isLarge, u.constant(1), u.constant(0)), logNearOne(f));
}

Term timesSigmoid(Term factor, Pair x) {
  Exponential e = exponential(negativeSize(x));
  Term denominator = 1 + e.besideOne();
  return select(x.high < 0, times(factor, e.times(1 / denominator)), factor / denominator);
}

/// 1 / (x + rest), where `rest` is below the last place of x.
static Term reciprocal(Term x, Term rest) {
  Term near = 1 / x;
  return fma(near, fma(-near, rest, fma(-near, x, 1)), near);
}

SigmoidParts sigmoidParts(Pair x) {
  Exponential e = exponential(negativeSize(x));
  Term small = e.besideOne(), sum = 1 + small, rest = small - (sum - 1);
  Term square = sum * sum;
  return {e, small, reciprocal(square, fma(sum * 2, rest, fma(sum, sum, -square)))};
}

Term tanh(Term x) {
  Term a = abs(x), square = a * a;
  Term near = fma(
      a * square,
      polynomial(square, {-0.333333313, 0.133332863, -0.0539584495, 0.0217741579, -0.00838579237, 0.00236204173}), a);
  Term e = exponential({a * -2, std::nullopt}).besideOne();
  return copysign(select(a < 0.55, near, (1 - e) / (1 + e)), x);
}

Term erf(Term x) {
  Term a = abs(x), square = a * a;
  Term near = fma(
      a, polynomial(square, {0.128379166, -0.376126289, 0.112835474, -0.0268448442, 0.00513905752, -0.00069567858}), a);
  Term far = fma(besideOne(normalTail(a * 1.4142135623730951)), -2, 1);
  return copysign(select(a < 0.7, near, far), x);
}

/// Where e^(-a^2/2) is zero in f64 already.
static Term clampTail(Term a) { return select(a > 40, 40, a); }

/// e^(-a^2/2). A rounded square would cost a^2/4 units in the last place.
static Exponential bell(Term a) {
  Term square = a * a;
  return exponential({square * -0.5, fma(a, a, -square) * -0.5});
}

/// 1 / (a + c) for a >= 0. A rounded sum would be as bad as an argument that is off by 2^-24 c.
static Term reciprocalOfSum(Term a, double c) {
  Term sum = a + c;
  return reciprocal(sum, a - (sum - c));
}

Scaled normalTail(Term a) {
  a = clampTail(a);
  Term inverse = reciprocalOfSum(a, 4), t = fma(inverse, -8, 1); // (a - 4) / (a + 4)
  Term smooth = polynomial(t, {0.755285144, -0.607896566, 0.387137204, -0.186523825, 0.0603993833, -0.00752619281,
                               -0.00349254208, 0.0015887483, 0.000156069218, -0.000172216707, -1.52815701e-05});
  return bell(a).times(smooth * inverse);
}

Scaled geluDerivativeTail(Term a) {
  Term clamped = clampTail(a);
  Term t = fma(reciprocalOfSum(clamped, 3), -6, 1);
  Term smooth = polynomial(t, {-0.478297681, 0.119975448, -0.0535960756, 0.0140743358, -0.000204429816, -0.00109239738,
                               9.54671705e-05, 0.000123634978, -7.39641246e-06, -1.31398256e-05});
  // Not clamped: at infinity, zero times it is a NaN, as the reference says. Else the exponent decides.
  Term distance = (select(a == infinity, infinity, clamped) - 0.751791537) + 1.21144495e-08;
  return bell(clamped).times(distance * smooth);
}

namespace {

/// x = (quadrant + f) pi/2; `r` = f pi/2 in [-pi/4, pi/4].
struct Angle {
  Term quadrant, r;
};

} // namespace

static Angle reduceByHalfPi(Term x) {
  // 2^s * 2/pi modulo 4 for s = 0, 24, 48, 72, 96. x is a multiple of 2^s wherever x >= 2^(s + 24), and x / 2^s is
  // below 2^48: the whole part of the product is exact in f64.
  struct Piece {
    double from, scale, high, low;
  };
  constexpr Piece pieces[] = {
      {0x1p48, 0x1p-24, 0x1.b727220a94fe1p+1, 0x1.d5f47d4d37703p-54},
      {0x1p72, 0x1p-48, 0x1.529fc2757d1f5p-4, 0x1.a6ee06db14acdp-59},
      {0x1p96, 0x1p-72, 0x1.3abe8fa9a6ee0p-3, 0x1.b6c52b3278872p-57},
      {0x1p120, 0x1p-96, 0x1.f534ddc0db629p+0, 0x1.664f10e4107f9p-54},
  };
  Term wide = x.widened(), size = abs(x);
  Term scale = wide.constant(1), high = wide.constant(0x1.45f306dc9c882p-1), low = wide.constant(0x1.4a7f09d5f47d5p-54);
  for (const Piece &piece : pieces) {
    Term isIn = size >= piece.from;
    scale = select(isIn, piece.scale, scale);
    high = select(isIn, piece.high, high);
    low = select(isIn, piece.low, low);
  }
  wide = wide * scale;
  constexpr double magic = 0x1.8p52;
  Term sum = fma(wide, high, magic), k = sum - magic;
  Term f = fma(wide, low, fma(wide, high, -k));
  return {lowHalf(sum.bits()), (f * 1.5707963267948966).narrowed()};
}

static Term sinNearZero(Term r) {
  Term square = r * r;
  return fma(r * square, polynomial(square, {-0.166666672, 0.00833332911, -0.000198393027, 2.71802583e-06}), r);
}

static Term cosNearZero(Term r) {
  Term square = r * r;
  Term tail = polynomial(square, {0.0416666679, -0.00138888834, 2.47994485e-05, -2.7204851e-07});
  return fma(square * square, tail, fma(square, -0.5, 1));
}

static Term sinOfQuadrant(Term quadrant, Term r) {
  Term value = select(isNonZero(bitAnd(quadrant, 1)), cosNearZero(r), sinNearZero(r));
  return select(isNonZero(bitAnd(quadrant, 2)), -value, value);
}

Term sin(Term x) {
  Angle angle = reduceByHalfPi(x);
  return select(x == 0, x, sinOfQuadrant(angle.quadrant, angle.r));
}

Term cos(Term x) {
  Angle angle = reduceByHalfPi(x);
  return sinOfQuadrant(add(angle.quadrant, 1), angle.r);
}

Term tan(Term x) {
  Angle angle = reduceByHalfPi(x);
  Term sine = sinNearZero(angle.r), cosine = cosNearZero(angle.r), isOdd = isNonZero(bitAnd(angle.quadrant, 1));
  Term result = select(isOdd, -cosine, sine) / select(isOdd, sine, cosine);
  return select(x == 0, x, result);
}

static Term floor(Term x) { return x.create<math::FloorOp>(x.get()); }

/// log2 of a positive f64 that is an f32's size, to 2^-44; -infinity of zero.
static Term logTwoWide(Term x) {
  constexpr int64_t rootOfHalf = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000, mantissaMask = 0x000fffffffffffff;
  Term bits = add(x.bits(), one - rootOfHalf);
  Term exponent = add(lowHalf(shiftRightUnsigned(bits, 52)), -1023);
  Term m = add(bitAnd(bits, mantissaMask), rootOfHalf).asF64();
  Term s = (m - 1) / (m + 1); // log m = 2 artanh s
  Term series = polynomial(s * s, {2.885390081777845, 0.9617966941232023, 0.5770779392662125, 0.4122095865753869,
                                   0.31989119945706196, 0.2831177010640474});
  Term result = fma(s, series, x.create<arith::SIToFPOp>(x.type(), exponent.get()));
  return select(x == 0, -infinity, select(x < infinity, result, x));
}

/// 2^x of an f64, rounded to f32.
static Term expTwoNarrow(Term x) {
  constexpr double magic = 0x1.8p52;
  x = select(x > 200, 200, select(x < -200, -200, x));
  Term sum = x + magic;
  Term value = polynomial(x - (sum - magic),
                          {0.9999999999616821, 0.6931471807284555, 0.24022651198155348, 0.055504103534331176,
                           0.009618027253897276, 0.0013333922572910406, 0.00015469291081890088, 1.520191973076318e-05});
  return (value * shiftLeft(add(sum.bits(), 1023), 52).asF64()).narrowed();
}

Term pow(Term a, Term b) {
  Term size = abs(a);
  Term result = expTwoNarrow(b.widened() * logTwoWide(size.widened()));
  result = select((size == 1) & (b == b), 1, result); // also to the power of infinity
  Term isInteger = floor(b) == b, half = b * 0.5;
  Term isOdd = isInteger & (floor(half) != half);
  result = select(isOdd, copysign(result, a), result);
  Term hasNoRoot = (a < 0) & (a != -infinity) & (floor(b) != b);
  result = select(hasNoRoot, notANumber, result);
  return select((b == 0) | (a == 1), 1, result);
}

Term mod(Term a, Term b) {
  Term rest = abs(a).widened(), divisor = abs(b).widened();
  for (int power = 235; power >= 0; power -= 47) {
    Term piece = divisor * std::ldexp(1.0, power);
    Term quotient = rest / piece;
    quotient = quotient.create<math::TruncOp>(quotient.get());
    rest = fma(-quotient, piece, rest);
    rest = select(rest < 0, rest + piece, rest); // The quotient had been rounded up to an integer.
  }
  Term result = copysign(rest.narrowed(), a);
  return select((abs(b) == infinity) & (abs(a) < infinity), a, result);
}

} // namespace orzo::nest
