#include "Driver/BoundArtifact.h"

#include "Driver/Memory.h"
#include "orzo/Spec/Canonical.h"

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

Expected<ConvSpec> problemOf(const Module &module) {
  Expected<ConvSpec> spec = parseConvSpec(module.problem());
  if (!spec)
    return spec.status().within("the artifact's problem");
  if (Status status = validate(*spec); !status.ok())
    return status.within("the artifact's problem");
  for (const TensorBinding &binding : module.bindings()) {
    if (!binding.role || binding.type != toElementType(spec->type(*binding.role)) ||
        binding.shape != spec->shape(*binding.role) ||
        binding.isResult != (binding.role == resultRole(spec->direction)))
      return Status::invalidArgument("the artifact's binding " + binding.name + " does not fit its problem " +
                                     module.problem());
  }
  if (module.bindings().size() != 3)
    return Status::invalidArgument("the artifact has " + std::to_string(module.bindings().size()) +
                                   " bindings, its problem has 3");
  return spec;
}

Expected<BoundArtifact> BoundArtifact::create(const Module &module, const ConvSpec &spec, const ThreadPool &pool,
                                              const Fill &fill) {
  BoundArtifact bound(module, spec);
  std::vector<BufferView> views;
  for (const TensorBinding &binding : module.bindings()) {
    Expected<GuardedBuffer> buffer = GuardedBuffer::allocate(static_cast<size_t>(binding.bytes));
    if (!buffer)
      return buffer.status().within(binding.name);
    if (!binding.isResult)
      fill(*binding.role, buffer->data());
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

VerifyResult BoundArtifact::verify(const VerifyOptions &options) const {
  reference::Tensors tensors = {};
  std::vector<NamedBuffer> named;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const TensorBinding &binding = module.bindings()[i];
    tensors[static_cast<int>(*binding.role)] = buffers[i].data();
    named.push_back({binding.name, &buffers[i]});
  }
  return orzo::verify(spec, tensors, options, named);
}

const GuardedBuffer &BoundArtifact::result() const {
  size_t index = 0;
  while (!module.bindings()[index].isResult)
    ++index;
  return buffers[index];
}

} // namespace orzo::driver
