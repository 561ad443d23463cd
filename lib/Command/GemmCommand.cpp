#include "Command/GemmCommand.h"

namespace orzo {

/// Direction, label and mask bit by -F.
static Expected<DriverProblem> readDirection(const FlagValues &values) {
  auto forw = values.integer(Flag::Forw);
  if (!forw)
    return forw.status();
  DriverProblem problem{{}, "gemm", 1};
  std::string got = values.described(Flag::Forw);
  if (values.dialect() == Dialect::MIOpen) {
    if (*forw != 0 && *forw != 1)
      return Status::unsupported(got + ": MIOpenDriver's gemm has no backward; 0 and 1 are the product");
    return problem;
  }
  if (*forw < 1 || *forw > 3)
    return Status::invalidArgument(got + ": must be 1 (C), 2 (dA) or 3 (dB)");
  if (*forw == 2)
    problem = {{}, "gemm dA", 2}, problem.spec.direction = Direction::DGrad;
  if (*forw == 3)
    problem = {{}, "gemm dB", 4}, problem.spec.direction = Direction::WGrad;
  return problem;
}

static Status requireFactor(const FlagValues &values, Flag flag, double only) {
  auto factor = values.real(flag);
  if (!factor)
    return factor.status();
  if (*factor != only)
    return Status::unsupported(values.described(flag) + ": " +
                               std::string(rowOf(flag, values.dialect(), Family::Gemm).meaning) + " other than " +
                               (only == 1 ? "1" : "0") + " is not supported");
  return Status::success();
}

Expected<std::vector<DriverProblem>> gemmProblems(const FlagValues &values) {
  auto problem = readDirection(values);
  if (!problem)
    return problem.status();
  for (auto [flag, only] : {std::pair(Flag::Alpha, 1.0), std::pair(Flag::Beta, 0.0)})
    if (Status status = requireFactor(values, flag, only); !status.ok())
      return status;
  auto m = values.size(Flag::GemmM, 0), n = values.size(Flag::GemmN, 1), k = values.size(Flag::GemmK, 1),
       batch = values.size(Flag::GemmBatch, 1);
  for (const auto *size : {&m, &n, &k, &batch})
    if (!size->ok())
      return size->status();
  auto transA = values.boolean(Flag::TransA), transB = values.boolean(Flag::TransB),
       colMajor = values.boolean(Flag::ColMajor);
  for (const auto *choice : {&transA, &transB, &colMajor})
    if (!choice->ok())
      return choice->status();

  ConvSpec &spec = problem->spec;
  spec.n = *m;
  spec.c = *k * *batch;
  spec.k = *n * *batch;
  spec.groups = *batch;
  DataType type = values.base().type;
  spec.types = {type, type, type};
  auto matrix = [&](Axis row, Axis column, bool transposed) {
    Layout layout = transposed != *colMajor ? Layout{column, row} : Layout{row, column};
    if (*batch > 1)
      layout.insert(layout.begin(), Axis::G);
    return layout;
  };
  spec.layouts = {matrix(Axis::N, Axis::C, *transA), matrix(Axis::C, Axis::K, *transB),
                  matrix(Axis::N, Axis::K, false)};
  return std::vector<DriverProblem>{problem.take()};
}

} // namespace orzo
