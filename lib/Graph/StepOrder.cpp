#include "Graph/StepOrder.h"

#include "orzo/Support/Sha256.h"

#include <algorithm>
#include <set>

namespace orzo::graph {

namespace {

class Colouring {
public:
  explicit Colouring(const GraphSpec &spec) : spec(spec), maker(spec.values.size(), -1), users(spec.values.size()) {
    for (int i = 0; i < static_cast<int>(spec.steps.size()); ++i) {
      maker[spec.steps[i].result] = i;
      for (size_t position = 0; position < spec.steps[i].operands.size(); ++position)
        users[spec.steps[i].operands[position]].emplace_back(i, static_cast<int>(position));
    }
    for (size_t value = 0; value < spec.values.size(); ++value)
      colours.push_back(hash(ownText(static_cast<int>(value))));
    for (size_t different = 0;;) {
      size_t now = std::set<std::string>(colours.begin(), colours.end()).size();
      if (now == different)
        break;
      different = now;
      refine();
    }
  }

  const std::string &of(int value) const { return colours[value]; }
  int makerOf(int value) const { return maker[value]; }

private:
  static std::string hash(const std::string &text) {
    Sha256 sha;
    sha.update(text);
    Sha256Digest digest = sha.finish();
    return std::string(digest.begin(), digest.end());
  }

  /// A value by itself: its own line of the text of a graph that has nothing else, operands unnamed.
  std::string ownText(int value) const {
    const GraphValue &info = spec.values[value];
    std::string line = std::to_string(int(info.kind)) + " " + std::to_string(int(info.type)) + " " +
                       std::to_string(info.elements) + " " + std::to_string(info.constant);
    if (maker[value] < 0)
      return line;
    GraphSpec alone;
    GraphStep step = spec.steps[maker[value]];
    // Operand strides belong to operands: they join where operands are listed, so that sorting does not part them.
    if (auto *pointwise = std::get_if<PointwiseStep>(&step.work); pointwise && isCommutative(pointwise->mode)) {
      for (GraphLoop &loop : pointwise->loops)
        std::fill(loop.strides.begin(), loop.strides.end() - 1, 0);
      std::fill(pointwise->offsets.begin(), pointwise->offsets.end(), 0);
    }
    alone.values.assign(step.operands.size() + 1, GraphValue{GraphValue::Kind::Constant, {}, 1, 0});
    for (size_t i = 0; i < step.operands.size(); ++i)
      step.operands[i] = static_cast<int>(i);
    step.result = static_cast<int>(step.operands.size());
    alone.values[step.result] = info;
    alone.steps.push_back(std::move(step));
    return line + orzo::text(alone);
  }

  /// How operand `position` of a step is read.
  static std::string access(const GraphStep &step, int position) {
    const auto *pointwise = std::get_if<PointwiseStep>(&step.work);
    if (!pointwise)
      return std::to_string(position);
    std::string line;
    for (const GraphLoop &loop : pointwise->loops)
      line += ":" + std::to_string(loop.strides[position]);
    line += "+" + std::to_string(pointwise->offsets[position]);
    return isCommutative(pointwise->mode) ? line : line + "@" + std::to_string(position);
  }

  void refine() {
    std::vector<std::string> next;
    for (int value = 0; value < static_cast<int>(colours.size()); ++value) {
      std::string line = colours[value];
      std::vector<std::string> around;
      if (maker[value] >= 0) {
        const GraphStep &step = spec.steps[maker[value]];
        for (size_t i = 0; i < step.operands.size(); ++i)
          around.push_back("<" + access(step, static_cast<int>(i)) + colours[step.operands[i]]);
      }
      for (auto [user, position] : users[value])
        around.push_back(">" + access(spec.steps[user], position) + colours[spec.steps[user].result]);
      std::sort(around.begin(), around.end());
      for (const std::string &each : around)
        line += each;
      next.push_back(hash(line));
    }
    colours = std::move(next);
  }

  const GraphSpec &spec;
  std::vector<int> maker;                              ///< Step that makes a value, or -1.
  std::vector<std::vector<std::pair<int, int>>> users; ///< (step, operand position) that read a value.
  std::vector<std::string> colours;
};

/// Exchanges the two operands of a commutative step.
void exchange(GraphStep &step) {
  auto &pointwise = std::get<PointwiseStep>(step.work);
  std::swap(step.operands[0], step.operands[1]);
  std::swap(pointwise.offsets[0], pointwise.offsets[1]);
  for (GraphLoop &loop : pointwise.loops)
    std::swap(loop.strides[0], loop.strides[1]);
}

void sortOperands(GraphSpec &spec, const Colouring &colouring) {
  for (GraphStep &step : spec.steps) {
    const auto *pointwise = std::get_if<PointwiseStep>(&step.work);
    if (!pointwise || !isCommutative(pointwise->mode))
      continue;
    auto key = [&](int i) {
      std::vector<int64_t> strides;
      for (const GraphLoop &loop : pointwise->loops)
        strides.push_back(-loop.strides[i]); // What moves most comes first: the tensor before its bias.
      strides.push_back(pointwise->offsets[i]);
      return std::pair(strides, colouring.of(step.operands[i]));
    };
    if (key(1) < key(0))
      exchange(step);
  }
}

} // namespace

GraphProblem inCanonicalOrder(GraphProblem problem) {
  Colouring colouring(problem.spec);
  sortOperands(problem.spec, colouring);
  std::stable_sort(problem.spec.outputs.begin(), problem.spec.outputs.end(),
                   [&](int a, int b) { return colouring.of(a) < colouring.of(b); });

  GraphProblem result;
  result.spec.strictRounding = problem.spec.strictRounding;
  std::vector<int> numbers(problem.spec.values.size(), -1);
  auto number = [&](int value) {
    numbers[value] = static_cast<int>(result.spec.values.size());
    result.spec.values.push_back(problem.spec.values[value]);
    result.tensors.push_back(problem.tensors[value]);
  };
  std::vector<std::pair<int, size_t>> stack; // A value, and how many of its operands are done.
  auto visit = [&](int root) {
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto &[value, done] = stack.back();
      int maker = colouring.makerOf(value);
      if (numbers[value] >= 0) {
        stack.pop_back();
      } else if (maker >= 0 && done < problem.spec.steps[maker].operands.size()) {
        int operand = problem.spec.steps[maker].operands[done++];
        stack.emplace_back(operand, 0);
      } else {
        number(value);
        if (maker >= 0) {
          GraphStep step = problem.spec.steps[maker];
          for (int &operand : step.operands)
            operand = numbers[operand];
          step.result = numbers[value];
          result.spec.steps.push_back(std::move(step));
          result.nodes.push_back(problem.nodes[maker]);
        }
        stack.pop_back();
      }
    }
  };
  for (int output : problem.spec.outputs) {
    visit(output);
    result.spec.outputs.push_back(numbers[output]);
  }
  return result;
}

} // namespace orzo::graph
