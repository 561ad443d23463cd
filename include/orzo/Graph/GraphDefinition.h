// GraphDefinition: tensors and nodes as the user writes them, checked, completed, and as the problem that they mean.
//
//     GraphDefinition graph;
//     graph.setIODataType(DataType::BFloat16).setComputeDataType(DataType::Float);
//     auto dy = graph.tensor(TensorAttr().setName("dy").setDim({16, 2048, 1, 256}).setStride({524288, 1, 524288,
//     2048})); auto w = graph.tensor(TensorAttr().setName("w").setDim({2048, 2048, 1, 2}).setStride({4096, 1, 4096,
//     2048})); auto dx = graph.convDGrad(dy, w, ConvDGradAttr().setStride({1, 2})); dx->setName("dx").setDim({16, 2048,
//     1, 512}).setOutput(true); Status status = graph.validate(); std::string text = *graph.text(); // conv.v1 dgrad
//     n16 c2048 ...
#pragma once

#include "orzo/Graph/Node.h"
#include "orzo/Spec/GraphSpec.h"
#include "orzo/Support/Status.h"

#include <span>

namespace orzo::graph {

/// A graph's problem and where its memory comes from.
struct GraphProblem {
  GraphSpec spec;
  std::vector<TensorPtr> tensors; ///< By value of `spec`: the tensor it is; never null.
  std::vector<std::string> nodes; ///< By step of `spec`: the node it came from, e.g. "convDGrad 'grad'".
};

/// Errors of building (a null tensor, say) are kept and reported by validate(). Not thread-safe while it is changed.
class GraphDefinition {
public:
  GraphDefinition &setName(std::string value);
  /// Type of the inputs and outputs that have none of their own.
  GraphDefinition &setIODataType(DataType value);
  /// Type of the virtual tensors that have none of their own; the IO type where this is not set. The least precision
  /// that the tensor may have: fused, it keeps what the arithmetic has.
  GraphDefinition &setIntermediateDataType(DataType value);
  /// The least precision of arithmetic. It is f32 whatever is asked for here; Double is Unsupported.
  GraphDefinition &setComputeDataType(DataType value);
  /// Every tensor's type becomes a rounding point, fused or not.
  GraphDefinition &setStrictRounding(bool value);
  const std::string &getName() const { return name; }
  bool isStrictRounding() const { return strictRounding; }

  /// A new input (or scalar) of the graph, a copy of `attr`.
  TensorPtr tensor(const TensorAttr &attr);

  TensorPtr convFProp(const TensorPtr &x, const TensorPtr &w, const ConvFPropAttr &attr);
  /// The same with a bias per output channel, of extent K or 1 x K x 1 x ...: the same graph as an ADD behind it.
  TensorPtr convFProp(const TensorPtr &x, const TensorPtr &w, const TensorPtr &bias, const ConvFPropAttr &attr);
  TensorPtr convDGrad(const TensorPtr &dy, const TensorPtr &w, const ConvDGradAttr &attr);
  TensorPtr convWGrad(const TensorPtr &dy, const TensorPtr &x, const ConvWGradAttr &attr);
  TensorPtr matmul(const TensorPtr &a, const TensorPtr &b, const MatmulAttr &attr);
  TensorPtr pointwise(const TensorPtr &in, const PointwiseAttr &attr);
  TensorPtr pointwise(const TensorPtr &in0, const TensorPtr &in1, const PointwiseAttr &attr);
  TensorPtr pointwise(const TensorPtr &in0, const TensorPtr &in1, const TensorPtr &in2, const PointwiseAttr &attr);
  TensorPtr reduction(const TensorPtr &x, const ReductionAttr &attr);
  TensorPtr cast(const TensorPtr &x, const CastAttr &attr);
  TensorPtr reshape(const TensorPtr &x, const ReshapeAttr &attr);
  TensorPtr transpose(const TensorPtr &x, const TransposeAttr &attr);
  TensorPtr slice(const TensorPtr &x, const SliceAttr &attr);

  /// Any node, its output a tensor that the graph has or a new one. For importers; the methods above suffice otherwise.
  void node(Node node);

  std::span<const Node> nodes() const { return nodeList; }
  std::span<const TensorPtr> tensors() const { return tensorList; }

  /// Checks and completes the graph: for each node, inputs first, preValidate (is what must be there there?), infer
  /// (the output's dims, strides, type where not set), postValidate (does everything fit?). The first error names node
  /// and tensor. InvalidArgument: the graph is wrong; Unsupported: it is right and orzo does not do it.
  Status validate();

  /// What the graph computes, canonical. InvalidArgument when the graph, or a tensor of it, has changed since the last
  /// successful validate(). Unsupported names what has no canonical form.
  Expected<GraphProblem> problem() const;

  /// text(problem().spec).
  Expected<std::string> text() const;

  /// The graph as torch IR: func.func @main that writes each output into an argument (in memory order, before the
  /// inputs, both sorted by name), permutes to logical dims and back, one op or a short composition a node; names of
  /// tensors and nodes are those of values. Read back it is the same problem. InvalidArgument as for problem().
  /// Unsupported names node and tensor: an output with gaps, a clip of RELU_BWD that torch cannot say.
  Expected<std::string> emitTorch() const;

  /// Success when validate() succeeded and nothing has changed since; `call` is what the user wants to do.
  Status checkValidated(std::string_view call) const;

private:
  friend class Validation;
  friend class ProblemMaker;
  friend class TorchEmission;
  TensorPtr add(NodeAttr attr, std::vector<TensorPtr> inputs);

  std::string name;
  DataType ioType = DataType::NotSet, intermediateType = DataType::NotSet, computeType = DataType::NotSet;
  bool strictRounding = false, validated = false;
  std::vector<Node> nodeList;
  std::vector<TensorPtr> tensorList;
  std::vector<int> order;          ///< Node indices, inputs first; made by validate().
  std::vector<TensorAttr> checked; ///< The tensors as validate() left them.
};

} // namespace orzo::graph
