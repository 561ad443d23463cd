#include "orzo/Spec/Pointwise.h"

#include <array>
#include <charconv>
#include <tuple>

namespace orzo {

namespace {

enum class Family : uint8_t { None, Relu, Elu, Softplus, Swish };

struct Row {
  PointwiseMode mode;
  std::string_view name;
  int inputs;
  bool commutative = false, boolean = false;
  Family family = Family::None;
};

using enum PointwiseMode;

/// In the order of the enumeration.
constexpr Row rows[] = {
    {NOT_SET, "not set", 0},
    {ABS, "abs", 1},
    {ADD, "add", 2, true},
    {ADD_SQUARE, "add_square", 2},
    {BINARY_SELECT, "binary_select", 3},
    {CEIL, "ceil", 1},
    {CMP_EQ, "cmp_eq", 2, true, true},
    {CMP_GE, "cmp_ge", 2, false, true},
    {CMP_GT, "cmp_gt", 2, false, true},
    {CMP_LE, "cmp_le", 2, false, true},
    {CMP_LT, "cmp_lt", 2, false, true},
    {CMP_NEQ, "cmp_neq", 2, true, true},
    {COS, "cos", 1},
    {DIV, "div", 2},
    {ELU_BWD, "elu_bwd", 2, false, false, Family::Elu},
    {ELU_FWD, "elu_fwd", 1, false, false, Family::Elu},
    {ERF, "erf", 1},
    {EXP, "exp", 1},
    {FLOOR, "floor", 1},
    {GELU_APPROX_TANH_BWD, "gelu_approx_tanh_bwd", 2},
    {GELU_APPROX_TANH_FWD, "gelu_approx_tanh_fwd", 1},
    {GELU_BWD, "gelu_bwd", 2},
    {GELU_FWD, "gelu_fwd", 1},
    {IDENTITY, "identity", 1},
    {LOG, "log", 1},
    {LOGICAL_AND, "logical_and", 2, true, true},
    {LOGICAL_NOT, "logical_not", 1, false, true},
    {LOGICAL_OR, "logical_or", 2, true, true},
    {MAX_OP, "max", 2, true},
    {MIN_OP, "min", 2, true},
    {MOD, "mod", 2},
    {MUL, "mul", 2, true},
    {NEG, "neg", 1},
    {POW, "pow", 2},
    {RECIPROCAL, "reciprocal", 1},
    {RELU_BWD, "relu_bwd", 2, false, false, Family::Relu},
    {RELU_FWD, "relu_fwd", 1, false, false, Family::Relu},
    {RSQRT, "rsqrt", 1},
    {SIGMOID_BWD, "sigmoid_bwd", 2},
    {SIGMOID_FWD, "sigmoid_fwd", 1},
    {SIN, "sin", 1},
    {SOFTPLUS_BWD, "softplus_bwd", 2, false, false, Family::Softplus},
    {SOFTPLUS_FWD, "softplus_fwd", 1, false, false, Family::Softplus},
    {SQRT, "sqrt", 1},
    {SUB, "sub", 2},
    {SWISH_BWD, "swish_bwd", 2, false, false, Family::Swish},
    {SWISH_FWD, "swish_fwd", 1, false, false, Family::Swish},
    {TAN, "tan", 1},
    {TANH_BWD, "tanh_bwd", 2},
    {TANH_FWD, "tanh_fwd", 1},
};

constexpr bool inOrder() {
  for (size_t i = 0; i < std::size(rows); ++i)
    if (static_cast<size_t>(rows[i].mode) != i)
      return false;
  return true;
}
static_assert(inOrder());

constexpr std::string_view reductionNames[] = {"not set", "add", "sum",   "mul",   "min",         "max",
                                               "amax",    "avg", "norm1", "norm2", "mul_no_zeros"};

const Row &rowOf(PointwiseMode mode) { return rows[static_cast<size_t>(mode) % std::size(rows)]; }

/// The shortest text that reads back as `value`.
std::string number(double value) {
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end};
}

} // namespace

std::span<const PointwiseMode> allPointwiseModes() {
  static constexpr auto modes = [] {
    std::array<PointwiseMode, std::size(rows) - 1> list = {};
    for (size_t i = 0; i < list.size(); ++i)
      list[i] = rows[i + 1].mode;
    return list;
  }();
  return modes;
}

std::span<const ReductionMode> allReductionModes() {
  static constexpr auto modes = [] {
    std::array<ReductionMode, std::size(reductionNames) - 1> list = {};
    for (size_t i = 0; i < list.size(); ++i)
      list[i] = static_cast<ReductionMode>(i + 1);
    return list;
  }();
  return modes;
}

std::string_view name(PointwiseMode mode) { return rowOf(mode).name; }
std::string_view name(ReductionMode mode) {
  return reductionNames[static_cast<size_t>(mode) % std::size(reductionNames)];
}
int inputCount(PointwiseMode mode) { return rowOf(mode).inputs; }
bool isCommutative(PointwiseMode mode) { return rowOf(mode).commutative; }
bool isBooleanMode(PointwiseMode mode) { return rowOf(mode).boolean; }

PointwiseParameters relevant(PointwiseMode mode, const PointwiseParameters &parameters) {
  PointwiseParameters kept;
  switch (rowOf(mode).family) {
  case Family::None:
    break;
  case Family::Relu:
    kept.reluLowerClip = parameters.reluLowerClip;
    kept.reluUpperClip = parameters.reluUpperClip;
    kept.reluLowerClipSlope = parameters.reluLowerClipSlope;
    break;
  case Family::Elu:
    kept.eluAlpha = parameters.eluAlpha;
    break;
  case Family::Softplus:
    kept.softplusBeta = parameters.softplusBeta;
    kept.softplusThreshold = parameters.softplusThreshold;
    break;
  case Family::Swish:
    kept.swishBeta = parameters.swishBeta;
    break;
  }
  return kept;
}

std::string text(PointwiseMode mode, const PointwiseParameters &parameters) {
  PointwiseParameters kept = relevant(mode, parameters), usual;
  std::string line;
  for (auto [label, value, other] : {
           std::tuple("lower", kept.reluLowerClip, usual.reluLowerClip),
           std::tuple("upper", kept.reluUpperClip, usual.reluUpperClip),
           std::tuple("slope", kept.reluLowerClipSlope, usual.reluLowerClipSlope),
           std::tuple("alpha", kept.eluAlpha, usual.eluAlpha),
           std::tuple("beta", kept.softplusBeta, usual.softplusBeta),
           std::tuple("threshold", kept.softplusThreshold, usual.softplusThreshold),
           std::tuple("beta", kept.swishBeta, usual.swishBeta),
       })
    if (value != other)
      line += std::string(" ") + label + "=" + number(value);
  return line;
}

} // namespace orzo
