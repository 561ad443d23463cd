#include "Driver/ArtifactProblem.h"

#include "Measure/GraphData.h"
#include "Measure/GraphVerification.h"
#include "orzo/Spec/Canonical.h"
#include "orzo/Spec/Contraction.h"

#include <algorithm>
#include <charconv>

namespace orzo::driver {

/// The value of a graph that `binding` is named after, -1 where there is none.
static int valueOf(const TensorBinding &binding, const GraphSpec &graph) {
  int value = -1;
  const char *begin = binding.name.c_str() + 1, *end = binding.name.c_str() + binding.name.size();
  bool isNumber = binding.name.starts_with('%') && std::from_chars(begin, end, value).ptr == end;
  return isNumber && value < static_cast<int>(graph.values.size()) ? value : -1;
}

static bool fits(const TensorBinding &binding, const ConvSpec &spec) {
  return binding.role && binding.type == toElementType(spec.type(*binding.role)) &&
         binding.shape == spec.shape(*binding.role) && binding.isResult == (binding.role == resultRole(spec.direction));
}

static bool fits(const TensorBinding &binding, const GraphSpec &graph) {
  int index = valueOf(binding, graph);
  if (index < 0)
    return false;
  const GraphValue &value = graph.values[index];
  return binding.type == value.type && binding.shape == std::vector<int64_t>{value.elements} &&
         value.kind == (binding.isResult ? GraphValue::Kind::Output : GraphValue::Kind::Input);
}

static bool fits(const TensorBinding &binding, const WrittenProblem &) { return !binding.role; }

static WrittenProblem writtenOver(const std::vector<TensorBinding> &bindings) {
  WrittenProblem problem;
  for (const TensorBinding &binding : bindings) {
    problem.names.push_back(binding.name);
    int64_t elements = binding.bytes / static_cast<int64_t>(byteSize(binding.type));
    problem.memory.values.push_back({GraphValue::Kind::Input, binding.type, elements, 0});
  }
  return problem;
}

Expected<ArtifactProblem> ArtifactProblem::parse(const std::string &text) {
  if (text.starts_with("linalg.v1 "))
    return ArtifactProblem(WrittenProblem());
  if (isGraphText(text)) {
    Expected<GraphSpec> graph = parseGraphSpec(text);
    if (!graph)
      return graph.status().within("the artifact's problem");
    return ArtifactProblem(graph.take());
  }
  Expected<ConvSpec> spec = parseConvSpec(text);
  if (!spec)
    return spec.status().within("the artifact's problem");
  if (Status status = validate(*spec); !status.ok())
    return status.within("the artifact's problem");
  return ArtifactProblem(spec.take());
}

Expected<ArtifactProblem> ArtifactProblem::of(const Module &module) {
  Expected<ArtifactProblem> problem = parse(module.problem());
  if (!problem)
    return problem;
  if (std::holds_alternative<WrittenProblem>(problem->problem))
    problem->problem = writtenOver(module.bindings());
  if (Status status = problem->checkBindings(module); !status.ok())
    return status;
  return problem;
}

Status ArtifactProblem::checkBindings(const Module &module) const {
  size_t expected = 3;
  if (const auto *graph = std::get_if<GraphSpec>(&problem)) {
    expected = 0;
    for (const GraphValue &value : graph->values)
      expected += value.kind == GraphValue::Kind::Input || value.kind == GraphValue::Kind::Output;
  }
  if (std::holds_alternative<WrittenProblem>(problem))
    expected = module.bindings().size();
  std::vector<std::string> seen;
  for (const TensorBinding &binding : module.bindings()) {
    bool isRight = std::visit([&](const auto &spec) { return fits(binding, spec); }, problem);
    if (!isRight || std::ranges::find(seen, binding.name) != seen.end())
      return Status::invalidArgument("the artifact's binding " + binding.name + " does not fit its problem " +
                                     module.problem());
    seen.push_back(binding.name);
  }
  if (seen.size() != expected)
    return Status::invalidArgument("the artifact has " + std::to_string(seen.size()) + " bindings, its problem has " +
                                   std::to_string(expected));
  return Status::success();
}

void ArtifactProblem::describe(const std::string &lowering, ProblemReport &report) const {
  report.flopsUseful = report.flopsPadding = report.bytesMin = 0;
  auto add = [&](const ConvSpec &spec, bool walksTaps) {
    report.flopsUseful += spec.flopsUseful();
    report.flopsPadding += walksTaps ? spec.flopsPadding() : 0;
  };
  if (const ConvSpec *spec = convolution()) {
    if (report.direction.empty())
      report.direction = name(spec->direction);
    // A contraction walks no taps, so it meets no padding even where the phases of the same problem would.
    add(*spec, lowering != "contract");
    for (Role role : {Role::X, Role::W, Role::Y})
      report.bytesMin += spec->byteCount(role);
    return;
  }
  if (const auto *written = std::get_if<WrittenProblem>(&problem)) {
    report.direction = "linalg";
    for (const GraphValue &value : written->memory.values)
      report.bytesMin += value.elements * static_cast<int64_t>(byteSize(value.type));
    return;
  }
  const auto &graph = std::get<GraphSpec>(problem);
  if (report.direction.empty())
    report.direction = "graph";
  for (const GraphStep &step : graph.steps)
    if (const auto *spec = std::get_if<ConvSpec>(&step.work))
      add(*spec, !collapse(*spec));
  for (const GraphValue &value : graph.values)
    if (value.kind == GraphValue::Kind::Input || value.kind == GraphValue::Kind::Output)
      report.bytesMin += value.elements * static_cast<int64_t>(byteSize(value.type));
}

void ArtifactProblem::fill(DataKind kind, uint64_t seed, const TensorBinding &binding, void *data, int threads) const {
  if (const ConvSpec *spec = convolution())
    generate(kind, seed, *spec, *binding.role, data, threads);
  else if (const auto *written = std::get_if<WrittenProblem>(&problem))
    generate(kind, seed, written->memory,
             static_cast<int>(std::ranges::find(written->names, binding.name) - written->names.begin()), data);
  else
    generate(kind, seed, std::get<GraphSpec>(problem), valueOf(binding, std::get<GraphSpec>(problem)), data);
}

VerifyResult ArtifactProblem::verify(std::span<const TensorBinding> bindings,
                                     std::span<const GuardedBuffer *const> buffers, const VerifyOptions &options,
                                     std::vector<std::string> &notes) const {
  std::vector<NamedBuffer> named;
  for (size_t i = 0; i < bindings.size(); ++i)
    named.push_back({bindings[i].name, buffers[i]});
  if (const ConvSpec *spec = convolution()) {
    reference::Tensors tensors = {};
    for (size_t i = 0; i < bindings.size(); ++i)
      tensors[static_cast<int>(*bindings[i].role)] = buffers[i]->data();
    return orzo::verify(*spec, tensors, options, named);
  }
  if (const auto *written = std::get_if<WrittenProblem>(&problem)) {
    VerifyOptions memoryOnly = options;
    memoryOnly.mode = VerifyMode::Off;
    notes.emplace_back("not verified: what stays linalg has no reference; only memory around its tensors is looked at");
    return orzo::verify(written->memory, std::vector<const void *>(written->memory.values.size()), memoryOnly, named);
  }
  const auto &graph = std::get<GraphSpec>(problem);
  std::vector<const void *> memory(graph.values.size());
  for (size_t i = 0; i < bindings.size(); ++i)
    memory[valueOf(bindings[i], graph)] = buffers[i]->data();
  GraphVerifyResult result = orzo::verify(graph, memory, options, named);
  if (options.mode == VerifyMode::Project)
    notes.emplace_back("--verify=project is for single convolutions: sampled instead");
  if (result.unbounded > 0)
    notes.push_back(std::to_string(result.unbounded) +
                    " elements are not compared: overflows, or steps and comparisons within the rounding error");
  return result;
}

} // namespace orzo::driver
