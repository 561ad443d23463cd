#include "orzo/Api/Graph.h"

#include "Api/Compilation.h"
#include "Api/Executable.h"
#include "Api/GraphBindings.h"
#include "Api/HandleState.h"
#include "Runtime/Core/Artifact.h"

namespace orzo::graph {

Graph::Graph() = default;
Graph::Graph(Graph &&) noexcept = default;
Graph &Graph::operator=(Graph &&) noexcept = default;
Graph::~Graph() = default;

static Status movedFrom(const std::string &call) {
  return Status::invalidArgument(call + ": the handle was moved from; Handle::create makes another");
}

static std::string whereOf(const GraphDefinition &graph) { return "graph '" + graph.getName() + "'"; }

Expected<GraphProblem> Graph::problemFor(const Handle &handle, const std::string &call) const {
  if (!handle.isValid())
    return movedFrom(call);
  if (Status status = checkValidated(call); !status.ok())
    return status;
  return problem();
}

/// An error of the compiler, which knows values by number, in words of `problem`.
static Status explained(const GraphProblem &problem, const Status &status) {
  Status words(status.code(), inWordsOf(problem, status.message()));
  return problem.nodes.size() == 1 ? words.within(problem.nodes[0]) : words;
}

Expected<std::vector<uint8_t>> Graph::compileToArtifact(const Handle &handle, bool remove) const {
  Expected<GraphProblem> graphProblem = problemFor(handle, "compile");
  if (!graphProblem)
    return graphProblem.status();
  CompileSettings settings;
  settings.target = handle.state->options.target;
  settings.threads = handle.threads();
  settings.useCache = handle.state->options.useCache && !remove;
  settings.cacheDirectory = handle.state->options.cacheDirectory;
  Expected<Compiled> compiled = compileCached({false, orzo::text(graphProblem->spec), whereOf(*this)}, settings);
  if (!compiled)
    return explained(*graphProblem, compiled.status());
  return std::move(compiled->bytes);
}

Status Graph::compile(const Handle &handle, bool remove) {
  Expected<std::vector<uint8_t>> bytes = compileToArtifact(handle, remove);
  return bytes ? loadFromArtifact(handle, *bytes) : bytes.status();
}

/// The image of `bytes` for `handle`.
static Expected<Module> loadFor(const Handle &handle, std::span<const uint8_t> bytes) {
  if (handle.backend() == Backend::CUDA)
    return Module::load(bytes, "sm_90a");
  Expected<Module> module = Module::load(bytes);
  if (module && module->deviceKind() != DeviceKind::CPU)
    return Status::unsupported("the artifact has nothing for a CPU, which the handle is for");
  return module;
}

Status Graph::loadFromArtifact(const Handle &handle, std::span<const uint8_t> bytes) {
  Expected<GraphProblem> graphProblem = problemFor(handle, "loadFromArtifact");
  if (!graphProblem)
    return graphProblem.status();
  Expected<Module> module = loadFor(handle, bytes);
  if (!module)
    return module.status().within(whereOf(*this));
  if (std::string own = orzo::text(graphProblem->spec); module->problem() != own)
    return Status::invalidArgument(whereOf(*this) + ": the artifact is of another problem: '" + module->problem() +
                                   "'; the graph is '" + own + "'");
  Expected<std::vector<TensorPtr>> tensors = tensorsOf(module->bindings(), *graphProblem);
  if (!tensors)
    return tensors.status().within(whereOf(*this));
  executable = std::make_unique<Executable>(whereOf(*this), module.take(), tensors.take(), handle.threads());
  return Status::success();
}

Expected<std::optional<size_t>> Graph::getWorkspaceSize() const {
  if (!executable)
    return Status::invalidArgument(whereOf(*this) + ": getWorkspaceSize needs a compile() that succeeded");
  auto bytes = static_cast<size_t>(executable->workspaceBytes);
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

Status Graph::execute(const Handle &handle, const VariantPack &pack, const std::shared_ptr<Buffer> &workspace) const {
  if (!handle.isValid())
    return movedFrom("execute");
  if (!executable)
    return Status::invalidArgument(whereOf(*this) + ": execute needs a compile() that succeeded");
  return executable->execute(handle, pack, workspace.get());
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
