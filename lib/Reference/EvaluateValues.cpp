#include "Reference/EvaluateValues.h"

#include "Reference/LoopWalk.h"
#include "Reference/Nest.h"

namespace orzo::reference {

/// `values`, the tensor `role` of `spec` in its own layout, in the order that the oracle's loops want.
static Operand operandOf(const ConvSpec &spec, Role role, const Values &values) {
  Operand operand;
  std::vector<Axis> order = operandOrder(spec, role);
  for (size_t position = order.size(); position-- > 0;) {
    Axis axis = order[position];
    int64_t extent = spec.extent(role, axis);
    if (extent == 1)
      continue;
    operand.order.insert(operand.order.begin(), axis);
    operand.extents[static_cast<int>(axis)] = extent;
    operand.strides[static_cast<int>(axis)] = operand.count;
    operand.count *= extent;
    if (operand.order.size() == 1)
      operand.pitch = operand.count;
  }
  operand.values = std::make_unique<double[]>(operand.count);
  std::vector<GraphLoop> loops;
  for (Axis axis : operand.order)
    loops.push_back({operand.extent(axis), {spec.elementStride(role, axis), operand.stride(axis)}});
  walk(loops, {0, 0}, [&](const std::vector<int64_t> &at) { operand.values[at[1]] = values[at[0]]; });
  return operand;
}

namespace {

/// The operands as the oracle's nest names them.
struct NestOperands {
  Operand a, b;
  NestOperands(const ConvSpec &spec, const Values &first, const Values &second) {
    NestAxes axes = nestAxes(spec);
    auto valuesOf = [&](Role role) -> const Values & {
      return operandRoles(spec.direction)[0] == role ? first : second;
    };
    a = operandOf(spec, axes.a, valuesOf(axes.a));
    b = operandOf(spec, axes.b, valuesOf(axes.b));
  }
};

} // namespace

void evaluateValues(const ConvSpec &spec, const Values &first, const Values &second, double *value, double *spread,
                    int threads) {
  NestOperands operands(spec, first, second);
  evaluateOperands(spec, operands.a, operands.b, value, spread, threads);
}

void sampleValues(const ConvSpec &spec, const Values &first, const Values &second, std::span<const int64_t> elements,
                  double *value, double *spread, int threads) {
  NestOperands operands(spec, first, second);
  sampleOperands(spec, operands.a, operands.b, elements, value, spread, threads);
}

} // namespace orzo::reference
