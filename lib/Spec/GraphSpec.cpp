#include "orzo/Spec/GraphSpec.h"

#include "orzo/Spec/Canonical.h"

#include <charconv>

namespace orzo {

std::vector<GraphLoop> merged(std::vector<GraphLoop> loops) {
  std::erase_if(loops, [](const GraphLoop &loop) { return loop.extent == 1; });
  std::vector<GraphLoop> result;
  for (GraphLoop &loop : loops) {
    bool mergeable = !result.empty();
    for (size_t i = 0; mergeable && i < loop.strides.size(); ++i)
      mergeable = result.back().strides[i] == loop.strides[i] * loop.extent;
    if (!mergeable) {
      result.push_back(std::move(loop));
      continue;
    }
    result.back().extent *= loop.extent;
    result.back().strides = loop.strides;
  }
  return result;
}

const ConvSpec *onlyConvolution(const GraphSpec &graph) {
  if (graph.values.size() != 3 || graph.steps.size() != 1 || graph.steps[0].operands != std::vector<int>{0, 1} ||
      graph.values[0].kind != GraphValue::Kind::Input || graph.values[1].kind != GraphValue::Kind::Input)
    return nullptr;
  return std::get_if<ConvSpec>(&graph.steps[0].work);
}

bool isGraphText(std::string_view text) { return text.starts_with("graph."); }

static std::string valueName(int value) { return "%" + std::to_string(value); }

static std::string list(const std::vector<int> &values) {
  std::string line;
  for (int value : values)
    line += (line.empty() ? "" : ", ") + valueName(value);
  return "(" + line + ")";
}

static std::string loopText(const std::vector<GraphLoop> &loops) {
  std::string line;
  for (const GraphLoop &loop : loops) {
    line += " " + std::to_string(loop.extent);
    for (int64_t stride : loop.strides)
      line += ":" + std::to_string(stride);
  }
  return line;
}

static std::string stepText(const GraphStep &step, ElementType type) {
  std::string end = " :" + std::string(name(type));
  if (const auto *conv = std::get_if<ConvSpec>(&step.work))
    return text(*conv) + " " + list(step.operands);
  if (const auto *reduction = std::get_if<ReductionStep>(&step.work))
    return "reduce_" + std::string(name(reduction->mode)) + list(step.operands) + loopText(reduction->loops) + end;
  const auto &pointwise = std::get<PointwiseStep>(step.work);
  std::string line =
      std::string(name(pointwise.mode)) + list(step.operands) + text(pointwise.mode, pointwise.parameters);
  // Offsets are said by value: where two parts of one value are read, all of its offsets are said, in order.
  auto isSaid = [&](size_t operand) {
    for (size_t i = 0; i < pointwise.offsets.size(); ++i)
      if (step.operands[i] == step.operands[operand] && pointwise.offsets[i] != 0)
        return true;
    return false;
  };
  for (size_t i = 0; i < pointwise.offsets.size(); ++i)
    if (isSaid(i))
      line += " from " + valueName(step.operands[i]) + "+" + std::to_string(pointwise.offsets[i]);
  return line + loopText(pointwise.loops) + end;
}

static std::string constantText(const GraphValue &value) {
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, value.constant);
  return "constant " + std::string(digits, end) + ":" + std::string(name(value.type));
}

std::string text(const GraphSpec &graph) {
  if (const ConvSpec *conv = onlyConvolution(graph))
    return text(*conv);
  std::string lines = graph.strictRounding ? "graph.v1 strict-rounding\n" : "graph.v1\n";
  std::vector<const GraphStep *> makers(graph.values.size(), nullptr);
  for (const GraphStep &step : graph.steps)
    makers[step.result] = &step;
  for (int index = 0; index < static_cast<int>(graph.values.size()); ++index) {
    const GraphValue &value = graph.values[index];
    lines += valueName(index) + " = ";
    if (makers[index])
      lines += stepText(*makers[index], value.type);
    else if (value.kind == GraphValue::Kind::Constant)
      lines += constantText(value);
    else
      lines += "input " + std::to_string(value.elements) + ":" + std::string(name(value.type));
    lines += "\n";
  }
  lines += "output";
  for (int output : graph.outputs)
    lines += " " + valueName(output);
  return lines + "\n";
}

} // namespace orzo
