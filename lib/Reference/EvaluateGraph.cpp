#include "Reference/EvaluateGraph.h"

#include "Reference/Evaluate.h"
#include "Reference/Nest.h"
#include "Reference/Pointwise.h"
#include "Reference/Reduction.h"

#include <array>
#include <cmath>

namespace orzo::reference {

namespace {

using Values = std::vector<double>;

/// Calls body(offsets) for every index of `loops`, outermost slowest; offsets has one entry for each stride.
template <typename Body> void walk(const std::vector<GraphLoop> &loops, std::vector<int64_t> offsets, Body body) {
  for (const GraphLoop &loop : loops)
    if (loop.extent == 0)
      return;
  std::vector<int64_t> index(loops.size(), 0);
  while (true) {
    body(offsets);
    size_t level = loops.size();
    while (level-- > 0) {
      const GraphLoop &loop = loops[level];
      bool wraps = ++index[level] == loop.extent;
      for (size_t i = 0; i < offsets.size(); ++i)
        offsets[i] += wraps ? -loop.strides[i] * (loop.extent - 1) : loop.strides[i];
      if (!wraps)
        break;
      index[level] = 0;
    }
    if (level == static_cast<size_t>(-1))
      return;
  }
}

void run(const PointwiseStep &step, const std::vector<const Values *> &operands, Values &result) {
  std::vector<int64_t> offsets = step.offsets;
  offsets.resize(operands.size() + 1, 0);
  std::array<double, 3> inputs = {};
  walk(step.loops, offsets, [&](const std::vector<int64_t> &at) {
    for (size_t i = 0; i < operands.size(); ++i)
      inputs[i] = (*operands[i])[at[i]];
    result[at.back()] = pointwise(step.mode, step.parameters, std::span(inputs).first(operands.size()));
  });
}

void run(const ReductionStep &step, const std::vector<const Values *> &operands, Values &result) {
  int64_t count = 1;
  bool empty = false;
  std::vector<GraphLoop> kept;
  for (const GraphLoop &loop : step.loops) {
    empty = empty || loop.extent == 0;
    if (loop.strides[1] == 0)
      count *= loop.extent;
    else
      kept.push_back(loop);
  }
  walk(kept, {0, 0}, [&](const std::vector<int64_t> &at) { result[at[1]] = initial(step.mode); });
  if (!empty)
    walk(step.loops, {0, 0}, [&](const std::vector<int64_t> &at) {
      result[at[1]] = accumulate(step.mode, result[at[1]], (*operands[0])[at[0]]);
    });
  walk(kept, {0, 0}, [&](const std::vector<int64_t> &at) { result[at[1]] = finish(step.mode, result[at[1]], count); });
}

/// `values`, the tensor `role` of `spec` in its own layout, in the order that the oracle's loops want.
Operand operandOf(const ConvSpec &spec, Role role, const Values &values) {
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

void run(const ConvSpec &spec, const std::vector<const Values *> &operands, Values &result, int threads) {
  NestAxes axes = nestAxes(spec);
  auto valuesOf = [&](Role role) -> const Values & {
    return *operands[operandRoles(spec.direction)[0] == role ? 0 : 1];
  };
  evaluateOperands(spec, operandOf(spec, axes.a, valuesOf(axes.a)), operandOf(spec, axes.b, valuesOf(axes.b)),
                   result.data(), nullptr, threads);
}

} // namespace

std::vector<std::vector<double>> evaluate(const GraphSpec &graph, const std::vector<const void *> &memory,
                                          int threads) {
  std::vector<Values> values(graph.values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const GraphValue &value = graph.values[i];
    values[i].assign(value.elements, value.kind == GraphValue::Kind::Constant ? value.constant : NAN);
    if (value.kind == GraphValue::Kind::Input)
      for (int64_t element = 0; element < value.elements; ++element)
        values[i][element] = loadElement(memory[i], element, value.type);
  }
  for (const GraphStep &step : graph.steps) {
    std::vector<const Values *> operands;
    for (int operand : step.operands)
      operands.push_back(&values[operand]);
    Values &result = values[step.result];
    if (const auto *conv = std::get_if<ConvSpec>(&step.work))
      run(*conv, operands, result, threads);
    else if (const auto *reduction = std::get_if<ReductionStep>(&step.work))
      run(*reduction, operands, result);
    else
      run(std::get<PointwiseStep>(step.work), operands, result);
    // Booleans and integers are no roundings of a real number: they hold what their type holds.
    ElementType type = graph.values[step.result].type;
    if (graph.strictRounding || !isFloat(type))
      for (double &element : result)
        element = std::isnan(element) && !isFloat(type) ? element : roundTo(type, element);
  }
  std::vector<Values> outputs;
  for (int output : graph.outputs)
    outputs.push_back(values[output]);
  return outputs;
}

} // namespace orzo::reference
