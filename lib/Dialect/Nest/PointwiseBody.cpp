#include "Dialect/Nest/PointwiseBody.h"

#include "Dialect/Nest/Functions.h"

#include "llvm/Support/ErrorHandling.h"

#include <cmath>

using namespace mlir;

namespace orzo::nest {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// The largest f32 not above `x`: f32 values compare with it as with `x`.
static double roundDown(double x) {
  auto near = static_cast<float>(x);
  return near > x ? std::nextafter(near, -INFINITY) : near;
}

static Term truth(Term condition, Term like) { return select(condition, 1, like.constant(0)); }

static Term maximum(Term x, Term y) { return x.create<arith::MaximumFOp>(x.get(), y.get()); }
static Term minimum(Term x, Term y) { return x.create<arith::MinimumFOp>(x.get(), y.get()); }

static Term relu(Term x, const PointwiseParameters &p) {
  Term kept = p.reluUpperClip == infinity ? x : minimum(x, x.constant(p.reluUpperClip));
  if (p.reluLowerClipSlope == 0 && p.reluLowerClip <= p.reluUpperClip)
    return maximum(kept, x.constant(p.reluLowerClip));
  Term below = fma(x - p.reluLowerClip, p.reluLowerClipSlope, p.reluLowerClip);
  return select(x <= roundDown(p.reluLowerClip), below, kept);
}

static Term reluBackward(Term dy, Term x, const PointwiseParameters &p) {
  Term result = dy;
  if (std::isfinite(p.reluUpperClip))
    result = select(x >= -roundDown(-p.reluUpperClip), 0, result);
  // Selected, not multiplied: an infinite dy must not turn into a NaN.
  double slope = p.reluLowerClipSlope;
  Term below = slope == 0 ? dy.constant(0) : slope == 1 ? dy : dy * slope;
  return select(x <= roundDown(p.reluLowerClip), below, result);
}

static Term eluForward(Term x, const PointwiseParameters &p) {
  Term below = expMinusOne(x);
  return select(x > 0, x, p.eluAlpha == 1 ? below : below * p.eluAlpha);
}

static Term eluBackward(Term dy, Term x, const PointwiseParameters &p) {
  Exponential e = exponential({select(x > 0, 0, x), std::nullopt});
  Scaled derivative = e.times(x.constant(1));
  if (p.eluAlpha != 1)
    derivative.mantissa = derivative.mantissa * p.eluAlpha;
  return select(x > 0, dy, times(dy, derivative));
}

/// x is NaN where it is one; else `result`, but NaN at the infinities, where the formula is zero times infinity.
static Term nanAtInfinity(Term x, Term result) {
  return select(abs(x) == infinity, std::numeric_limits<double>::quiet_NaN(), result);
}

static Term geluForward(Term x) {
  Scaled tail = normalTail(abs(x));
  return select(x < 0, times(x, tail), x * (1 - besideOne(tail)));
}

static Term geluBackward(Term dy, Term x) {
  Scaled tail = geluDerivativeTail(abs(x));
  return select(x < 0, times(dy, tail), dy * (1 - besideOne(tail)));
}

/// 2 sqrt(2/pi) (x + 0.044715 x^3): gelu's approximation is x times the sigmoid of it. To about 40 bits, for |x| <= 25.
static Pair geluInner(Term x) {
  constexpr double linear = 1.5957691216057308, cubic = 0.07135481627260025;
  constexpr float linearHigh = static_cast<float>(linear), cubicHigh = static_cast<float>(cubic);
  Term square = x * x, squareLow = fma(x, x, -square);
  Term third = square * cubicHigh;
  Term thirdLow = fma(square, cubic - cubicHigh, fma(squareLow, cubicHigh, fma(square, cubicHigh, -third)));
  // Knuth's exact sum.
  Term sum = linearHigh + third, back = sum - third;
  Term sumLow = (linearHigh - back) + (third - (sum - back)) + (thirdLow + (linear - linearHigh));
  Term high = x * sum;
  return {high, fma(x, sumLow, fma(x, sum, -high))};
}

static Term clampInner(Term x) { return select(x > 25, 25, select(x < -25, -25, x)); }

static Term geluTanhBackward(Term dy, Term x) {
  Term clamped = clampInner(x);
  SigmoidParts s = sigmoidParts(geluInner(clamped));
  Term slope = fma(clamped * clamped, 0.21406444881780073, 1.5957691216057308); // of the inner function
  Term sum = 1 + s.small;
  Term positive = dy * (fma(clamped * slope, s.small, sum) * s.inverseOfSquare);
  // The derivative's zero divided out, as in geluDerivativeTail.
  Term distance = (clamped + 0.752461433) - 1.13396283e-08;
  Term tail = polynomial(distance, {-1.16576782e-07, -0.0999115407, 0.400447667, 0.0759597719, 0.030486526,
                                    0.0112840077, 0.00368524436, 0.00121243426, 0.000376872224});
  Term near = fma(distance, 2.46065688, distance * tail);
  Term numerator = select(abs(distance) < 0.5, near, fma(clamped, slope, sum));
  Term negative = times(dy, s.e.times(numerator * s.inverseOfSquare));
  return nanAtInfinity(x, select(x < 0, negative, positive));
}

/// dy (s + z s (1 - s)) with s the sigmoid of z = beta x.
static Term swishBackward(Term dy, Term x, double beta) {
  Pair z = product(beta, x);
  SigmoidParts s = sigmoidParts(z);
  Term positive = dy * (fma(z.high, s.small, 1 + s.small) * s.inverseOfSquare);
  // 1 + z + e^z has a zero at z = -1.2785; near it, what is left of e^z there is (e^distance - 1) e^-1.2785.
  Term distance = z.high + 1.27846456, sum = 1 + z.high;
  distance = z.low ? distance + (*z.low - 1.29792827e-08) : distance - 1.29792827e-08;
  if (z.low)
    sum = sum + *z.low;
  Term near = fma(expMinusOneNearZero(distance), 0.278464543, distance);
  Term numerator = select(abs(distance) < 0.3466, near, sum + s.small);
  Term negative = times(dy, s.e.times(numerator * s.inverseOfSquare));
  return select(z.high < 0, negative, positive);
}

/// dy times the derivative of the sigmoid at x, times `factor`.
static Term sigmoidBackward(Term dy, Term x, double factor) {
  SigmoidParts s = sigmoidParts({x, std::nullopt});
  return times(dy, s.e.times(factor == 1 ? s.inverseOfSquare : s.inverseOfSquare * factor));
}

static Term isAboveThreshold(Pair z, const PointwiseParameters &p) {
  auto high = static_cast<float>(p.softplusThreshold);
  Term distance = z.high - high;
  double rest = p.softplusThreshold - high;
  if (z.low)
    distance = distance + (rest == 0 ? *z.low : *z.low - rest);
  else if (rest != 0)
    distance = distance - rest;
  return distance > 0;
}

static Term softplusForward(Term x, const PointwiseParameters &p) {
  Pair z = product(p.softplusBeta, x);
  Exponential e = exponential(negativeSize(z));
  Term linear = select(z.high > 0, x, 0); // log(1 + e^z) is z + log(1 + e^-z), and z / beta is x.
  // Below e^-17, log(1 + e) is e to the last place, and e may be no f32.
  Term small = times(x.constant(1 / p.softplusBeta), e.times(x.constant(1)));
  Term rest = fma(logOnePlus(e.besideOne()), 1 / p.softplusBeta, linear);
  return select(isAboveThreshold(z, p), x, select(z.high < -17, small, rest));
}

static Term softplusBackward(Term dy, Term x, const PointwiseParameters &p) {
  Pair z = product(p.softplusBeta, x);
  return select(isAboveThreshold(z, p), dy, timesSigmoid(dy, z));
}

static Term build(PointwiseMode mode, const PointwiseParameters &p, ArrayRef<Term> inputs) {
  Term a = inputs.front(), b = inputs.size() > 1 ? inputs[1] : a;
  switch (mode) {
    using enum PointwiseMode;
  case NOT_SET:
    break;
  case ABS:
    return abs(a);
  case ADD:
    return a + b;
  case ADD_SQUARE:
    return fma(b, b, a);
  case BINARY_SELECT:
    return select(a != 0, b, inputs[2]);
  case CEIL:
    return a.create<math::CeilOp>(a.get());
  case CMP_EQ:
    return truth(a == b, a);
  case CMP_GE:
    return truth(a >= b, a);
  case CMP_GT:
    return truth(a > b, a);
  case CMP_LE:
    return truth(a <= b, a);
  case CMP_LT:
    return truth(a < b, a);
  case CMP_NEQ:
    return truth(a != b, a);
  case COS:
    return cos(a);
  case DIV:
    return a / b;
  case ELU_BWD:
    return eluBackward(a, b, p);
  case ELU_FWD:
    return eluForward(a, p);
  case ERF:
    return erf(a);
  case EXP:
    return exp(a);
  case FLOOR:
    return a.create<math::FloorOp>(a.get());
  case GELU_APPROX_TANH_BWD:
    return geluTanhBackward(a, b);
  case GELU_APPROX_TANH_FWD:
    return timesSigmoid(a, geluInner(clampInner(a)));
  case GELU_BWD:
    return geluBackward(a, b);
  case GELU_FWD:
    return geluForward(a);
  case IDENTITY:
    return a;
  case LOG:
    return log(a);
  case LOGICAL_AND:
    return truth((a != 0) & (b != 0), a);
  case LOGICAL_NOT:
    return truth(a == 0, a);
  case LOGICAL_OR:
    return truth((a != 0) | (b != 0), a);
  case MAX_OP:
    return maximum(a, b);
  case MIN_OP:
    return minimum(a, b);
  case MOD:
    return mod(a, b);
  case MUL:
    return a * b;
  case NEG:
    return -a;
  case POW:
    return pow(a, b);
  case RECIPROCAL:
    return 1 / a;
  case RELU_BWD:
    return reluBackward(a, b, p);
  case RELU_FWD:
    return relu(a, p);
  case RSQRT:
    return 1 / a.create<math::SqrtOp>(a.get());
  case SIGMOID_BWD:
    return sigmoidBackward(a, b, 1);
  case SIGMOID_FWD:
    return timesSigmoid(a.constant(1), {a, std::nullopt});
  case SIN:
    return sin(a);
  case SOFTPLUS_BWD:
    return softplusBackward(a, b, p);
  case SOFTPLUS_FWD:
    return softplusForward(a, p);
  case SQRT:
    return a.create<math::SqrtOp>(a.get());
  case SUB:
    return a - b;
  case SWISH_BWD:
    return swishBackward(a, b, p.swishBeta);
  case SWISH_FWD:
    return timesSigmoid(a, product(p.swishBeta, a));
  case TAN:
    return tan(a);
  case TANH_BWD: // tanh x = 2 sigmoid(2x) - 1
    return sigmoidBackward(a, b * 2, 4);
  case TANH_FWD:
    return tanh(a);
  }
  llvm_unreachable("NOT_SET has no body");
}

Value buildPointwise(OpBuilder &builder, Location location, PointwiseMode mode, const PointwiseParameters &parameters,
                     ValueRange inputs) {
  SmallVector<Term> terms;
  for (Value input : inputs)
    terms.emplace_back(builder, location, input);
  return build(mode, parameters, terms).get();
}

} // namespace orzo::nest
