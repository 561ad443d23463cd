// Pointwise modes against values worked out by hand, and backward modes against differences of forward ones.
#include "Reference/Pointwise.h"
#include "Reference/Reduction.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

using namespace orzo;

namespace {

constexpr double inf = INFINITY, nan = NAN, tiny = 0x1p-140;

struct Case {
  PointwiseMode mode;
  std::vector<double> inputs;
  double expected;
  PointwiseParameters parameters = {};
};

PointwiseParameters leaky() { return {.reluLowerClip = -1, .reluUpperClip = 6, .reluLowerClipSlope = 0.25}; }

using enum PointwiseMode;

const Case cases[] = {
    {ABS, {-3}, 3},
    {ABS, {-0.0}, 0},
    {ABS, {-inf}, inf},
    {ABS, {nan}, nan},
    {ABS, {-tiny}, tiny},
    {ADD, {1, 2}, 3},
    {ADD, {inf, -inf}, nan},
    {ADD, {-0.0, -0.0}, -0.0},
    {ADD, {-0.0, 0.0}, 0.0},
    {ADD_SQUARE, {1, -3}, 10},
    {BINARY_SELECT, {1, 2, 3}, 2},
    {BINARY_SELECT, {0, 2, 3}, 3},
    {BINARY_SELECT, {-0.0, 2, nan}, nan},
    {BINARY_SELECT, {nan, 2, 3}, 2},
    {CEIL, {1.25}, 2},
    {CEIL, {-0.5}, -0.0},
    {CEIL, {tiny}, 1},
    {CMP_EQ, {0.0, -0.0}, 1},
    {CMP_EQ, {nan, nan}, 0},
    {CMP_NEQ, {nan, nan}, 1},
    {CMP_NEQ, {2, 2}, 0},
    {CMP_GE, {2, 2}, 1},
    {CMP_GE, {nan, 2}, 0},
    {CMP_GT, {2, 2}, 0},
    {CMP_GT, {tiny, 0}, 1},
    {CMP_LE, {2, 2}, 1},
    {CMP_LT, {2, 2}, 0},
    {CMP_LT, {-inf, inf}, 1},
    {COS, {0}, 1},
    {COS, {inf}, nan},
    {DIV, {1, 4}, 0.25},
    {DIV, {1, 0}, inf},
    {DIV, {1, -0.0}, -inf},
    {DIV, {0, 0}, nan},
    {ELU_FWD, {2}, 2},
    {ELU_FWD, {-inf}, -0.5, {.eluAlpha = 0.5}},
    {ELU_FWD, {-std::log(2)}, -0.5},
    {ELU_BWD, {3, 2}, 3},
    {ELU_BWD, {3, -std::log(2)}, 0.75, {.eluAlpha = 0.5}},
    {ERF, {0}, 0},
    {ERF, {inf}, 1},
    {ERF, {0.5}, 0.5204998778130465},
    {EXP, {0}, 1},
    {EXP, {-inf}, 0},
    {EXP, {1000}, inf},
    {FLOOR, {-1.25}, -2},
    {FLOOR, {-tiny}, -1},
    {FLOOR, {-0.0}, -0.0},
    {GELU_APPROX_TANH_FWD, {1}, 0.8411919906082768},
    {GELU_APPROX_TANH_FWD, {-0.0}, -0.0},
    {GELU_APPROX_TANH_BWD, {2, 0}, 1},
    {GELU_FWD, {1}, 0.8413447460685429},
    {GELU_FWD, {inf}, inf},
    {GELU_FWD, {-inf}, nan},
    {GELU_BWD, {2, 0}, 1},
    {IDENTITY, {-0.0}, -0.0},
    {IDENTITY, {nan}, nan},
    {LOG, {1}, 0},
    {LOG, {0}, -inf},
    {LOG, {-1}, nan},
    {LOGICAL_AND, {2, nan}, 1},
    {LOGICAL_AND, {2, -0.0}, 0},
    {LOGICAL_OR, {0, -0.0}, 0},
    {LOGICAL_OR, {0, tiny}, 1},
    {LOGICAL_NOT, {-0.0}, 1},
    {LOGICAL_NOT, {nan}, 0},
    {MAX_OP, {0.0, -0.0}, 0.0},
    {MAX_OP, {-0.0, 0.0}, 0.0},
    {MAX_OP, {1, nan}, nan},
    {MAX_OP, {nan, 1}, nan},
    {MAX_OP, {-inf, 1}, 1},
    {MIN_OP, {0.0, -0.0}, -0.0},
    {MIN_OP, {-0.0, 0.0}, -0.0},
    {MIN_OP, {1, nan}, nan},
    {MIN_OP, {2, 1}, 1},
    {MOD, {7, 3}, 1},
    {MOD, {-7, 3}, -1},
    {MOD, {7, -3}, 1},
    {MOD, {7, 0}, nan},
    {MOD, {7, inf}, 7},
    {MUL, {-0.0, 3}, -0.0},
    {MUL, {0, inf}, nan},
    {NEG, {0}, -0.0},
    {NEG, {-inf}, inf},
    {POW, {2, 10}, 1024},
    {POW, {0, 0}, 1},
    {POW, {-8, 1.0 / 3}, nan},
    {POW, {-2, 3}, -8},
    {RECIPROCAL, {4}, 0.25},
    {RECIPROCAL, {-0.0}, -inf},
    {RELU_FWD, {-0.0}, 0.0},
    {RELU_FWD, {-inf}, 0.0},
    {RELU_FWD, {nan}, nan},
    {RELU_FWD, {tiny}, tiny},
    {RELU_FWD, {7}, 6, leaky()},
    {RELU_FWD, {-3}, -1.5, leaky()},
    {RELU_FWD, {-1}, -1, leaky()},
    {RELU_BWD, {5, 0}, 0},
    {RELU_BWD, {5, tiny}, 5},
    {RELU_BWD, {inf, -1}, 0},
    {RELU_BWD, {5, inf}, 5},
    {RELU_BWD, {5, nan}, 5},
    {RELU_BWD, {5, 6}, 0, leaky()},
    {RELU_BWD, {4, -1}, 1, leaky()},
    {RELU_BWD, {4, 0}, 4, leaky()},
    {RSQRT, {4}, 0.5},
    {RSQRT, {0}, inf},
    {RSQRT, {-1}, nan},
    {SIGMOID_FWD, {0}, 0.5},
    {SIGMOID_FWD, {-1000}, 0},
    {SIGMOID_FWD, {1000}, 1},
    {SIGMOID_BWD, {4, 0}, 1},
    {SIN, {0}, 0},
    {SIN, {-0.0}, -0.0},
    {SOFTPLUS_FWD, {0}, 0.6931471805599453},
    {SOFTPLUS_FWD, {30}, 30},
    {SOFTPLUS_FWD, {-1000}, 0},
    {SOFTPLUS_FWD, {0}, 0.34657359027997264, {.softplusBeta = 2}},
    {SOFTPLUS_FWD, {3}, 3, {.softplusThreshold = 2}},
    {SOFTPLUS_BWD, {4, 0}, 2},
    {SOFTPLUS_BWD, {4, 30}, 4},
    {SQRT, {-0.0}, -0.0},
    {SQRT, {-1}, nan},
    {SQRT, {9}, 3},
    {SUB, {1, 3}, -2},
    {SUB, {inf, inf}, nan},
    {SWISH_FWD, {0}, 0},
    {SWISH_FWD, {1}, 0.7310585786300049},
    {SWISH_FWD, {1}, 0.8807970779778823, {.swishBeta = 2}},
    {SWISH_BWD, {2, 0}, 1},
    {TAN, {0}, 0},
    {TAN, {inf}, nan},
    {TANH_FWD, {inf}, 1},
    {TANH_FWD, {-0.0}, -0.0},
    {TANH_BWD, {3, 0}, 3},
    {TANH_BWD, {3, inf}, 0},
};

TEST(Pointwise, ByHand) {
  std::set<PointwiseMode> seen;
  for (const Case &each : cases) {
    seen.insert(each.mode);
    ASSERT_EQ(static_cast<int>(each.inputs.size()), inputCount(each.mode));
    double got = reference::pointwise(each.mode, each.parameters, each.inputs);
    std::string label = std::string(name(each.mode)) + testing::PrintToString(each.inputs);
    if (std::isnan(each.expected)) {
      EXPECT_TRUE(std::isnan(got)) << label << " is " << got;
    } else if (each.expected == 0 || std::isinf(each.expected)) {
      EXPECT_EQ(got, each.expected) << label;
      EXPECT_EQ(std::signbit(got), std::signbit(each.expected)) << label;
    } else {
      EXPECT_NEAR(got, each.expected, 4e-16 * std::abs(each.expected)) << label;
    }
  }
  EXPECT_EQ(seen.size(), allPointwiseModes().size());
  EXPECT_EQ(allPointwiseModes().size(), 49U);
}

TEST(Pointwise, BackwardIsTheDerivativeOfForward) {
  const std::pair<PointwiseMode, PointwiseMode> pairs[] = {
      {ELU_FWD, ELU_BWD},         {GELU_APPROX_TANH_FWD, GELU_APPROX_TANH_BWD},
      {GELU_FWD, GELU_BWD},       {RELU_FWD, RELU_BWD},
      {SIGMOID_FWD, SIGMOID_BWD}, {SOFTPLUS_FWD, SOFTPLUS_BWD},
      {SWISH_FWD, SWISH_BWD},     {TANH_FWD, TANH_BWD}};
  PointwiseParameters parameters = leaky();
  parameters.eluAlpha = 0.7;
  parameters.softplusBeta = 1.5;
  parameters.swishBeta = 2.5;
  for (auto [forward, backward] : pairs)
    for (double x = -5.03; x < 8; x += 0.11) {
      double step = 1e-4;
      auto at = [&](double shift) {
        double shifted = x + shift;
        return reference::pointwise(forward, parameters, std::span(&shifted, 1));
      };
      double slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
      double inputs[] = {3, x};
      EXPECT_NEAR(reference::pointwise(backward, parameters, inputs), 3 * slope, 1e-9) << name(backward) << " at " << x;
    }
}

TEST(Pointwise, CommutativeModesAre) {
  const double values[] = {0.0, -0.0, 1, -2.5, inf, -inf, nan, tiny};
  for (PointwiseMode mode : allPointwiseModes()) {
    if (inputCount(mode) != 2)
      continue;
    bool same = true;
    for (double a : values)
      for (double b : values) {
        double forth[] = {a, b}, back[] = {b, a};
        double left = reference::pointwise(mode, {}, forth), right = reference::pointwise(mode, {}, back);
        same = same && ((std::isnan(left) && std::isnan(right)) ||
                        (left == right && std::signbit(left) == std::signbit(right)));
      }
    EXPECT_EQ(same, isCommutative(mode)) << name(mode);
  }
}

double reduce(ReductionMode mode, const std::vector<double> &values) {
  double accumulator = reference::initial(mode);
  for (double value : values)
    accumulator = reference::accumulate(mode, accumulator, value);
  return reference::finish(mode, accumulator, static_cast<int64_t>(values.size()));
}

TEST(Reduction, ByHand) {
  struct Expected {
    ReductionMode mode;
    double some, withZeros, withNan, withInfinity, none;
  };
  std::vector<double> some = {3, -4, 2}, withZeros = {0, -0.0, -2}, withNan = {1, nan, 2}, withInfinity = {1, -inf};
  const Expected expected[] = {
      {ReductionMode::ADD, 1, -2, nan, -inf, 0},
      {ReductionMode::SUM, 1, -2, nan, -inf, 0},
      {ReductionMode::MUL, -24, 0, nan, -inf, 1},
      {ReductionMode::MIN, -4, -2, nan, -inf, inf},
      {ReductionMode::MAX, 3, 0, nan, 1, -inf},
      {ReductionMode::AMAX, 4, 2, nan, inf, 0},
      {ReductionMode::AVG, 1.0 / 3, -2.0 / 3, nan, -inf, nan},
      {ReductionMode::NORM1, 9, 2, nan, inf, 0},
      {ReductionMode::NORM2, std::sqrt(29), 2, nan, inf, 0},
      {ReductionMode::MUL_NO_ZEROS, -24, -2, nan, -inf, 1},
  };
  ASSERT_EQ(std::size(expected), allReductionModes().size());
  for (size_t i = 0; i < std::size(expected); ++i) {
    const Expected &each = expected[i];
    EXPECT_EQ(each.mode, allReductionModes()[i]);
    for (auto [values, want] :
         {std::pair(some, each.some), std::pair(withZeros, each.withZeros), std::pair(withNan, each.withNan),
          std::pair(withInfinity, each.withInfinity), std::pair(std::vector<double>{}, each.none)}) {
      double got = reduce(each.mode, values);
      EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want)
          << name(each.mode) << testing::PrintToString(values) << " is " << got << ", not " << want;
    }
  }
}

} // namespace
