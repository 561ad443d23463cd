#include "Driver/BoundArtifact.h"

#include "Driver/Memory.h"

namespace orzo::driver {

Status checkMemory(const Module &module, int threads) {
  int64_t needed = module.workspaceBytes(threads);
  for (const TensorBinding &binding : module.bindings())
    if (__builtin_add_overflow(needed, binding.bytes, &needed))
      needed = INT64_MAX;
  int64_t available = availableMemory();
  if (needed <= available)
    return Status::success();
  return Status::unavailable("the tensors and the workspace need " + std::to_string(needed) +
                             " bytes, this machine has " + std::to_string(available) +
                             " bytes available; --max-bytes=" + std::to_string(available) + " skips such problems");
}

Expected<BoundArtifact> BoundArtifact::create(const Module &module, const ArtifactProblem &problem,
                                              const ThreadPool &pool, const Fill &fill) {
  BoundArtifact bound(module, problem);
  std::vector<BufferView> views;
  for (const TensorBinding &binding : module.bindings()) {
    Expected<GuardedBuffer> buffer =
        GuardedBuffer::allocate(static_cast<size_t>(binding.bytes + binding.bytes % 2)); // Poison comes in pairs.
    if (!buffer)
      return buffer.status().within(binding.name);
    if (!binding.isResult)
      fill(binding, buffer->data());
    views.push_back(binding.view({buffer->data(), binding.bytes}));
    bound.buffers.push_back(buffer.take());
  }
  Expected<Workspace> workspace = Workspace::allocate(module.workspaceBytes(pool.threads()));
  if (!workspace)
    return workspace.status();
  bound.workspace = workspace.take();
  Expected<PreparedCall> call = PreparedCall::bind(module, views, bound.workspace.buffer(), pool);
  if (!call)
    return call.status();
  bound.call = call.take();
  return bound;
}

VerifyResult BoundArtifact::verify(const VerifyOptions &options, std::vector<std::string> &notes) const {
  std::vector<const GuardedBuffer *> memory;
  for (const GuardedBuffer &buffer : buffers)
    memory.push_back(&buffer);
  return problem.verify(module.bindings(), memory, options, notes);
}

const GuardedBuffer &BoundArtifact::result() const {
  size_t index = 0;
  while (!module.bindings()[index].isResult)
    ++index;
  return buffers[index];
}

} // namespace orzo::driver
