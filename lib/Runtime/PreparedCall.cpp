#include "orzo/Runtime/PreparedCall.h"
#include "Runtime/ModuleState.h"

namespace orzo {

struct PreparedCall::State {
  std::shared_ptr<const Module::State> module; ///< Keeps the code loaded.
  cpu::Program program;
};

PreparedCall::PreparedCall(std::unique_ptr<State> state) : state(std::move(state)) {}
PreparedCall::PreparedCall(PreparedCall &&) noexcept = default;
PreparedCall &PreparedCall::operator=(PreparedCall &&) noexcept = default;
PreparedCall::~PreparedCall() = default;

static std::string listed(const std::vector<int64_t> &extents) {
  std::string text;
  for (int64_t extent : extents)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "(one element)" : text;
}

static bool isMisaligned(const void *data, size_t alignment) {
  return reinterpret_cast<uintptr_t>(data) % alignment != 0;
}

/// Whether the first `aBytes` bytes of one and `bBytes` of the other share any.
static bool overlap(const void *a, int64_t aBytes, const void *b, int64_t bBytes) {
  auto aBegin = reinterpret_cast<uintptr_t>(a), bBegin = reinterpret_cast<uintptr_t>(b);
  return aBytes > 0 && bBytes > 0 && aBegin < bBegin + bBytes && bBegin < aBegin + aBytes;
}

static Status checkTensor(const TensorBinding &binding, const BufferView &view) {
  if (view.type != binding.type)
    return Status::invalidArgument("got elements of type " + std::string(name(view.type)) + ", expected " +
                                   std::string(name(binding.type)));
  if (view.shape != binding.shape)
    return Status::invalidArgument("got shape " + listed(view.shape) + ", expected " + listed(binding.shape) + " (" +
                                   binding.layout + ")");
  if (view.strides != packedStrides(binding.shape))
    return Status::invalidArgument("got strides " + listed(view.strides) + ", expected the packed " +
                                   listed(packedStrides(binding.shape)));
  if (view.buffer.bytes < binding.bytes)
    return Status::invalidArgument("got a buffer of " + std::to_string(view.buffer.bytes) +
                                   " bytes, expected at least " + std::to_string(binding.bytes));
  if (!view.buffer.data && binding.bytes > 0)
    return Status::invalidArgument("got a null pointer, expected " + std::to_string(binding.bytes) + " bytes");
  if (isMisaligned(view.buffer.data, byteSize(binding.type)))
    return Status::invalidArgument("its address is not a multiple of the element size " +
                                   std::to_string(byteSize(binding.type)));
  return {};
}

static Status checkWorkspace(Buffer workspace, int64_t needed, int threads) {
  if (workspace.bytes < needed)
    return Status::invalidArgument("got " + std::to_string(workspace.bytes) + " bytes, expected at least " +
                                   std::to_string(needed) + " for " + std::to_string(threads) + " threads");
  if (!workspace.data && needed > 0)
    return Status::invalidArgument("got a null pointer, expected " + std::to_string(needed) + " bytes");
  if (needed > 0 && isMisaligned(workspace.data, 64))
    return Status::invalidArgument("its address is not a multiple of 64");
  return {};
}

Expected<PreparedCall> PreparedCall::bind(const Module &module, std::span<const BufferView> tensors, Buffer workspace,
                                          const ThreadPool &pool) {
  const std::vector<TensorBinding> &bindings = module.bindings();
  if (tensors.size() != bindings.size()) {
    std::string names;
    for (const TensorBinding &binding : bindings)
      names += (names.empty() ? "" : ", ") + binding.name;
    return Status::invalidArgument("got " + std::to_string(tensors.size()) + " tensors, expected " +
                                   std::to_string(bindings.size()) + ": " + names);
  }
  for (size_t i = 0; i < bindings.size(); ++i)
    if (Status status = checkTensor(bindings[i], tensors[i]); !status.ok())
      return status.within("binding '" + bindings[i].name + "'");
  int64_t needed = module.workspaceBytes(pool.threads());
  if (Status status = checkWorkspace(workspace, needed, pool.threads()); !status.ok())
    return status.within("workspace");
  for (size_t i = 0; i < bindings.size(); ++i) {
    const void *data = tensors[i].buffer.data;
    if (overlap(data, bindings[i].bytes, workspace.data, needed))
      return Status::invalidArgument("binding '" + bindings[i].name + "': it overlaps the workspace");
    for (size_t j = 0; j < bindings.size(); ++j)
      if (i != j && bindings[i].isResult && overlap(data, bindings[i].bytes, tensors[j].buffer.data, bindings[j].bytes))
        return Status::invalidArgument("binding '" + bindings[i].name + "': a result must not overlap binding '" +
                                       bindings[j].name + "'");
  }
  std::vector<void *> memory;
  for (const BufferView &tensor : tensors)
    memory.push_back(tensor.buffer.data);
  const Module::State &loaded = *module.state;
  cpu::Program program(loaded.image(), loaded.kernels, memory, workspace.data, pool);
  return PreparedCall(std::make_unique<State>(State{module.state, std::move(program)}));
}

Status PreparedCall::run() const { return state->program.run(); }

} // namespace orzo
