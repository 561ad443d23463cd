#include "orzo/Runtime/PreparedCall.h"
#include "Runtime/ModuleState.h"

#include <variant>

namespace orzo {

struct PreparedCall::State {
  std::shared_ptr<const Module::State> module; ///< Keeps the code loaded.
  std::variant<cpu::Program, cuda::Program> program;
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

static Status checkWorkspace(Buffer workspace, int64_t needed, const std::string &purpose, size_t alignment) {
  if (workspace.bytes < needed)
    return Status::invalidArgument("got " + std::to_string(workspace.bytes) + " bytes, expected at least " +
                                   std::to_string(needed) + purpose);
  if (!workspace.data && needed > 0)
    return Status::invalidArgument("got a null pointer, expected " + std::to_string(needed) + " bytes");
  if (needed > 0 && isMisaligned(workspace.data, alignment))
    return Status::invalidArgument("its address is not a multiple of " + std::to_string(alignment));
  return {};
}

static Status checkTensors(const std::vector<TensorBinding> &bindings, std::span<const BufferView> tensors) {
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
  return {};
}

static Status checkOverlap(const std::vector<TensorBinding> &bindings, std::span<const BufferView> tensors,
                           const void *workspace, int64_t workspaceBytes) {
  for (size_t i = 0; i < bindings.size(); ++i) {
    const void *data = tensors[i].buffer.data;
    if (overlap(data, bindings[i].bytes, workspace, workspaceBytes))
      return Status::invalidArgument("binding '" + bindings[i].name + "': it overlaps the workspace");
    for (size_t j = 0; j < bindings.size(); ++j)
      if (i != j && bindings[i].isResult && overlap(data, bindings[i].bytes, tensors[j].buffer.data, bindings[j].bytes))
        return Status::invalidArgument("binding '" + bindings[i].name + "': a result must not overlap binding '" +
                                       bindings[j].name + "'");
  }
  return {};
}

static std::vector<void *> addresses(std::span<const BufferView> tensors) {
  std::vector<void *> memory;
  for (const BufferView &tensor : tensors)
    memory.push_back(tensor.buffer.data);
  return memory;
}

Expected<PreparedCall> PreparedCall::bind(const Module &module, std::span<const BufferView> tensors, Buffer workspace,
                                          const ThreadPool &pool) {
  if (module.deviceKind() != DeviceKind::CPU)
    return Status::invalidArgument("the module is on a CUDA device; its calls are bound without a thread pool");
  const std::vector<TensorBinding> &bindings = module.bindings();
  if (Status status = checkTensors(bindings, tensors); !status.ok())
    return status;
  int64_t needed = module.workspaceBytes(pool.threads());
  std::string purpose = " for " + std::to_string(pool.threads()) + " threads";
  if (Status status = checkWorkspace(workspace, needed, purpose, 64); !status.ok())
    return status.within("workspace");
  if (Status status = checkOverlap(bindings, tensors, workspace.data, needed); !status.ok())
    return status;
  const Module::State &loaded = *module.state;
  cpu::Program program(loaded.image(), loaded.kernels, addresses(tensors), workspace.data, pool);
  return PreparedCall(std::make_unique<State>(State{module.state, std::move(program)}));
}

Expected<PreparedCall> PreparedCall::bind(const Module &module, std::span<const BufferView> tensors, Buffer workspace) {
  if (module.deviceKind() != DeviceKind::CUDA)
    return Status::invalidArgument("the module is on a CPU; its calls are bound with a thread pool");
  const std::vector<TensorBinding> &bindings = module.bindings();
  if (Status status = checkTensors(bindings, tensors); !status.ok())
    return status;
  for (size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].bytes > 0 && isMisaligned(tensors[i].buffer.data, cuda::tensorAlignment))
      return Status::invalidArgument("binding '" + bindings[i].name + "': its address is not a multiple of " +
                                     std::to_string(cuda::tensorAlignment) + " bytes, as tensors on CUDA devices are");
  int64_t needed = module.workspaceBytes(0);
  if (Status status = checkWorkspace(workspace, needed, "", cuda::workspaceAlignment); !status.ok())
    return status.within("workspace");
  if (Status status = checkOverlap(bindings, tensors, workspace.data, needed); !status.ok())
    return status;
  const Module::State &loaded = *module.state;
  Expected<cuda::Program> program =
      cuda::Program::bind(loaded.image(), loaded.kernelImage, addresses(tensors), workspace.data);
  if (!program)
    return program.status();
  return PreparedCall(std::make_unique<State>(State{module.state, program.take()}));
}

Status PreparedCall::run() const {
  if (const auto *program = std::get_if<cpu::Program>(&state->program))
    return program->run();
  return Status::invalidArgument("the call is on a CUDA device; run(stream) says on which stream it goes");
}

Status PreparedCall::run(Stream stream) const {
  if (const auto *program = std::get_if<cuda::Program>(&state->program))
    return program->run(stream);
  return Status::invalidArgument("the call is on a CPU, which has no streams; run() runs it");
}

} // namespace orzo
