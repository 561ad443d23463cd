// ArtifactProblem: what an artifact computes - a convolution, a graph, or what stays linalg - as far as running and
// reporting it goes: what its tensors are filled with, what is right, what it costs at least.
#pragma once

#include "Measure/DataGenerator.h"
#include "Measure/Report.h"
#include "Measure/Verification.h"
#include "orzo/Runtime/Module.h"
#include "orzo/Spec/GraphSpec.h"

#include <span>
#include <variant>

namespace orzo::driver {

/// What is compiled as it is written ("linalg.v1 ..."): there is nothing to hold its results against.
struct WrittenProblem {
  std::vector<std::string> names; ///< Of the bindings.
  GraphSpec memory;               ///< An input for each.
};

class ArtifactProblem {
public:
  /// The problem that `text` is, checked. InvalidArgument where it is none.
  static Expected<ArtifactProblem> parse(const std::string &text);

  /// The module's problem, with bindings that fit it: data and oracle follow the problem. InvalidArgument where they do
  /// not.
  static Expected<ArtifactProblem> of(const Module &module);

  /// Null for all else.
  const ConvSpec *convolution() const { return std::get_if<ConvSpec>(&problem); }

  /// Direction (where the report has none yet), useful and padding FLOPs, least bytes; `lowering` is the artifact's.
  void describe(const std::string &lowering, ProblemReport &report) const;

  /// Fills the operand that `binding` is.
  void fill(DataKind kind, uint64_t seed, const TensorBinding &binding, void *data, int threads) const;

  /// The results against the oracle; `buffers` are in the order of `bindings`. Adds to `notes` what was not compared.
  VerifyResult verify(std::span<const TensorBinding> bindings, std::span<const GuardedBuffer *const> buffers,
                      const VerifyOptions &options, std::vector<std::string> &notes) const;

  using Problem = std::variant<ConvSpec, GraphSpec, WrittenProblem>;
  explicit ArtifactProblem(Problem problem) : problem(std::move(problem)) {}

private:
  Status checkBindings(const Module &module) const;
  Problem problem;
};

} // namespace orzo::driver
