#include "Reference/Pointwise.h"

#include <cmath>
#include <numbers>

namespace orzo::reference {

static double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

/// 1 - sigmoid(x) is sigmoid(-x): a difference would have lost every digit where x is large.
static double sigmoidDerivative(double x) { return sigmoid(x) * sigmoid(-x); }

static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

static double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}

static double relu(double x, const PointwiseParameters &p) {
  if (std::isnan(x))
    return x;
  if (x > p.reluLowerClip)
    return std::min(x, p.reluUpperClip);
  // Without a leak minus infinity is clipped too; 0 * infinity would not be.
  return p.reluLowerClipSlope == 0 ? p.reluLowerClip : p.reluLowerClip + p.reluLowerClipSlope * (x - p.reluLowerClip);
}

static double reluDerivative(double x, const PointwiseParameters &p) {
  if (x <= p.reluLowerClip)
    return p.reluLowerClipSlope;
  return std::isfinite(p.reluUpperClip) && x >= p.reluUpperClip ? 0 : 1;
}

/// Selection, not a product, where the derivative is 0 or 1: an infinite dy must not turn into a NaN.
static double reluBackward(double dy, double x, const PointwiseParameters &p) {
  double slope = reluDerivative(x, p);
  return slope == 0 ? 0 : slope == 1 ? dy : slope * dy;
}

static double phi(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
static double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

static double geluTanhInner(double x) { return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }

static double geluTanhDerivative(double x) {
  double inner = 2 * geluTanhInner(x), s = sigmoid(inner);
  return s + x * sigmoidDerivative(inner) * 2 * std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
}

static double softplus(double x, const PointwiseParameters &p) {
  double scaled = p.softplusBeta * x;
  return scaled > p.softplusThreshold ? x : std::log1p(std::exp(scaled)) / p.softplusBeta;
}

static double swishDerivative(double x, double beta) {
  return sigmoid(beta * x) + beta * x * sigmoidDerivative(beta * x);
}

double pointwise(PointwiseMode mode, const PointwiseParameters &p, std::span<const double> inputs) {
  double a = inputs.empty() ? 0 : inputs[0], b = inputs.size() > 1 ? inputs[1] : 0;
  switch (mode) {
    using enum PointwiseMode;
  case NOT_SET:
    return NAN;
  case ABS:
    return std::abs(a);
  case ADD:
    return a + b;
  case ADD_SQUARE:
    return a + b * b;
  case BINARY_SELECT:
    return a != 0 ? b : inputs[2];
  case CEIL:
    return std::ceil(a);
  case CMP_EQ:
    return a == b;
  case CMP_GE:
    return a >= b;
  case CMP_GT:
    return a > b;
  case CMP_LE:
    return a <= b;
  case CMP_LT:
    return a < b;
  case CMP_NEQ:
    return a != b;
  case COS:
    return std::cos(a);
  case DIV:
    return a / b;
  case ELU_BWD:
    return b > 0 ? a : a * (p.eluAlpha * std::exp(b));
  case ELU_FWD:
    return a > 0 ? a : p.eluAlpha * std::expm1(a);
  case ERF:
    return std::erf(a);
  case EXP:
    return std::exp(a);
  case FLOOR:
    return std::floor(a);
  case GELU_APPROX_TANH_BWD:
    return a * geluTanhDerivative(b);
  case GELU_APPROX_TANH_FWD:
    return a * sigmoid(2 * geluTanhInner(a)); // (1 + tanh u) / 2
  case GELU_BWD:
    return a * (phi(b) + b * density(b));
  case GELU_FWD:
    return a * phi(a);
  case IDENTITY:
    return a;
  case LOG:
    return std::log(a);
  case LOGICAL_AND:
    return a != 0 && b != 0;
  case LOGICAL_NOT:
    return a == 0;
  case LOGICAL_OR:
    return a != 0 || b != 0;
  case MAX_OP:
    return maximum(a, b);
  case MIN_OP:
    return minimum(a, b);
  case MOD:
    return std::fmod(a, b);
  case MUL:
    return a * b;
  case NEG:
    return -a;
  case POW:
    return std::pow(a, b);
  case RECIPROCAL:
    return 1 / a;
  case RELU_BWD:
    return reluBackward(a, b, p);
  case RELU_FWD:
    return relu(a, p);
  case RSQRT:
    return 1 / std::sqrt(a);
  case SIGMOID_BWD:
    return a * sigmoidDerivative(b);
  case SIGMOID_FWD:
    return sigmoid(a);
  case SIN:
    return std::sin(a);
  case SOFTPLUS_BWD:
    return p.softplusBeta * b > p.softplusThreshold ? a : a * sigmoid(p.softplusBeta * b);
  case SOFTPLUS_FWD:
    return softplus(a, p);
  case SQRT:
    return std::sqrt(a);
  case SUB:
    return a - b;
  case SWISH_BWD:
    return a * swishDerivative(b, p.swishBeta);
  case SWISH_FWD:
    return a * sigmoid(p.swishBeta * a);
  case TAN:
    return std::tan(a);
  case TANH_BWD:
    return a * (4 * sigmoidDerivative(2 * b)); // 1 - tanh^2
  case TANH_FWD:
    return std::tanh(a);
  }
  return NAN;
}

} // namespace orzo::reference
