// BoundArtifact: a loaded artifact with memory of its own - operands filled, results poisoned, guard pages around -
// ready to run and to be verified.
#pragma once

#include "Driver/ArtifactProblem.h"
#include "orzo/Runtime/PreparedCall.h"
#include "orzo/Runtime/Workspace.h"

#include <functional>
#include <optional>
#include <vector>

namespace orzo::driver {

class BoundArtifact {
public:
  /// Fills the operand `binding` of the artifact's problem at `data`.
  using Fill = std::function<void(const TensorBinding &binding, void *data)>;

  /// Binds `module`, whose problem is `problem`, to fresh memory. Unavailable: not enough memory.
  static Expected<BoundArtifact> create(const Module &module, const ArtifactProblem &problem, const ThreadPool &pool,
                                        const Fill &fill);

  Status run() const { return call->run(); }

  /// The results against the oracle, and every buffer's canaries; adds to `notes` what was not compared.
  VerifyResult verify(const VerifyOptions &options, std::vector<std::string> &notes) const;

  /// The first result's memory.
  const GuardedBuffer &result() const;

private:
  BoundArtifact(Module module, ArtifactProblem problem) : module(std::move(module)), problem(std::move(problem)) {}

  Module module;
  ArtifactProblem problem;
  std::vector<GuardedBuffer> buffers; ///< In the order of the module's bindings.
  Workspace workspace;
  std::optional<PreparedCall> call;
};

/// Unavailable where `module` on `threads` threads needs more memory than this machine has left, both named.
Status checkMemory(const Module &module, int threads);

} // namespace orzo::driver
