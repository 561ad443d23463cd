#include "ProblemRun.h"

#include "orzo/Spec/Canonical.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace orzo::conformance {

template <typename T> static T orAbort(Expected<T> expected) {
  if (!expected) {
    std::fprintf(stderr, "conformance: %s\n", expected.status().message().c_str());
    std::abort();
  }
  return expected.take();
}

static std::array<GuardedBuffer, 3> allocate(const ConvSpec &spec, GuardedBuffer::Placement placement) {
  auto one = [&](Role role) {
    return orAbort(GuardedBuffer::allocate(static_cast<size_t>(spec.byteCount(role)), placement));
  };
  return {one(Role::X), one(Role::W), one(Role::Y)};
}

ProblemTensors::ProblemTensors(const ConvSpec &spec, const RunOptions &options)
    : spec(spec), buffers(allocate(spec, options.placement)) {
  for (Role role : operandRoles(spec.direction))
    generate(options.data, options.seed, spec, role, data(role));
}

std::vector<uint8_t> ProblemTensors::bytes(Role role) {
  const auto *begin = static_cast<const uint8_t *>(data(role));
  return {begin, begin + buffer(role).size()};
}

VerifyResult ProblemTensors::verify(const VerifyOptions &options) const {
  const NamedBuffer named[] = {{"x", &buffers[0]}, {"w", &buffers[1]}, {"y", &buffers[2]}};
  return orzo::verify(spec, {buffers[0].data(), buffers[1].data(), buffers[2].data()}, options, named);
}

/// Pools are kept: starting threads is slow and not what these tests are about.
static const ThreadPool &poolOf(int threads) {
  static std::array<std::optional<ThreadPool>, 8> pools;
  std::optional<ThreadPool> &pool = pools[static_cast<size_t>(threads)];
  if (!pool)
    pool = orAbort(ThreadPool::create(threads));
  return *pool;
}

/// Poisoned, as long as `module` needs, ending at a guard page.
static GuardedBuffer workspaceOf(const Module &module, int threads) {
  int64_t bytes = (module.workspaceBytes(threads) + 63) / 64 * 64;
  return orAbort(GuardedBuffer::allocate(static_cast<size_t>(bytes)));
}

static Status runBound(const Module &module, std::span<const BufferView> views, GuardedBuffer &workspace, int threads) {
  Buffer memory = {workspace.data(), static_cast<int64_t>(workspace.size())};
  Expected<PreparedCall> call = PreparedCall::bind(module, views, memory, poolOf(threads));
  if (!call)
    return call.status();
  if (Status status = call->run(); !status.ok())
    return status;
  if (int64_t offset = workspace.checkCanary())
    return Status::internal("memory " + std::to_string(offset) + " bytes from the workspace was overwritten");
  return Status::success();
}

static std::vector<BufferView> viewsOf(const Module &module, ProblemTensors &tensors) {
  std::vector<BufferView> views;
  for (const TensorBinding &binding : module.bindings()) {
    GuardedBuffer &buffer = tensors.buffer(*binding.role);
    views.push_back(binding.view({buffer.data(), static_cast<int64_t>(buffer.size())}));
  }
  return views;
}

Status runOnce(const Module &module, ProblemTensors &tensors, int threads) {
  tensors.buffer(resultRole(tensors.spec.direction)).poison();
  GuardedBuffer workspace = workspaceOf(module, threads);
  return runBound(module, viewsOf(module, tensors), workspace, threads);
}

/// Status or verification in words; empty when both are good.
static std::string complaint(const Status &status, const ProblemTensors &tensors, const RunOptions &options) {
  if (!status.ok())
    return status.message();
  VerifyOptions how;
  how.mode = options.verify;
  how.exact = isExact(options.data);
  how.fullSeconds = options.fullSeconds;
  VerifyResult result = tensors.verify(how);
  if (result.status == "ok")
    return "";
  return std::string(name(options.data)) + " data: " + result.status + " (" + result.mode + "): " + result.message;
}

std::string checkRun(const Module &module, const RunOptions &options) {
  Expected<ConvSpec> spec = parseConvSpec(module.problem());
  if (!spec)
    return spec.status().message();
  ProblemTensors tensors(*spec, options);
  Role result = resultRole(spec->direction);
  auto [first, second] = operandRoles(spec->direction);
  std::vector<uint8_t> firstBytes = tensors.bytes(first), secondBytes = tensors.bytes(second);
  auto operandsKept = [&] {
    bool kept = tensors.bytes(first) == firstBytes && tensors.bytes(second) == secondBytes;
    return std::string(kept ? "" : "an operand was written");
  };
  if (std::string wrong = complaint(runOnce(module, tensors, options.once ? 3 : 1), tensors, options); !wrong.empty())
    return wrong;
  if (options.once)
    return operandsKept();
  std::vector<uint8_t> bits = tensors.bytes(result);
  for (const char *which : {"first", "second"}) {
    if (Status status = runOnce(module, tensors, 3); !status.ok())
      return status.message();
    if (tensors.bytes(result) != bits)
      return std::string("the ") + which + " run on 3 threads gives other bits than the one on 1 thread";
  }
  return operandsKept();
}

Counters countersOf(const ArtifactImage &image) {
  Counters counters;
  for (const ArtifactStep &step : image.steps) {
    counters.flopsExecuted += step.flopsExecuted;
    counters.flopsTile += step.flopsTile;
    counters.dispatches += step.kind == ArtifactStep::Kind::Dispatch;
    counters.fills += step.kind == ArtifactStep::Kind::Fill;
    counters.copies += step.kind == ArtifactStep::Kind::Copy;
  }
  return counters;
}

std::string checkCounts(const Module &module, const RunOptions &options) {
  Expected<ConvSpec> spec = parseConvSpec(module.problem());
  if (!spec)
    return spec.status().message();
  ProblemTensors tensors(*spec, options);
  GuardedBuffer workspace = workspaceOf(module, 1);
  Status status = runBound(module, viewsOf(module, tensors), workspace, 1);
  if (std::string wrong = complaint(status, tensors, options); !wrong.empty())
    return "counting: " + wrong;
  const ArtifactImage &image = module.image();
  const ArtifactSlot &slot = image.slots[image.steps.back().slots.back()];
  std::array<int64_t, 2> counted = {-1, -1};
  if (slot.binding >= 0 || slot.bytes != sizeof counted)
    return "the last step's last slot is not one of two counters";
  std::memcpy(counted.data(), static_cast<const char *>(workspace.data()) + slot.workspaceOffset, sizeof counted);
  Counters reported = countersOf(image);
  if (2 * counted[0] != reported.flopsExecuted || 2 * counted[1] != reported.flopsTile)
    return "counted 2*" + std::to_string(counted[0]) + " FLOPs and 2*" + std::to_string(counted[1]) +
           " in tile tails, reported " + std::to_string(reported.flopsExecuted) + " and " +
           std::to_string(reported.flopsTile);
  return "";
}

} // namespace orzo::conformance
