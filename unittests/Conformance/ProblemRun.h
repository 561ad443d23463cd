// ProblemRun: one compiled problem through the runtime - guarded, poisoned, verified, repeated, counted.
#pragma once

#include "Measure/DataGenerator.h"
#include "Measure/GuardedBuffer.h"
#include "Measure/Verification.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Runtime/PreparedCall.h"

#include <array>
#include <string>
#include <vector>

namespace orzo::conformance {

struct RunOptions {
  DataKind data = DataKind::Integer;
  GuardedBuffer::Placement placement = GuardedBuffer::Placement::EndsAtGuard;
  VerifyMode verify = VerifyMode::Full;
  double fullSeconds = 0.5; ///< Of VerifyMode::Auto.
  uint64_t seed = 1;
  bool once = false; ///< One run on 3 threads, verified, and no more: for problems whose runs take seconds.
};

/// The tensors of one problem in guarded memory, by Role: operands generated, the result poisoned.
class ProblemTensors {
public:
  ProblemTensors(const ConvSpec &spec, const RunOptions &options);

  void *data(Role role) { return buffers[static_cast<int>(role)].data(); }
  GuardedBuffer &buffer(Role role) { return buffers[static_cast<int>(role)]; }
  std::vector<uint8_t> bytes(Role role);

  VerifyResult verify(const VerifyOptions &options) const;

  const ConvSpec spec;

private:
  std::array<GuardedBuffer, 3> buffers;
};

/// Poisons the result of `tensors` and runs `module` once on `threads` threads, in a poisoned workspace that ends at a
/// guard page.
Status runOnce(const Module &module, ProblemTensors &tensors, int threads);

/// The whole check of one module: runs on 1 thread and verifies, then runs on 3 threads, and on 3 again, and wants the
/// same bits (unless `once`); wants operands as they were. Empty when all is well, else what is wrong.
std::string checkRun(const Module &module, const RunOptions &options);

/// Sums over the steps of an image.
struct Counters {
  int64_t flopsExecuted = 0, flopsTile = 0;
  int dispatches = 0, fills = 0, copies = 0;
};
Counters countersOf(const ArtifactImage &image);

/// Compares reported FLOPs with the multiply-adds that kernels count while they run: `module` is one compiled with
/// count_multiply_adds, whose program keeps two counters in the last slot of its last step. Runs on one thread and
/// verifies the result too. Empty when all is well.
std::string checkCounts(const Module &module, const RunOptions &options);

} // namespace orzo::conformance
