#include "Api/GraphBindings.h"

#include <charconv>

namespace orzo::graph {

namespace {

/// The value whose number the text behind a '%' begins with, and how many digits that has.
struct ValueNumber {
  int value = -1;
  size_t digits = 0;
};

ValueNumber numberAt(std::string_view text, const GraphProblem &problem) {
  ValueNumber number;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (error != std::errc() || number.value < 0 || number.value >= static_cast<int>(problem.tensors.size()))
    return {};
  number.digits = static_cast<size_t>(end - text.data());
  return number;
}

/// The value of `problem` that `binding` is of; -1 where it is of none.
int valueOf(const TensorBinding &binding, const GraphProblem &problem, const ConvSpec *convolution) {
  const GraphStep &step = problem.spec.steps.front();
  if (convolution) {
    if (!binding.role)
      return -1;
    if (*binding.role == resultRole(convolution->direction))
      return step.result;
    return step.operands[operandRoles(convolution->direction)[0] == *binding.role ? 0 : 1];
  }
  if (binding.role || !binding.name.starts_with('%'))
    return -1;
  std::string_view digits = std::string_view(binding.name).substr(1);
  ValueNumber number = numberAt(digits, problem);
  return number.digits == digits.size() ? number.value : -1;
}

bool fits(const TensorBinding &binding, const GraphValue &value, const ConvSpec *convolution) {
  using Kind = GraphValue::Kind;
  int64_t elements = 1;
  for (int64_t extent : binding.shape)
    elements *= extent; // The artifact was checked: it does not overflow.
  if (convolution && binding.shape != convolution->shape(*binding.role))
    return false;
  return binding.type == value.type && elements == value.elements &&
         value.kind == (binding.isResult ? Kind::Output : Kind::Input);
}

} // namespace

Expected<std::vector<TensorPtr>> tensorsOf(std::span<const TensorBinding> bindings, const GraphProblem &problem) {
  const GraphSpec &spec = problem.spec;
  const ConvSpec *convolution = onlyConvolution(spec);
  std::vector<TensorPtr> tensors;
  std::vector<bool> bound(spec.values.size());
  for (const TensorBinding &binding : bindings) {
    int value = valueOf(binding, problem, convolution);
    if (value < 0 || bound[value] || !fits(binding, spec.values[value], convolution))
      return Status::invalidArgument("the artifact's binding '" + binding.name + "' does not fit");
    bound[value] = true;
    tensors.push_back(problem.tensors[value]);
  }
  for (size_t value = 0; value < bound.size(); ++value) {
    bool hasMemory =
        spec.values[value].kind == GraphValue::Kind::Input || spec.values[value].kind == GraphValue::Kind::Output;
    if (hasMemory && !bound[value])
      return Status::invalidArgument("the artifact has no binding for tensor '" + problem.tensors[value]->getName() +
                                     "'");
  }
  return tensors;
}

std::string inWordsOf(const GraphProblem &problem, std::string_view message) {
  std::string words;
  while (!message.empty()) {
    size_t at = message.find('%');
    words += message.substr(0, at);
    if (at == std::string_view::npos)
      break;
    message.remove_prefix(at + 1);
    words += '%';
    ValueNumber number = numberAt(message, problem);
    if (number.value < 0)
      continue;
    words += message.substr(0, number.digits);
    message.remove_prefix(number.digits);
    words += " (tensor '" + problem.tensors[number.value]->getName() + "'";
    for (size_t step = 0; step < problem.spec.steps.size(); ++step)
      if (problem.spec.steps[step].result == number.value)
        words += " of " + problem.nodes[step];
    words += ")";
  }
  return words;
}

} // namespace orzo::graph
