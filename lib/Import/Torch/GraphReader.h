// GraphReader: one pass over a torch function, from its arguments to what it writes and returns, that makes a graph.
//
// Nodes are made for everything that is read; those that nothing depends on are left out in the end, so that an op
// which only served a composition (the tanh in front of a tanh_backward) leaves no trace.
#pragma once

#include "Dialect/Compat/Torch/TorchDialect.h"
#include "Import/Torch/Geometry.h"
#include "Import/Torch/ImportTorchGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

namespace orzo::torch {

/// What a torch tensor value is in the graph.
struct GraphTensor {
  graph::TensorPtr tensor; ///< Null where there is none: only the shape is known, or it is not read.
  /// As torch sees it (a tensor of rank 0 has one dim of extent 1). `tensor` may have fewer or shorter dims: it is
  /// repeated over these, as pointwise nodes repeat.
  std::vector<int64_t> dim;
  graph::DataType type = graph::DataType::NotSet;
  bool isRead = true;
  /// Of a tensor with zeros (or, negative, a crop) around each dim what is inside; a convolution takes the rest over as
  /// padding. Nothing else reads zeros; a mere crop is a slice as well.
  graph::TensorPtr inner = {};
  std::vector<int64_t> padLow = {}, padHigh = {};
  mlir::Operation *culprit = nullptr; ///< Not read: because of this op,
  Complaint complaint = {};           ///< for this reason.
};

class GraphReader {
public:
  explicit GraphReader(mlir::func::FuncOp function) : function(function) {}

  /// Reads the whole function. Failure: an error was emitted.
  mlir::LogicalResult run();

  ImportedGraph imported;

private:
  using Extents = std::vector<int64_t>;

  // GraphReader.cpp
  void arguments();
  mlir::LogicalResult read(mlir::Operation *op);
  mlir::LogicalResult deliver(mlir::Operation *op, mlir::Value value, int destination);
  mlir::LogicalResult finish();
  mlir::LogicalResult report(const Status &status);
  mlir::LogicalResult report(mlir::Operation *op, const Complaint &complaint);
  /// The strides of the result's maker under which `tensor`, seen from it, lies row by row; null: it needs a copy.
  graph::TensorPtr writable(const graph::TensorPtr &tensor, Extents stride, Extents &makerStride);

  const GraphTensor &at(mlir::Value value);
  GraphTensor operand(mlir::Operation *op, unsigned index) { return at(op->getOperand(index)); }
  /// Every tensor that `op` makes is not read.
  void refuse(mlir::Operation *op, std::string reason, bool isInvalid = false);
  void refuse(mlir::Operation *op, const Complaint &complaint) { refuse(op, complaint.reason, complaint.isInvalid); }
  /// Sizes and type that the module declares; false: not static or of a type that graphs do not have.
  static bool declared(mlir::Value value, GraphTensor &into);
  static std::string nameOf(mlir::Operation *op) { return "'" + op->getName().getStringRef().str() + "'"; }

  /// A new node, its result of these dims.
  graph::TensorPtr node(mlir::Operation *op, graph::NodeAttr attr, std::vector<graph::TensorPtr> inputs, Extents dim,
                        graph::DataType type);
  void define(mlir::Value value, GraphTensor tensor) { values[value] = std::move(tensor); }
  /// The result of `op` is `tensor`, of the declared shape and type.
  void define(mlir::Operation *op, const graph::TensorPtr &tensor, mlir::Value value = {});
  /// A constant to be used with a tensor of `like`.
  graph::TensorPtr scalar(double value, graph::DataType like);

  // GraphViews.cpp
  bool view(mlir::Operation *op);
  bool creation(mlir::Operation *op);
  void permutation(mlir::Operation *op, GraphTensor from);
  void expand(mlir::Operation *op, const GraphTensor &from);
  void asStrided(AtenAsStridedOp op);
  void slice(mlir::Operation *op, GraphTensor from);
  void pad(AtenConstantPadNdOp op, const GraphTensor &from);
  /// `from` under other dims; null: unsupported.
  graph::TensorPtr reshaped(mlir::Operation *op, const GraphTensor &from, const Extents &dim);
  /// `from` with as many dims as torch sees.
  graph::TensorPtr ranked(mlir::Operation *op, const GraphTensor &from);
  /// `from` where it is not repeated; else refuses `op` and gives null.
  graph::TensorPtr whole(mlir::Operation *op, const GraphTensor &from);

  // GraphConvolutions.cpp
  bool convolution(mlir::Operation *op);
  void forward(mlir::Operation *op);
  void backward(AtenConvolutionBackwardOp op);
  bool product(mlir::Operation *op);
  /// A convolution node; x, w and y as torch sees them, the result's tensor null. Null: refused.
  graph::TensorPtr convolve(mlir::Operation *op, Direction direction, const std::array<GraphTensor, 3> &tensors,
                            const Geometry &geometry);
  /// Adds what is around an x to `low` and `high`, the padding of a convolution to y with filter w.
  static bool takeOver(const GraphTensor &x, const GraphTensor &w, const GraphTensor &y, const Geometry &geometry,
                       Extents &low, Extents &high);
  /// The gradient that `from` with this around it is, where it is one; else null.
  graph::TensorPtr padDGrad(AtenConstantPadNdOp op, const GraphTensor &from, const Extents &low, const Extents &high);

  // GraphPointwise.cpp, GraphCompositions.cpp
  bool pointwise(mlir::Operation *op);
  bool scalarOp(mlir::Operation *op);
  bool activation(mlir::Operation *op);
  bool backwardOp(mlir::Operation *op);
  bool composition(mlir::Operation *op);
  /// `op` is this mode of `inputs`.
  bool pointwise(mlir::Operation *op, const graph::PointwiseAttr &attr, const std::vector<GraphTensor> &inputs);
  bool pointwise(mlir::Operation *op, PointwiseMode mode, const std::vector<GraphTensor> &inputs) {
    return pointwise(op, graph::PointwiseAttr().setMode(mode), inputs);
  }
  /// A node on the way to the result of `op`.
  GraphTensor step(mlir::Operation *op, PointwiseMode mode, const std::vector<GraphTensor> &inputs);
  GraphTensor constant(double value, const GraphTensor &like);

  // GraphReductions.cpp
  bool reduction(mlir::Operation *op);

  mlir::func::FuncOp function;
  graph::GraphDefinition graph;
  std::vector<graph::Node> nodes;
  std::vector<mlir::Operation *> nodeOps;                             ///< By node: the op that it came from.
  llvm::DenseMap<const graph::TensorAttr *, int> makers;              ///< Node that makes a tensor.
  llvm::DenseMap<const graph::TensorAttr *, int> argumentOf;          ///< Of input tensors.
  llvm::DenseMap<mlir::Value, std::pair<int, Extents>> seenArguments; ///< Arguments permuted: number and strides.
  llvm::DenseMap<mlir::Value, GraphTensor> values;
  struct Written {
    graph::TensorPtr tensor;
    int destination;
  };
  std::vector<Written> written;
};

} // namespace orzo::torch
