#include "Driver/JobProblem.h"

#include "Driver/Compilation.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Spec/Canonical.h"

#include <sstream>

namespace orzo::driver {

static std::string shapeText(const ConvSpec &spec, Role role) {
  std::string shape;
  for (int64_t extent : spec.shape(role))
    shape += (shape.empty() ? "" : "x") + std::to_string(extent);
  return text(spec.layout(role), role, spec.rank()) + " " + (shape.empty() ? "one element" : shape);
}

/// Facts that every spelling has: how its tensors lie.
static void addTensors(const ConvSpec &spec, std::vector<SpellingFact> &facts) {
  for (Role role : {Role::X, Role::W, Role::Y})
    facts.push_back({"layout of " + std::string(name(role)), shapeText(spec, role)});
}

static Expected<ConvSpec> parseChecked(const std::string &line) {
  Expected<ConvSpec> spec = parseConvSpec(line);
  if (!spec)
    return spec;
  if (Status status = validate(*spec); !status.ok())
    return status;
  return spec;
}

/// What the compiler says of MLIR: the problem's text, then lines "topic<TAB>text".
static Expected<JobProblem> readSpelling(const Job &job) {
  CompileSettings settings;
  settings.stopAfter = "spelling";
  Expected<Compiled> compiled = compileModule(job, settings);
  if (!compiled)
    return compiled.status();
  std::istringstream lines(std::string(compiled->bytes.begin(), compiled->bytes.end()));
  std::string line;
  std::getline(lines, line);
  Expected<ConvSpec> spec = parseChecked(line);
  if (!spec)
    return Status::internal("the compiler's text of the problem: " + spec.status().message());
  JobProblem problem{spec.take(), std::nullopt, {}, compiled->loadMs};
  while (std::getline(lines, line)) {
    size_t tab = line.find('\t');
    if (tab == std::string::npos)
      continue;
    SpellingFact fact{line.substr(0, tab), line.substr(tab + 1)};
    if (fact.topic == "direction")
      for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad})
        if (fact.text == name(direction))
          problem.direction = direction;
    problem.facts.push_back(std::move(fact));
  }
  return problem;
}

static Status severalSteps(const Job &job) {
  return Status::unsupported(job.name + ": a graph of several steps; this works on single convolutions");
}

Expected<JobProblem> problemOfJob(const Job &job) {
  if (!job.failure.ok())
    return job.failure;
  if (job.kind == Job::Kind::Help)
    return Status::unsupported("a help text is no problem");
  if (job.kind == Job::Kind::Graph)
    return severalSteps(job);
  if (job.kind == Job::Kind::Mlir)
    return readSpelling(job);
  JobProblem problem;
  if (job.kind == Job::Kind::Artifact) {
    Expected<Artifact> artifact = parseArtifact(job.artifact);
    if (!artifact)
      return artifact.status().within(job.name);
    if (isGraphText(artifact->problem))
      return severalSteps(job);
    if (artifact->lowering == "linalg")
      return Status::unsupported(job.name + ": it stays linalg; this works on single convolutions");
    Expected<ConvSpec> spec = parseChecked(artifact->problem);
    if (!spec)
      return spec.status().within(job.name);
    problem.spec = spec.take();
    problem.facts.push_back({"written as", "an artifact"});
  } else {
    problem.spec = *job.spec;
    problem.direction = job.spec->direction;
    problem.facts.push_back({"written as", job.input.starts_with("conv.v1") ? "orzo's text" : "a driver command"});
    if (!job.direction.empty())
      problem.facts.push_back({"direction", job.direction});
  }
  addTensors(problem.spec, problem.facts);
  return problem;
}

} // namespace orzo::driver
