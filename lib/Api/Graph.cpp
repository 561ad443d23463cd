#include "orzo/Api/Graph.h"

#include "Api/Compilation.h"
#include "Api/Executable.h"
#include "Api/GraphBindings.h"
#include "Api/HandleState.h"
#include "Api/PlanVariants.h"
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

static CompileInput inputOf(const GraphDefinition &graph, const GraphProblem &problem) {
  return {false, orzo::text(problem.spec), whereOf(graph)};
}

static CompileSettings settingsFor(const Handle &handle, const CompileOptions &options) {
  CompileSettings settings;
  settings.target = handle.options().target;
  settings.threads = handle.threads();
  settings.useCache = handle.options().useCache && options.useCache;
  settings.cacheDirectory = handle.options().cacheDirectory;
  return settings;
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

/// What compile() compiles by, and its result. `input` is of a valid graph.
static Expected<std::vector<uint8_t>> compileBy(const Handle &handle, const CompileInput &input,
                                                const CompileOptions &options) {
  CompileSettings settings = settingsFor(handle, options);
  std::vector<PlanVariant> plans;
  if (options.planIndex) {
    Expected<std::vector<PlanVariant>> listed = listPlans(input, settings);
    if (!listed)
      return listed.status();
    Expected<PlanVariant> plan = planAt(plans = listed.take(), *options.planIndex);
    if (!plan)
      return plan.status();
    settings.plan = plan->text;
  }
  Expected<Compiled> compiled = compileCached(input, settings);
  if (!compiled)
    return compiled.status();
  if (!options.workspaceLimit)
    return std::move(compiled->bytes);
  Expected<Module> module = loadFor(handle, compiled->bytes);
  if (!module)
    return module.status();
  auto needed = static_cast<size_t>(module->workspaceBytes(handle.threads()));
  if (needed <= *options.workspaceLimit)
    return std::move(compiled->bytes);
  if (plans.empty()) {
    Expected<std::vector<PlanVariant>> listed = listPlans(input, settings);
    if (!listed)
      return listed.status().within("a workspace of " + std::to_string(needed) + " bytes is needed, the limit is " +
                                    std::to_string(*options.workspaceLimit) + ", and no other plan is known");
    plans = listed.take();
  }
  if (options.planIndex) {
    Expected<PlanVariant> other = planWithin(plans, needed, *options.workspaceLimit);
    return other ? Status::unsupported("a workspace of " + std::to_string(needed) + " bytes is needed, the limit is " +
                                       std::to_string(*options.workspaceLimit) + "; the plan '" + other->text +
                                       "' needs " + std::to_string(other->workspaceBytes))
                 : other.status();
  }
  Expected<PlanVariant> plan = planWithin(plans, needed, *options.workspaceLimit);
  if (!plan)
    return plan.status();
  settings.plan = plan->text;
  compiled = compileCached(input, settings);
  return compiled ? Expected(std::move(compiled->bytes)) : compiled.status();
}

Expected<std::vector<uint8_t>> Graph::compileToArtifact(const Handle &handle, const CompileOptions &options) const {
  Expected<GraphProblem> graphProblem = problemFor(handle, "compile");
  if (!graphProblem)
    return graphProblem.status();
  Expected<std::vector<uint8_t>> bytes = compileBy(handle, inputOf(*this, *graphProblem), options);
  return bytes ? std::move(bytes) : explained(*graphProblem, bytes.status());
}

Expected<std::vector<uint8_t>> Graph::compileToArtifact(const Handle &handle, bool remove) const {
  return compileToArtifact(handle, CompileOptions{.useCache = !remove});
}

Status Graph::compile(const Handle &handle, const CompileOptions &options) {
  Expected<std::vector<uint8_t>> bytes = compileToArtifact(handle, options);
  return bytes ? loadFromArtifact(handle, *bytes) : bytes.status();
}

Status Graph::compile(const Handle &handle, bool remove) {
  return compile(handle, CompileOptions{.useCache = !remove});
}

Expected<std::vector<PlanVariant>> Graph::plans(const Handle &handle) const {
  Expected<GraphProblem> graphProblem = problemFor(handle, "plans");
  if (!graphProblem)
    return graphProblem.status();
  Expected<std::vector<PlanVariant>> listed = listPlans(inputOf(*this, *graphProblem), settingsFor(handle, {}));
  return listed ? std::move(listed) : explained(*graphProblem, listed.status());
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
  std::vector<std::string> notes;
  for (const std::string &note : module->artifact().notes)
    notes.push_back(inWordsOf(*graphProblem, note));
  executable = std::make_unique<Executable>(whereOf(*this), module.take(), tensors.take(), handle.threads());
  executable->notes = std::move(notes);
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

std::vector<std::string> Graph::notes() const { return executable ? executable->notes : std::vector<std::string>(); }

} // namespace orzo::graph
