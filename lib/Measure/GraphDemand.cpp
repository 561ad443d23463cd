#include "Measure/GraphDemand.h"

#include "Reference/Evaluate.h"
#include "Reference/LoopWalk.h"

#include <algorithm>

namespace orzo {

Demand demandAll(const GraphSpec &graph) { return Demand(graph.values.size()); }

namespace {

/// Passes what a step's result needs on to its operands.
class DemandWalk {
public:
  DemandWalk(const GraphSpec &graph, Demand &demand) : graph(graph), demand(demand), untouched(graph.values.size()) {
    for (size_t value = 0; value < demand.size(); ++value)
      untouched[value] = true;
  }

  void want(int value, const std::vector<int64_t> &elements) {
    std::vector<bool> &need = listOf(value);
    if (need.empty())
      return;
    for (int64_t element : elements)
      need[element] = true;
  }

  void run() {
    for (auto step = graph.steps.rbegin(); step != graph.steps.rend(); ++step)
      if (!untouched[step->result])
        pass(*step);
    // What nothing needs is needed nowhere.
    for (size_t value = 0; value < demand.size(); ++value)
      if (untouched[value])
        demand[value].assign(graph.values[value].elements, false);
  }

private:
  void wantAll(int value) {
    untouched[value] = false;
    demand[value].clear();
  }

  std::vector<bool> &listOf(int value) {
    if (untouched[value])
      demand[value].assign(graph.values[value].elements, false);
    untouched[value] = false;
    return demand[value];
  }

  void pass(const GraphStep &step) {
    if (std::holds_alternative<ConvSpec>(step.work) || demand[step.result].empty()) {
      for (int operand : step.operands)
        wantAll(operand);
      return;
    }
    const auto *pointwise = std::get_if<PointwiseStep>(&step.work);
    const std::vector<GraphLoop> &loops = pointwise ? pointwise->loops : std::get<ReductionStep>(step.work).loops;
    std::vector<int64_t> begins =
        pointwise ? reference::beginsOf(*pointwise, step.operands.size()) : std::vector<int64_t>{0, 0};
    for (int operand : step.operands)
      listOf(operand);
    const std::vector<bool> &need = demand[step.result];
    reference::walk(loops, begins, [&](const std::vector<int64_t> &at) {
      if (!need[at.back()])
        return;
      for (size_t i = 0; i < step.operands.size(); ++i)
        if (std::vector<bool> &operand = demand[step.operands[i]]; !operand.empty())
          operand[at[i]] = true;
    });
  }

  const GraphSpec &graph;
  Demand &demand;
  std::vector<bool> untouched;
};

} // namespace

Demand demandFor(const GraphSpec &graph, const std::vector<std::vector<int64_t>> &wanted) {
  Demand demand(graph.values.size());
  DemandWalk walk(graph, demand);
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    walk.want(graph.outputs[i], wanted[i]);
  walk.run();
  return demand;
}

double estimateSeconds(const GraphSpec &graph, const Demand &demand, int threads) {
  double seconds = 0;
  for (const GraphStep &step : graph.steps) {
    const std::vector<bool> &need = demand[step.result];
    auto all = static_cast<double>(std::max<int64_t>(1, graph.values[step.result].elements));
    double part = need.empty() ? 1 : static_cast<double>(std::ranges::count(need, true)) / all;
    if (const auto *conv = std::get_if<ConvSpec>(&step.work)) {
      if (part > 0) // Widening the operands costs the same for every part; three passes, two of them for errors.
        seconds += 3 * (part * reference::estimateSeconds(*conv, threads) +
                        static_cast<double>(conv->elementCount(Role::X) + conv->elementCount(Role::W)) * 1e-8);
      continue;
    }
    double count = 1;
    const auto *pointwise = std::get_if<PointwiseStep>(&step.work);
    for (const GraphLoop &loop : pointwise ? pointwise->loops : std::get<ReductionStep>(step.work).loops)
      count *= static_cast<double>(loop.extent);
    seconds += count * (1e-8 + 1e-7 * part);
  }
  return seconds;
}

std::vector<int64_t> elementsIn(const std::vector<bool> &need) {
  std::vector<int64_t> elements;
  for (size_t element = 0; element < need.size(); ++element)
    if (need[element])
      elements.push_back(static_cast<int64_t>(element));
  return elements;
}

} // namespace orzo
