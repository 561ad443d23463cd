#include "Api/Executable.h"

#include "Api/HandleState.h"

#include <algorithm>

namespace orzo::graph {

static std::string named(const TensorPtr &tensor) { return "tensor '" + (tensor ? tensor->getName() : "null") + "'"; }

Graph::Executable::Executable(std::string where, Module module, std::vector<TensorPtr> tensors, int threads)
    : where(std::move(where)), module(std::move(module)), tensors(std::move(tensors)),
      workspaceBytes(this->module.workspaceBytes(threads)), threads(threads) {}

/// Whether `buffer` may stand for `tensor`, of which `bytes` bytes are touched.
static Status checkBuffer(const TensorPtr &tensor, const Buffer *buffer, int64_t bytes, Backend backend) {
  if (!buffer)
    return Status::invalidArgument(named(tensor) + ": its buffer is null");
  if (buffer->type() != DataType::NotSet && buffer->type() != tensor->getDataType())
    return Status::invalidArgument(named(tensor) + ": its buffer holds " + std::string(name(buffer->type())) +
                                   ", the tensor is " + std::string(name(tensor->getDataType())));
  if (static_cast<int64_t>(buffer->bytes()) < bytes)
    return Status::invalidArgument(named(tensor) + ": its buffer has " + std::to_string(buffer->bytes()) +
                                   " bytes, the tensor needs " + std::to_string(bytes));
  if (!buffer->data() && bytes > 0)
    return Status::invalidArgument(named(tensor) + ": its buffer is at a null address");
  if (buffer->location().value_or(backend) != backend)
    return Status::invalidArgument(named(tensor) + ": its buffer is memory of " +
                                   (backend == Backend::CPU ? "a CUDA device, the handle is for the CPU"
                                                            : "the host, the handle is for a CUDA device"));
  return Status::success();
}

/// The first tensor of `pack` that the graph does not bind.
static Status extraTensor(const VariantPack &pack, const std::vector<TensorPtr> &tensors) {
  for (const auto &[tensor, buffer] : pack)
    if (std::find(tensors.begin(), tensors.end(), tensor) == tensors.end())
      return Status::invalidArgument(named(tensor) + ": is in the variant pack, but the graph has no memory for it: it "
                                                     "is virtual, a scalar, unused, or another graph's");
  return Status::success();
}

Expected<std::span<void *const>> Graph::Executable::addressesOf(const VariantPack &pack, Backend backend) const {
  // Grows with a thread's first execution of its largest graph, and never again.
  thread_local std::vector<void *> addresses;
  addresses.resize(std::max(addresses.size(), tensors.size()));
  const std::vector<TensorBinding> &bindings = module.bindings();
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto found = pack.find(tensors[i]);
    if (found == pack.end())
      return Status::invalidArgument(named(tensors[i]) + ": is not in the variant pack");
    const Buffer *buffer = found->second.get();
    if (Status status = checkBuffer(tensors[i], buffer, bindings[i].bytes, backend); !status.ok())
      return status;
    addresses[i] = buffer->data();
  }
  if (pack.size() != tensors.size())
    return extraTensor(pack, tensors);
  return std::span<void *const>(addresses).first(tensors.size());
}

Status Graph::Executable::checkOverlap(const VariantPack &pack) const {
  struct Range {
    uintptr_t begin, end;
    size_t binding;
  };
  const std::vector<TensorBinding> &bindings = module.bindings();
  std::vector<Range> ranges;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (bindings[i].bytes > 0) {
      auto begin = reinterpret_cast<uintptr_t>(pack.at(tensors[i])->data());
      ranges.push_back({begin, begin + bindings[i].bytes, i});
    }
  std::ranges::sort(ranges, {}, &Range::begin);
  for (size_t i = 0; i < ranges.size(); ++i)
    for (size_t j = i + 1; j < ranges.size() && ranges[j].begin < ranges[i].end; ++j) {
      bool firstIsResult = bindings[ranges[i].binding].isResult;
      if (!firstIsResult && !bindings[ranges[j].binding].isResult)
        continue;
      const Range &result = firstIsResult ? ranges[i] : ranges[j], &other = firstIsResult ? ranges[j] : ranges[i];
      return Status::invalidArgument(named(tensors[result.binding]) + ": its buffer overlaps that of " +
                                     named(tensors[other.binding]));
    }
  return Status::success();
}

int64_t Graph::Executable::workspaceBytesOf(const Handle &handle) const {
  return handle.threads() == threads ? workspaceBytes : module.workspaceBytes(handle.threads());
}

Expected<BoundCalls::Call *> Graph::Executable::bind(const Handle &handle, const VariantPack &pack,
                                                     const BoundMemory &memory, const Buffer *workspace) {
  if (Status status = checkOverlap(pack); !status.ok())
    return status;
  auto made = std::make_unique<BoundCalls::Call>(memory);
  orzo::Buffer scratch;
  if (workspace) {
    scratch = {workspace->data(), static_cast<int64_t>(workspace->bytes())};
  } else if (handle.state->device) {
    Expected<DeviceMemory> own = DeviceMemory::allocate(*handle.state->device, workspaceBytesOf(handle));
    if (!own)
      return own.status().within(where);
    made->ownDeviceWorkspace = own.take();
    scratch = made->ownDeviceWorkspace.buffer();
  } else {
    Expected<Workspace> own = Workspace::allocate(workspaceBytesOf(handle));
    if (!own)
      return own.status().within(where);
    made->ownWorkspace = own.take();
    scratch = made->ownWorkspace.buffer();
  }
  std::vector<BufferView> views;
  for (size_t i = 0; i < tensors.size(); ++i)
    views.push_back(module.bindings()[i].view({memory.tensors[i], static_cast<int64_t>(pack.at(tensors[i])->bytes())}));
  Expected<PreparedCall> prepared = handle.state->pool ? PreparedCall::bind(module, views, scratch, *handle.state->pool)
                                                       : PreparedCall::bind(module, views, scratch);
  if (!prepared)
    return prepared.status().within(where);
  made->prepared = prepared.take();
  made->keptOwner = handle.state;
  return calls.keep(std::move(made));
}

Status Graph::Executable::execute(const Handle &handle, const VariantPack &pack, const Buffer *workspace) {
  if ((module.deviceKind() == DeviceKind::CUDA) != (handle.backend() == Backend::CUDA))
    return Status::invalidArgument(where + ": it was compiled with a handle of another backend");
  Expected<std::span<void *const>> addresses = addressesOf(pack, handle.backend());
  if (!addresses)
    return addresses.status();
  BoundMemory memory{*addresses, nullptr, handle.state.get()};
  if (workspace) {
    int64_t needed = workspaceBytesOf(handle);
    if (static_cast<int64_t>(workspace->bytes()) < needed)
      return Status::invalidArgument(where + ": the workspace has " + std::to_string(workspace->bytes()) +
                                     " bytes, it needs " + std::to_string(needed));
    memory.workspace = workspace->data();
  }
  BoundCalls::Call *call = calls.take(memory);
  if (!call) {
    Expected<BoundCalls::Call *> bound = bind(handle, pack, memory, workspace);
    if (!bound)
      return bound.status();
    call = *bound;
  }
  Status status = handle.state->device ? call->prepared->run(handle.stream()) : call->prepared->run();
  calls.release(call);
  return status;
}

} // namespace orzo::graph
