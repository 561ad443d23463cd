#include "Driver/GraphInput.h"

#include "Graph/StepOrder.h"

namespace orzo::driver {

/// `graph` numbered canonically.
static GraphSpec ordered(GraphSpec graph) {
  graph::GraphProblem problem;
  problem.tensors.resize(graph.values.size());
  problem.nodes.resize(graph.steps.size());
  problem.spec = std::move(graph);
  return graph::inCanonicalOrder(std::move(problem)).spec;
}

Job graphJob(std::string input, std::string name, std::string_view text) {
  Expected<GraphSpec> graph = parseGraphSpec(text);
  if (!graph)
    return failedJob(std::move(input), graph.status().within(name));
  Job job;
  job.input = std::move(input);
  job.name = std::move(name);
  GraphSpec canonical = ordered(graph.take());
  if (const ConvSpec *spec = onlyConvolution(canonical)) {
    job.spec = *spec;
    job.direction = orzo::name(spec->direction);
    return job;
  }
  job.kind = Job::Kind::Graph;
  job.direction = "graph";
  job.graph = std::move(canonical);
  return job;
}

} // namespace orzo::driver
