#include "orzo/Api/Graph.h"

#include "Api/BoundCalls.h"
#include "Api/Compilation.h"
#include "Api/HandleState.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Spec/Canonical.h"

#include <algorithm>

namespace orzo::graph {

struct Graph::Executable {
  Module module;
  std::vector<TensorPtr> tensors; ///< By binding of the module.
  size_t distinct = 0;            ///< How many different ones.
  int threads = 1;                ///< Of the handle that loaded it.
  mutable BoundCalls calls;

  Executable(Module module, std::vector<TensorPtr> tensors, int threads)
      : module(std::move(module)), tensors(std::move(tensors)), threads(threads) {
    for (size_t i = 0; i < this->tensors.size(); ++i)
      distinct += std::find(this->tensors.begin(), this->tensors.begin() + static_cast<int64_t>(i), this->tensors[i]) ==
                  this->tensors.begin() + static_cast<int64_t>(i);
  }
};

Graph::Graph() = default;
Graph::Graph(Graph &&) noexcept = default;
Graph &Graph::operator=(Graph &&) noexcept = default;
Graph::~Graph() = default;

static std::string named(const TensorPtr &tensor) { return "tensor '" + (tensor ? tensor->getName() : "null") + "'"; }

static Status movedFrom(const std::string &call) {
  return Status::invalidArgument(call + ": the handle was moved from; Handle::create makes another");
}

/// The one convolution that the graph is. Unsupported names the first node beyond.
static Expected<ConvSpec> convolutionOf(const GraphProblem &problem) {
  const GraphSpec &spec = problem.spec;
  for (size_t i = 0; i < spec.steps.size(); ++i)
    if (i > 0 || !std::holds_alternative<ConvSpec>(spec.steps[i].work))
      return Status::unsupported(problem.nodes[i] + ", tensor '" + problem.tensors[spec.steps[i].result]->getName() +
                                 "': this node is not compiled yet: a graph that is one convolution or matmul is");
  return std::get<ConvSpec>(spec.steps.at(0).work);
}

/// The tensors of the problem's one step by role.
static std::array<TensorPtr, 3> tensorsByRole(const GraphProblem &problem, const ConvSpec &spec) {
  const GraphStep &step = problem.spec.steps[0];
  std::array<TensorPtr, 3> tensors;
  std::array<Role, 2> operands = operandRoles(spec.direction);
  for (int i = 0; i < 2; ++i)
    tensors[static_cast<int>(operands[i])] = problem.tensors[step.operands[i]];
  tensors[static_cast<int>(resultRole(spec.direction))] = problem.tensors[step.result];
  return tensors;
}

Expected<std::vector<uint8_t>> Graph::compileToArtifact(const Handle &handle, bool remove) const {
  if (!handle.isValid())
    return movedFrom("compile");
  if (Status status = checkValidated("compile"); !status.ok())
    return status;
  Expected<GraphProblem> graphProblem = problem();
  if (!graphProblem)
    return graphProblem.status();
  Expected<ConvSpec> spec = convolutionOf(*graphProblem);
  if (!spec)
    return spec.status();
  CompileSettings settings;
  settings.target = handle.state->options.target;
  settings.threads = handle.threads();
  settings.useCache = handle.state->options.useCache && !remove;
  settings.cacheDirectory = handle.state->options.cacheDirectory;
  Expected<Compiled> compiled = compileCached({false, orzo::text(*spec), "graph '" + getName() + "'"}, settings);
  if (!compiled)
    return compiled.status().within(graphProblem->nodes[0]);
  return std::move(compiled->bytes);
}

Status Graph::compile(const Handle &handle, bool remove) {
  Expected<std::vector<uint8_t>> bytes = compileToArtifact(handle, remove);
  return bytes ? loadFromArtifact(handle, *bytes) : bytes.status();
}

Status Graph::loadFromArtifact(const Handle &handle, std::span<const uint8_t> bytes) {
  if (!handle.isValid())
    return movedFrom("loadFromArtifact");
  if (Status status = checkValidated("loadFromArtifact"); !status.ok())
    return status;
  Expected<GraphProblem> graphProblem = problem();
  if (!graphProblem)
    return graphProblem.status();
  Expected<ConvSpec> spec = convolutionOf(*graphProblem);
  if (!spec)
    return spec.status();
  std::string where = "graph '" + getName() + "'";
  Expected<Module> module = Module::load(bytes);
  if (!module)
    return module.status().within(where);
  if (module->deviceKind() != DeviceKind::CPU)
    return Status::unsupported(where + ": the artifact has nothing for a CPU, which the handle is for");
  if (module->problem() != orzo::text(*spec))
    return Status::invalidArgument(where + ": the artifact is of another problem: '" + module->problem() +
                                   "'; the graph is '" + orzo::text(*spec) + "'");
  std::array<TensorPtr, 3> byRole = tensorsByRole(*graphProblem, *spec);
  std::vector<TensorPtr> tensors;
  for (const TensorBinding &binding : module->bindings()) {
    if (!binding.role || binding.type != toElementType(spec->type(*binding.role)) ||
        binding.shape != spec->shape(*binding.role) ||
        binding.isResult != (binding.role == resultRole(spec->direction)))
      return Status::invalidArgument(where + ": the artifact's binding '" + binding.name + "' does not fit");
    const TensorPtr &tensor = byRole[static_cast<int>(*binding.role)];
    tensors.push_back(tensor);
  }
  if (tensors.size() != 3)
    return Status::invalidArgument(where + ": the artifact has " + std::to_string(tensors.size()) +
                                   " bindings instead of 3");
  executable = std::make_unique<Executable>(module.take(), std::move(tensors), handle.threads());
  return Status::success();
}

Expected<std::optional<size_t>> Graph::getWorkspaceSize() const {
  if (!executable)
    return Status::invalidArgument("graph '" + getName() + "': getWorkspaceSize needs a compile() that succeeded");
  auto bytes = static_cast<size_t>(executable->module.workspaceBytes(executable->threads));
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

/// Whether `buffer` may stand for `tensor`, of which `bytes` bytes are touched.
static Status checkBuffer(const TensorPtr &tensor, const Buffer *buffer, int64_t bytes) {
  if (!buffer)
    return Status::invalidArgument(named(tensor) + ": its buffer is null");
  if (buffer->type() != DataType::NotSet && buffer->type() != tensor->getDataType())
    return Status::invalidArgument(named(tensor) + ": its buffer holds " + std::string(name(buffer->type())) +
                                   ", the tensor is " + std::string(name(tensor->getDataType())));
  if (static_cast<int64_t>(buffer->bytes()) < bytes)
    return Status::invalidArgument(named(tensor) + ": its buffer has " + std::to_string(buffer->bytes()) +
                                   " bytes, the tensor needs " + std::to_string(bytes));
  return Status::success();
}

static bool overlap(const Buffer &a, int64_t aBytes, const Buffer &b, int64_t bBytes) {
  auto aBegin = reinterpret_cast<uintptr_t>(a.data()), bBegin = reinterpret_cast<uintptr_t>(b.data());
  return aBytes > 0 && bBytes > 0 && aBegin < bBegin + bBytes && bBegin < aBegin + aBytes;
}

/// The first tensor of `pack` that the graph does not bind.
static Status extraTensor(const VariantPack &pack, const std::vector<TensorPtr> &tensors) {
  for (const auto &[tensor, buffer] : pack)
    if (std::find(tensors.begin(), tensors.end(), tensor) == tensors.end())
      return Status::invalidArgument(named(tensor) + ": is in the variant pack, but the graph has no memory for it: it "
                                                     "is virtual, a scalar, unused, or another graph's");
  return Status::success();
}

Status Graph::execute(const Handle &handle, const VariantPack &pack, const std::shared_ptr<Buffer> &workspace) const {
  if (!handle.isValid())
    return movedFrom("execute");
  if (!executable)
    return Status::invalidArgument("graph '" + getName() + "': execute needs a compile() that succeeded");
  const std::vector<TensorBinding> &bindings = executable->module.bindings();
  BoundMemory memory;
  std::array<const Buffer *, BoundMemory::maxTensors> buffers = {};
  for (size_t i = 0; i < bindings.size(); ++i) {
    const TensorPtr &tensor = executable->tensors[i];
    auto found = pack.find(tensor);
    if (found == pack.end())
      return Status::invalidArgument(named(tensor) + ": is not in the variant pack");
    buffers[i] = found->second.get();
    if (Status status = checkBuffer(tensor, buffers[i], bindings[i].bytes); !status.ok())
      return status;
    memory.tensors[i] = buffers[i]->data();
  }
  if (pack.size() != executable->distinct)
    return extraTensor(pack, executable->tensors);
  for (size_t i = 0; i < bindings.size(); ++i)
    for (size_t j = 0; j < bindings.size(); ++j)
      if (i != j && bindings[i].isResult && overlap(*buffers[i], bindings[i].bytes, *buffers[j], bindings[j].bytes))
        return Status::invalidArgument(named(executable->tensors[i]) + ": its buffer overlaps that of " +
                                       named(executable->tensors[j]));
  if (workspace) {
    int64_t needed = executable->module.workspaceBytes(handle.threads());
    if (static_cast<int64_t>(workspace->bytes()) < needed)
      return Status::invalidArgument("graph '" + getName() + "': the workspace has " +
                                     std::to_string(workspace->bytes()) + " bytes, it needs " + std::to_string(needed));
    memory.workspace = workspace->data();
  }
  memory.pool = handle.state.get();

  BoundCalls::Call *call = executable->calls.take(memory);
  if (!call) {
    auto made = std::make_unique<BoundCalls::Call>();
    made->memory = memory;
    orzo::Buffer scratch;
    if (workspace) {
      scratch = {workspace->data(), static_cast<int64_t>(workspace->bytes())};
    } else {
      Expected<Workspace> own = Workspace::allocate(executable->module.workspaceBytes(handle.threads()));
      if (!own)
        return own.status().within("graph '" + getName() + "'");
      made->workspace = own.take();
      scratch = made->workspace.buffer();
    }
    std::vector<BufferView> views;
    for (size_t i = 0; i < bindings.size(); ++i)
      views.push_back(bindings[i].view({buffers[i]->data(), static_cast<int64_t>(buffers[i]->bytes())}));
    Expected<PreparedCall> prepared = PreparedCall::bind(executable->module, views, scratch, handle.state->pool);
    if (!prepared)
      return prepared.status().within("graph '" + getName() + "'");
    made->prepared = prepared.take();
    made->pool = handle.state;
    call = executable->calls.keep(std::move(made));
  }
  Status status = call->prepared->run();
  executable->calls.release(call);
  return status;
}

std::vector<std::string> Graph::steps() const {
  std::vector<std::string> lines;
  if (executable)
    for (const ArtifactStep &step : executable->module.image().steps)
      lines.push_back((step.kind == ArtifactStep::Kind::Dispatch ? "dispatch "
                       : step.kind == ArtifactStep::Kind::Fill   ? "fill "
                                                                 : "copy ") +
                      step.name);
  return lines;
}

} // namespace orzo::graph
