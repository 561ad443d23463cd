#include "Reference/EvaluateGraph.h"

#include "Reference/EvaluateValues.h"
#include "Reference/LoopWalk.h"
#include "Reference/Pointwise.h"
#include "Reference/Reduction.h"

#include <array>
#include <cmath>

namespace orzo::reference {

namespace {

void run(const PointwiseStep &step, const std::vector<const Values *> &operands, Values &result) {
  std::array<double, 3> inputs = {};
  walk(step.loops, beginsOf(step, operands.size()), [&](const std::vector<int64_t> &at) {
    for (size_t i = 0; i < operands.size(); ++i)
      inputs[i] = (*operands[i])[at[i]];
    result[at.back()] = pointwise(step.mode, step.parameters, std::span(inputs).first(operands.size()));
  });
}

void run(const ReductionStep &step, const std::vector<const Values *> &operands, Values &result) {
  int64_t count = reducedCount(step);
  std::vector<GraphLoop> kept = keptLoops(step);
  walk(kept, {0, 0}, [&](const std::vector<int64_t> &at) { result[at[1]] = initial(step.mode); });
  walk(step.loops, {0, 0}, [&](const std::vector<int64_t> &at) {
    result[at[1]] = accumulate(step.mode, result[at[1]], (*operands[0])[at[0]]);
  });
  walk(kept, {0, 0}, [&](const std::vector<int64_t> &at) { result[at[1]] = finish(step.mode, result[at[1]], count); });
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
      evaluateValues(*conv, *operands[0], *operands[1], result.data(), nullptr, threads);
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
