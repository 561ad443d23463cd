#include "Import/Binding/Binding.h"

namespace orzo {

std::string_view name(ArgumentUse use) {
  switch (use) {
  case ArgumentUse::Operand:
    return "operand";
  case ArgumentUse::Destination:
    return "destination";
  case ArgumentUse::Unused:
    return "unused";
  case ArgumentUse::WaitFence:
    return "wait fence";
  case ArgumentUse::SignalFence:
    break;
  }
  return "signal fence";
}

void bindProblems(Binding &binding, std::vector<conv::BoundProblem> problems) {
  for (conv::BoundProblem &problem : problems)
    for (conv::TensorBinding &tensor : problem.tensors) {
      if (tensor.isResult)
        continue;
      for (int argument = 0; argument < static_cast<int>(binding.arguments.size()); ++argument)
        if (binding.arguments[argument].use == ArgumentUse::Operand &&
            binding.arguments[argument].tensor == tensor.index) {
          tensor.index = argument;
          break;
        }
    }
  binding.problems = std::move(problems);
}

std::string describe(const Binding &binding) {
  std::string lines = "entry @" + binding.entry + " (" + binding.frontEnd + ")";
  if (binding.coarseFences)
    lines += ", asynchronous in @" + binding.asyncEntry + " with a wait and a signal fence";
  lines += "\n";
  for (size_t number = 0; number < binding.arguments.size(); ++number) {
    const ArgumentBinding &argument = binding.arguments[number];
    lines += "argument " + std::to_string(number) + ": " + std::string(name(argument.use)) + " " + argument.type + "\n";
  }
  for (size_t number = 0; number < binding.destinations.size(); ++number)
    lines += "result " + std::to_string(number) +
             (binding.destinations[number] < 0
                  ? ": returned\n"
                  : ": written into argument " + std::to_string(binding.destinations[number]) + "\n");
  for (const conv::BoundProblem &problem : binding.problems)
    lines += std::string(name(problem.spec.direction)) + ": " + conv::describe(problem) + "\n";
  return lines;
}

} // namespace orzo
