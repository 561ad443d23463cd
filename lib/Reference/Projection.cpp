#include "Reference/Projection.h"

#include "Reference/Nest.h"
#include "Reference/ParallelRanges.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace orzo::reference {

Projection project(const ConvSpec &spec, const Tensors &tensors, uint64_t seed, bool spread, int threads) {
  Projection projection;
  Role result = resultRole(spec.direction);
  NestAxes axes = nestAxes(spec);
  projection.axis = axes.lane;
  int64_t channels = spec.extent(result, projection.axis);
  std::mt19937_64 random(seed); // Its output is fixed by the standard.
  for (int64_t channel = 0; channel < channels; ++channel)
    projection.signs.push_back(random() >> 63 ? 1 : -1);

  ConvSpec contracted = spec;
  (projection.axis == Axis::K ? contracted.k : contracted.c) = spec.groups;
  for (Layout &layout : contracted.layouts)
    std::erase(layout, projection.axis);
  // The contracted problem's axes may differ (wgrad's lanes are the longer axis), but the operands are the same two.
  NestAxes newAxes = nestAxes(contracted);
  auto widened = [&](Role role) {
    return widen(spec, role, operandOrder(spec, role), tensors[static_cast<int>(role)], Rows::Staggered, threads);
  };
  Operand a = widened(axes.a), b = widened(axes.b);
  auto evaluateContracted = [&](const Operand &kept, const Operand &reduced, std::vector<double> &value) {
    value.resize(contracted.elementCount(result));
    bool same = newAxes.a == axes.a;
    evaluateOperands(contracted, same ? kept : reduced, same ? reduced : kept, value.data(), nullptr, threads);
  };
  evaluateContracted(a, contract(b, projection.axis, projection.signs, false, threads), projection.value);
  if (!spread)
    return projection;
  std::vector<double> ones(channels, 1.0);
  evaluateContracted(squared(a, threads), contract(b, projection.axis, ones, true, threads), projection.spread);
  auto length = static_cast<double>(reductionLength(spec));
  for (double &element : projection.spread)
    element = std::sqrt(length * element);
  return projection;
}

void projectResult(const ConvSpec &spec, const Projection &projection, const void *result, bool integers,
                   std::vector<double> &value, std::vector<double> &roundings, int threads) {
  Role role = resultRole(spec.direction);
  DataType type = spec.type(role);
  double roundoff = unitRoundoff(type);
  auto channels = static_cast<int64_t>(projection.signs.size());
  int64_t inner = std::max<int64_t>(1, spec.elementStride(role, projection.axis));
  auto count = static_cast<int64_t>(projection.value.size());
  Operand actual = widen(spec, role, spec.layout(role), result, Rows::Packed, threads);
  value.assign(count, 0);
  roundings.assign(count, 0);
  parallelRanges(count, 4096, threads, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      const double *first = actual.values.get() + index / inner * inner * channels + index % inner;
      double sum = 0, rounding = 0;
      for (int64_t channel = 0; channel < channels; ++channel) {
        double element = first[channel * inner];
        sum += projection.signs[channel] * element;
        if (!integers || std::abs(element) * roundoff > 1)
          rounding += roundoff * element * roundoff * element;
      }
      value[index] = sum;
      roundings[index] = rounding;
    }
  });
}

} // namespace orzo::reference
