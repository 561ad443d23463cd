#include "Dialect/Conv/Binding.h"

namespace orzo::conv {

std::string describe(const BoundProblem &problem) {
  std::string line;
  for (Role role : {Role::X, Role::W, Role::Y}) {
    const TensorBinding &tensor = problem.tensors[static_cast<int>(role)];
    std::string shape;
    for (int64_t extent : tensor.shape)
      shape += (shape.empty() ? "" : "x") + std::to_string(extent);
    line += (line.empty() ? "" : ", ") + std::string(orzo::name(role)) + " is " +
            (tensor.isResult ? "result " : "argument ") + std::to_string(tensor.index) + " (" + shape + ", read as " +
            text(problem.spec.layout(role), role, problem.spec.rank()) + ")";
  }
  return line;
}

} // namespace orzo::conv
