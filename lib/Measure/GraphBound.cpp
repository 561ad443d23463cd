#include "Measure/GraphBound.h"

#include "Measure/ErrorBound.h"
#include "Measure/ReductionBound.h"
#include "Reference/EvaluateValues.h"
#include "Reference/LoopWalk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace orzo {

namespace {

using reference::Values;

class BoundedEvaluator {
public:
  BoundedEvaluator(const GraphSpec &graph, const Demand &demand, int threads)
      : graph(graph), demand(demand), threads(threads), values(graph.values.size()) {}

  std::vector<BoundedValues> run(const std::vector<const void *> &memory) {
    for (size_t index = 0; index < values.size(); ++index)
      fill(index, memory[index]);
    for (const GraphStep &step : graph.steps) {
      std::visit([&](const auto &work) { compute(step, work); }, step.work);
      store(step.result);
    }
    std::vector<BoundedValues> outputs;
    for (int output : graph.outputs) {
      auto before = unstored.find(output);
      outputs.push_back(std::move(before == unstored.end() ? values[output] : before->second));
    }
    return outputs;
  }

private:
  void fill(size_t index, const void *memory) {
    const GraphValue &spec = graph.values[index];
    BoundedValues &filled = values[index];
    filled.value.assign(spec.elements, NAN);
    filled.error.assign(spec.elements, 0);
    if (spec.kind != GraphValue::Kind::Input && spec.kind != GraphValue::Kind::Constant)
      return;
    for (int64_t i = 0; i < spec.elements; ++i) {
      bool isInput = spec.kind == GraphValue::Kind::Input;
      double exact = isInput ? loadElement(memory, i, spec.type) : spec.constant;
      auto used = static_cast<double>(static_cast<float>(isInput ? exact : roundTo(spec.type, exact)));
      filled.value[i] = exact;
      filled.error[i] = used == exact || std::isnan(exact) ? 0 : std::abs(used - exact);
    }
  }

  bool isNeeded(int value, int64_t element) const { return demand[value].empty() || demand[value][element]; }

  /// What the value's type does to a result.
  void store(int index) {
    ElementType type = graph.values[index].type;
    bool isOutput = graph.values[index].kind == GraphValue::Kind::Output;
    BoundedValues &result = values[index];
    bool mayBeRead = isOutput && isReadAgain(index);
    if (mayBeRead && isFloat(type) && !graph.strictRounding)
      unstored[index] = result; // Its own memory is compared with what was not rounded yet.
    for (int64_t i = 0; i < graph.values[index].elements; ++i) {
      if (!isNeeded(index, i))
        continue;
      BoundedValue stored{result.value[i], result.error[i]};
      if (graph.strictRounding && isFloat(type) && stored.error == 0)
        stored.value = roundTo(type, stored.value);
      else if (!isFloat(type) || !isOutput || mayBeRead)
        stored = storedAs(type, stored);
      result.value[i] = stored.value;
      result.error[i] = stored.error;
    }
  }

  /// An output that a later step reads may be read from its memory.
  bool isReadAgain(int index) const {
    return std::ranges::any_of(graph.steps, [&](const GraphStep &step) {
      return std::ranges::find(step.operands, index) != step.operands.end();
    });
  }

  static bool hasErrors(const BoundedValues &operand) {
    return std::ranges::any_of(operand.error, [](double error) { return error != 0; });
  }

  static Values squared(const Values &values) {
    Values result(values.size());
    std::ranges::transform(values, result.begin(), [](double value) { return value * value; });
    return result;
  }

  /// The largest magnitude; infinite where one is no integer.
  static double largestInteger(const Values &values) {
    double largest = 0;
    for (double value : values) {
      if (std::trunc(value) != value)
        return std::numeric_limits<double>::infinity();
      largest = std::max(largest, std::abs(value));
    }
    return largest;
  }

