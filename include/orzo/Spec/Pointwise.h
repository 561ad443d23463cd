// Pointwise modes and reductions by name: arity, symmetry, parameters. What they compute is lib/Reference's to say.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace orzo {

/// cuDNN's and Fusilli's names. Backward modes take (dy, x), the forward's input second.
enum class PointwiseMode : uint8_t {
  NOT_SET,
  ABS,
  ADD,
  ADD_SQUARE,
  BINARY_SELECT,
  CEIL,
  CMP_EQ,
  CMP_GE,
  CMP_GT,
  CMP_LE,
  CMP_LT,
  CMP_NEQ,
  COS,
  DIV,
  ELU_BWD,
  ELU_FWD,
  ERF,
  EXP,
  FLOOR,
  GELU_APPROX_TANH_BWD,
  GELU_APPROX_TANH_FWD,
  GELU_BWD,
  GELU_FWD,
  IDENTITY,
  LOG,
  LOGICAL_AND,
  LOGICAL_NOT,
  LOGICAL_OR,
  MAX_OP,
  MIN_OP,
  MOD,
  MUL,
  NEG,
  POW,
  RECIPROCAL,
  RELU_BWD,
  RELU_FWD,
  RSQRT,
  SIGMOID_BWD,
  SIGMOID_FWD,
  SIN,
  SOFTPLUS_BWD,
  SOFTPLUS_FWD,
  SQRT,
  SUB,
  SWISH_BWD,
  SWISH_FWD,
  TAN,
  TANH_BWD,
  TANH_FWD,
};

enum class ReductionMode : uint8_t { NOT_SET, ADD, SUM, MUL, MIN, MAX, AMAX, AVG, NORM1, NORM2, MUL_NO_ZEROS };

/// Every mode but NOT_SET.
std::span<const PointwiseMode> allPointwiseModes();
std::span<const ReductionMode> allReductionModes();

/// "add", "relu_fwd", "max", ...: the enumerator in lower case, without "_op".
std::string_view name(PointwiseMode mode);
std::string_view name(ReductionMode mode);

/// Inputs that the mode takes: 1, 2 or 3; 0 for NOT_SET.
int inputCount(PointwiseMode mode);

/// Whether its two inputs may be exchanged.
bool isCommutative(PointwiseMode mode);

/// Comparisons and logical modes: 0 or 1.
bool isBooleanMode(PointwiseMode mode);

/// What some modes read besides their inputs; the others leave them alone.
struct PointwiseParameters {
  double reluLowerClip = 0;                                       ///< RELU
  double reluUpperClip = std::numeric_limits<double>::infinity(); ///< RELU
  double reluLowerClipSlope = 0;                                  ///< RELU: the leak below the lower clip.
  double eluAlpha = 1;                                            ///< ELU
  double softplusBeta = 1;                                        ///< SOFTPLUS
  double softplusThreshold = 20;                                  ///< SOFTPLUS: linear where beta*x is above it.
  double swishBeta = 1;                                           ///< SWISH
  bool operator==(const PointwiseParameters &) const = default;
};

/// The parameters that `mode` reads and that differ from their defaults, e.g. " lower=0 upper=6"; others are left out.
std::string text(PointwiseMode mode, const PointwiseParameters &parameters);

/// `parameters` with those that `mode` does not read at their defaults.
PointwiseParameters relevant(PointwiseMode mode, const PointwiseParameters &parameters);

} // namespace orzo
