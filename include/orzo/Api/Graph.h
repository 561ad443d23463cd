// Graph: a graph that compiles and runs.
//
//     Handle handle = *Handle::create(Backend::CPU);
//     Graph graph;
//     graph.setName("dgrad").setIODataType(DataType::BFloat16).setComputeDataType(DataType::Float);
//     auto dy = graph.tensor(TensorAttr().setName("dy").setDim(...).setStride(...));
//     auto w = graph.tensor(...);
//     auto dx = graph.convDGrad(dy, w, ConvDGradAttr().setStride({1, 2}).setPadding({0, 0}).setDilation({1, 1}));
//     dx->setName("dx").setOutput(true);
//     graph.validate(); graph.compile(handle);
//     graph.execute(handle, {{dy, dyBuffer}, {w, wBuffer}, {dx, dxBuffer}}); // each returns a Status
//
// samples/ has whole programs.
#pragma once

#include "orzo/Api/Buffer.h"
#include "orzo/Api/CompileOptions.h"
#include "orzo/Graph/GraphDefinition.h"

#include <span>
#include <unordered_map>

namespace orzo::graph {

/// One buffer for every input and output of the graph, scalars and virtual tensors apart.
using VariantPack = std::unordered_map<TensorPtr, std::shared_ptr<Buffer>>;

class Graph : public GraphDefinition {
public:
  Graph();
  Graph(Graph &&) noexcept;
  Graph &operator=(Graph &&) noexcept;
  ~Graph();

  /// compileToArtifact and loadFromArtifact. The compiled problem comes from the cache where it is there; with `remove`
  /// it is not kept. InvalidArgument when validate() has not succeeded since the graph last changed, or for a plan that
  /// there is not. Unsupported names node and tensor that are not compiled, or the workspace that is needed and the
  /// plan that needs the least.
  Status compile(const Handle &handle, bool remove = false);
  Status compile(const Handle &handle, const CompileOptions &options);

  /// The plans that compile() may be given by index, the cost model's first. Empty for graphs without a convolution.
  /// Unsupported where the handle's target is not one instruction set of CPUs.
  Expected<std::vector<PlanVariant>> plans(const Handle &handle) const;

  /// The compiled graph as one self-describing file, for all of the handle's targets.
  Expected<std::vector<uint8_t>> compileToArtifact(const Handle &handle, bool remove = false) const;
  Expected<std::vector<uint8_t>> compileToArtifact(const Handle &handle, const CompileOptions &options) const;

  /// Makes an artifact the one that execute() runs; no compiler is needed. InvalidArgument when it is damaged, or not
  /// of this graph's problem (both are named); Unsupported when it has nothing for this machine.
  Status loadFromArtifact(const Handle &handle, std::span<const uint8_t> bytes);

  /// Bytes of workspace that execute() takes with the handle that the graph was compiled with; an empty optional for
  /// none. Asking is optional: without a workspace execute() has its own.
  Expected<std::optional<size_t>> getWorkspaceSize() const;

  /// Runs the graph and returns when the outputs are written; with a handle for Backend::CUDA it puts the graph on the
  /// handle's stream and returns without waiting. Any number of threads may execute one graph at a time,
  /// each with outputs and workspace of its own. Memory that was bound before is not bound again: from the second call
  /// with the same buffers on nothing is allocated. InvalidArgument names the tensor: missing, not of this graph, null,
  /// too small, of another type, overlapping another; or says that the graph is not compiled or the handle moved from.
  Status execute(const Handle &handle, const VariantPack &pack,
                 const std::shared_ptr<Buffer> &workspace = nullptr) const;

  /// What will run, one line a step, e.g. "dispatch contract_4096x4096x2048_bf16". Empty before compile().
  std::vector<std::string> steps() const;

  /// What the compiler says about it: what is not computed together with its operands, and why; tensors and nodes are
  /// named as in this graph. Empty before compile().
  std::vector<std::string> notes() const;

private:
  struct Executable;
  Expected<GraphProblem> problemFor(const Handle &handle, const std::string &call) const;
  std::unique_ptr<Executable> executable;
};

} // namespace orzo::graph