  void compute(const GraphStep &step, const ConvSpec &spec) {
    const BoundedValues &first = values[step.operands[0]], &second = values[step.operands[1]];
    const std::vector<bool> &need = demand[step.result];
    std::vector<int64_t> elements = elementsIn(need);
    if (!need.empty() && elements.empty())
      return;
    auto convolve = [&](const Values &a, const Values &b, double *value, double *spread) {
      if (need.empty())
        reference::evaluateValues(spec, a, b, value, spread, threads);
      else
        reference::sampleValues(spec, a, b, elements, value, spread, threads);
    };
    size_t count = need.empty() ? graph.values[step.result].elements : elements.size();
    Values value(count), spread(count), variance(count), more(count);
    convolve(first.value, second.value, value.data(), spread.data());
    bool hasFirst = hasErrors(first), hasSecond = hasErrors(second);
    if (hasFirst)
      convolve(squared(first.error), squared(second.value), variance.data(), nullptr);
    if (hasSecond) {
      Values both = squared(first.value);
      for (size_t i = 0; i < both.size(); ++i)
        both[i] = (std::abs(first.value[i]) + first.error[i]) * (std::abs(first.value[i]) + first.error[i]);
      convolve(both, squared(second.error), more.data(), nullptr);
    }
    auto length = static_cast<double>(reference::reductionLength(spec));
    bool exact =
        !hasFirst && !hasSecond && largestInteger(first.value) * largestInteger(second.value) * length < 0x1p24;
    ErrorBound bound = errorBound(spec);
    for (size_t i = 0; i < count; ++i) {
      BoundedValue result{value[i], 6 * std::sqrt(variance[i] + more[i])};
      if (!exact)
        result.error += bound.accumulate * (spread[i] + std::sqrt(length) * std::abs(value[i])) + length * 0x1p-125;
      bool overflows = !(std::abs(value[i]) + spread[i] < std::numeric_limits<float>::max()) && !std::isnan(value[i]);
      if (overflows || std::isnan(result.error))
        result.error = std::numeric_limits<double>::infinity();
      int64_t element = need.empty() ? static_cast<int64_t>(i) : elements[i];
      values[step.result].value[element] = result.value;
      values[step.result].error[element] = result.error;
    }
  }

  void compute(const GraphStep &step, const PointwiseStep &work) {
    std::array<BoundedValue, 3> inputs;
    auto used = std::span<const BoundedValue>(inputs).first(step.operands.size());
    BoundedValues &result = values[step.result];
    reference::walk(work.loops, reference::beginsOf(work, step.operands.size()), [&](const std::vector<int64_t> &at) {
      if (!isNeeded(step.result, at.back()))
        return;
      for (size_t i = 0; i < step.operands.size(); ++i)
        inputs[i] = {values[step.operands[i]].value[at[i]], values[step.operands[i]].error[at[i]]};
      BoundedValue bounded = boundedPointwise(work.mode, work.parameters, used);
      result.value[at.back()] = bounded.value;
      result.error[at.back()] = bounded.error;
    });
  }

  void compute(const GraphStep &step, const ReductionStep &work) {
    const BoundedValues &operand = values[step.operands[0]];
    BoundedValues &result = values[step.result];
    int64_t count = reference::reducedCount(work);
    std::vector<int> slots(graph.values[step.result].elements, -1);
    std::vector<ReductionBound> bounds;
    std::vector<int64_t> elements;
    reference::walk(reference::keptLoops(work), {0, 0}, [&](const std::vector<int64_t> &at) {
      if (!isNeeded(step.result, at[1]))
        return;
      slots[at[1]] = static_cast<int>(bounds.size());
      bounds.emplace_back(work.mode);
      elements.push_back(at[1]);
    });
    reference::walk(work.loops, {0, 0}, [&](const std::vector<int64_t> &at) {
      if (int slot = slots[at[1]]; slot >= 0)
        bounds[slot].add({operand.value[at[0]], operand.error[at[0]]});
    });
    for (size_t i = 0; i < bounds.size(); ++i) {
      BoundedValue bounded = bounds[i].finish(count);
      result.value[elements[i]] = bounded.value;
      result.error[elements[i]] = bounded.error;
    }
  }

  const GraphSpec &graph;
  const Demand &demand;
  int threads;
  std::vector<BoundedValues> values;
  std::map<int, BoundedValues> unstored; ///< Outputs that later steps read, as they were before their rounding.
};

} // namespace

std::vector<BoundedValues> evaluateBounded(const GraphSpec &graph, const std::vector<const void *> &memory,
                                           const Demand &demand, int threads) {
  return BoundedEvaluator(graph, demand, threads).run(memory);
}

std::vector<bool> writtenElements(const GraphSpec &graph, int output) {
  std::vector<bool> written(graph.values[output].elements, false);
  for (const GraphStep &step : graph.steps) {
    if (step.result != output)
      continue;
    if (std::holds_alternative<ConvSpec>(step.work))
      written.assign(written.size(), true);
    if (const auto *pointwise = std::get_if<PointwiseStep>(&step.work))
      reference::walk(pointwise->loops, reference::beginsOf(*pointwise, step.operands.size()),
                      [&](const std::vector<int64_t> &at) { written[at.back()] = true; });
    if (const auto *reduction = std::get_if<ReductionStep>(&step.work))
      reference::walk(reference::keptLoops(*reduction), {0, 0},
                      [&](const std::vector<int64_t> &at) { written[at[1]] = true; });
  }
  return written;
}

} // namespace orzo
