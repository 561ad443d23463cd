// BoundArtifact: a loaded artifact with memory of its own - operands filled, results poisoned, guard pages around -
// ready to run and to be verified.
#pragma once

#include "Measure/GuardedBuffer.h"
#include "Measure/Verification.h"
#include "orzo/Runtime/PreparedCall.h"
#include "orzo/Runtime/Workspace.h"
#include "orzo/Spec/ConvSpec.h"

#include <functional>
#include <optional>
#include <vector>

namespace orzo::driver {

class BoundArtifact {
public:
  /// Fills the operand `role` of the artifact's problem at `data`.
  using Fill = std::function<void(Role role, void *data)>;

  /// Binds `module`, whose problem is `spec`, to fresh memory. Unavailable: not enough memory.
  static Expected<BoundArtifact> create(const Module &module, const ConvSpec &spec, const ThreadPool &pool,
                                        const Fill &fill);

  Status run() const { return call->run(); }

  /// The result against the oracle, and every buffer's canaries.
  VerifyResult verify(const VerifyOptions &options) const;

  /// The result's memory.
  const GuardedBuffer &result() const;

private:
  BoundArtifact(Module module, ConvSpec spec) : module(std::move(module)), spec(std::move(spec)) {}

  Module module;
  ConvSpec spec;
  std::vector<GuardedBuffer> buffers; ///< In the order of the module's bindings.
  Workspace workspace;
  std::optional<PreparedCall> call;
};

/// The artifact's problem, checked, with bindings that fit it: data and oracle follow the problem. InvalidArgument
/// where they do not.
Expected<ConvSpec> problemOf(const Module &module);

/// Unavailable where `module` on `threads` threads needs more memory than this machine has left, both named.
Status checkMemory(const Module &module, int threads);

} // namespace orzo::driver
