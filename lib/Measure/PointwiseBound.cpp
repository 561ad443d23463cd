#include "Measure/PointwiseBound.h"

#include "Reference/Pointwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace orzo {

static constexpr double infinity = std::numeric_limits<double>::infinity();

static bool isF32(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

/// Roundings by 2^-24 of the result that the bodies of a mode stay within (docs/Numerics.md has them in units in the
/// last place, two of these each); 0 for the modes that choose, compare or change a sign.
static double roundingsOf(PointwiseMode mode, const PointwiseParameters &parameters) {
  switch (mode) {
    using enum PointwiseMode;
  case NOT_SET:
  case ABS:
  case BINARY_SELECT:
  case CEIL:
  case CMP_EQ:
  case CMP_GE:
  case CMP_GT:
  case CMP_LE:
  case CMP_LT:
  case CMP_NEQ:
  case FLOOR:
  case IDENTITY:
  case LOGICAL_AND:
  case LOGICAL_NOT:
  case LOGICAL_OR:
  case MAX_OP:
  case MIN_OP:
  case MOD:
  case NEG:
    return 0;
  case RELU_FWD:
  case RELU_BWD:
    return parameters.reluLowerClipSlope == 0 && isF32(parameters.reluLowerClip) && isF32(parameters.reluUpperClip) ? 0
                                                                                                                    : 3;
  case ADD:
  case SUB:
  case MUL:
  case DIV:
  case RECIPROCAL:
  case SQRT:
    return 1;
  case ADD_SQUARE:
  case POW:
    return 2;
  default:
    return 12;
  }
}

/// Whether the result needs no rounding where it is a number of f32: sums and products of such numbers.
static bool isCorrectlyRounded(PointwiseMode mode) {
  using enum PointwiseMode;
  return mode == ADD || mode == SUB || mode == MUL || mode == DIV || mode == RECIPROCAL || mode == SQRT;
}

static BoundedValue overflowing(BoundedValue exact) {
  if (std::abs(exact.value) + exact.error > std::numeric_limits<float>::max() && std::isfinite(exact.value))
    exact.error = infinity;
  return exact;
}

BoundedValue roundedInF32(BoundedValue exact, double roundings) {
  if (!std::isfinite(exact.value))
    return exact;
  if (exact.error > 0 || roundings > 1 || !isF32(exact.value))
    exact.error += roundings * (0x1p-24 * (std::abs(exact.value) + exact.error) + 0x1p-149);
  return overflowing(exact);
}

BoundedValue storedAs(ElementType type, BoundedValue exact) {
  if (!isFloat(type)) {
    double center = roundTo(type, exact.value), error = 0;
    if (std::isnan(exact.value))
      return {std::isnan(exact.value) ? exact.value : center, exact.error};
    if (exact.error > 0) // Toward zero is monotone, so the ends are the furthest.
      for (double end : {exact.value - exact.error, exact.value + exact.error})
        error = std::max(error, std::isfinite(end) ? std::abs(roundTo(type, end) - center) : infinity);
    return {center, error};
  }
  if (type == ElementType::Float || type == ElementType::Double || !std::isfinite(exact.value))
    return exact;
  double rounded = roundTo(type, exact.value);
  if (!std::isfinite(rounded))
    return {exact.value, infinity};
  double unit = type == ElementType::BFloat16 ? 0x1p-8 : 0x1p-11;
  double smallest = type == ElementType::BFloat16 ? 0x1p-134 : 0x1p-25;
  exact.error +=
      exact.error == 0 ? std::abs(rounded - exact.value) : unit * (std::abs(exact.value) + exact.error) + smallest;
  return exact;
}

BoundedValue boundedPointwise(PointwiseMode mode, const PointwiseParameters &parameters,
                              std::span<const BoundedValue> inputs) {
  std::array<double, 3> at = {};
  bool exact = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    at[i] = inputs[i].value;
    exact = exact && inputs[i].error == 0;
  }
  auto values = std::span(at).first(inputs.size());
  BoundedValue result{reference::pointwise(mode, parameters, values), 0};
  if (!exact) {
    // The furthest that the corners of what the inputs may be lead to; zero where it is among them, for what has a pole
    // or a step there.
    std::array<std::array<double, 4>, 3> choices;
    std::array<size_t, 3> counts = {1, 1, 1};
    for (size_t i = 0; i < inputs.size(); ++i) {
      const BoundedValue &input = inputs[i];
      choices[i] = {input.value, input.value - input.error, input.value + input.error, 0};
      counts[i] = input.error == 0 ? 1 : std::abs(input.value) <= input.error ? 4 : 3;
    }
    for (size_t corner = 0; corner < counts[0] * counts[1] * counts[2]; ++corner) {
      size_t rest = corner;
      for (size_t i = 0; i < inputs.size(); ++i) {
        at[i] = choices[i][rest % counts[i]];
        rest /= counts[i];
      }
      double there = reference::pointwise(mode, parameters, values);
      bool same = there == result.value || (std::isnan(there) && std::isnan(result.value));
      double difference = same ? 0 : std::abs(there - result.value);
      result.error = std::max(result.error, std::isnan(difference) ? infinity : difference);
    }
  }
  double roundings = roundingsOf(mode, parameters);
  if (roundings == 0)
    return overflowing(result);
  if (!isCorrectlyRounded(mode))
    roundings = std::max(roundings, 1.5);
  return roundedInF32(result, roundings);
}

} // namespace orzo
