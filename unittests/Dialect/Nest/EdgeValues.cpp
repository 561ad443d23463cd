#include "EdgeValues.h"

#include "Reference/Pointwise.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace orzo::nest {

static std::vector<float> edges() {
  using Limits = std::numeric_limits<float>;
  // Those that modes of three operands are crossed over come first.
  std::vector<float> positive = {0,
                                 Limits::infinity(),
                                 Limits::denorm_min(),
                                 1,
                                 2.5F,
                                 Limits::max(),
                                 0x1p-126F,
                                 0.5F,
                                 1.5F,
                                 2,
                                 3,
                                 4,
                                 6,
                                 0x1.fffffcp-127F,
                                 1e-3F,
                                 0.1F,
                                 0.25F,
                                 0.75F,
                                 0.9999999F,
                                 1.0000001F,
                                 1.2784645F,
                                 0.7517915F,
                                 0.7524614F,
                                 0.34657F,
                                 0.6931472F,
                                 1.5707964F,
                                 3.1415927F,
                                 7,
                                 9,
                                 10,
                                 13,
                                 17,
                                 19.9999F,
                                 20,
                                 20.00001F,
                                 25,
                                 30,
                                 38,
                                 60,
                                 88.5F,
                                 88.72284F,
                                 90,
                                 103,
                                 104,
                                 126,
                                 127,
                                 128,
                                 150,
                                 200,
                                 1000,
                                 8388607.5F,
                                 8388608,
                                 8388609,
                                 16777215,
                                 33554432,
                                 1e5F,
                                 1e10F,
                                 0x1.8p48F,
                                 1e15F,
                                 1e22F,
                                 1e30F,
                                 3e38F};
  std::vector<float> all = {Limits::quiet_NaN()};
  for (float value : positive) {
    all.push_back(value);
    all.push_back(-value);
  }
  return all;
}

std::vector<std::vector<float>> edgeInputs(int count) {
  std::vector<float> values = edges();
  if (count == 3)
    values.resize(21);
  size_t total = 1;
  for (int i = 0; i < count; ++i)
    total *= values.size();
  std::vector<std::vector<float>> inputs(count);
  for (size_t i = 0; i < (total + 15) / 16 * 16; ++i)
    for (size_t digit = i % total, operand = 0; operand < inputs.size(); ++operand, digit /= values.size())
      inputs[operand].push_back(values[digit % values.size()]);
  return inputs;
}

std::vector<std::vector<float>> randomInputs(int count, size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<std::vector<float>> inputs(count);
  for (std::vector<float> &input : inputs)
    for (size_t i = 0; i < size; ++i)
      switch (random() % 3) {
      case 0:
        input.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
        break;
      case 1:
        input.push_back(static_cast<float>(12 * unit(random)));
        break;
      default:
        input.push_back(static_cast<float>(std::copysign(std::exp2(20 * unit(random)), unit(random))));
      }
  return inputs;
}

/// Whether the reference is a zero signed as `zero` next to `operands`. Where f64 underflows, a factor of the reference
/// vanishes a little earlier or later than it does in a body.
static bool isZeroOfSign(const BodyCase &each, const std::array<double, 3> &operands, size_t count, double zero) {
  for (double factor : {0.998, 1.002}) {
    std::array<double, 3> moved = operands;
    for (double &operand : moved)
      operand *= factor;
    auto near = static_cast<float>(reference::pointwise(each.mode, each.parameters, std::span(moved.data(), count)));
    if (near == 0 && std::signbit(near) == std::signbit(zero))
      return true;
  }
  return false;
}

double distance(const BodyCase &each, float got, const std::vector<std::vector<float>> &inputs, size_t index) {
  std::array<double, 3> operands = {};
  for (size_t i = 0; i < inputs.size(); ++i)
    operands[i] = inputs[i][index];
  double want = reference::pointwise(each.mode, each.parameters, std::span(operands.data(), inputs.size()));
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : INFINITY;
  auto rounded = static_cast<float>(want);
  bool isEqual = got == rounded && std::signbit(got) == std::signbit(rounded);
  if (!isEqual && each.ulps == 0)
    return INFINITY;
  if (got == 0 && rounded == 0 && std::signbit(got) != std::signbit(rounded) &&
      !isZeroOfSign(each, operands, inputs.size(), got))
    return INFINITY;
  auto finite = [](double value) { return std::clamp(value, -0x1p128, 0x1p128); };
  int exponent = std::ilogb(std::clamp(std::abs(want), 0x1p-126, 0x1p127));
  return std::abs(finite(got) - finite(want)) / std::exp2(exponent - 23);
}

} // namespace orzo::nest
