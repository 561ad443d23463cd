// NodeRules: what each kind of node demands of its tensors and gives to its result, in the three moments of validation.
//
// preValidate may read dims and strides of the inputs only; infer sets what the user left open on the output;
// postValidate reads everything. ValidationTest.cpp has a test for every error.
#pragma once

#include "Graph/Strides.h"
#include "orzo/Graph/Node.h"
#include "orzo/Spec/ConvSpec.h"
#include "orzo/Support/Status.h"

#include <array>

namespace orzo::graph {

/// Writes what was inferred, so that it can be told from what was given.
struct TensorInference {
  static void setName(TensorAttr &tensor, std::string value);
  static void setDim(TensorAttr &tensor, Extents value);
  static void setStride(TensorAttr &tensor, Extents value);
  static void setType(TensorAttr &tensor, DataType value);
  /// Takes back everything that was inferred.
  static void clear(TensorAttr &tensor);
};

/// "convDGrad 'grad'".
std::string describe(const Node &node);

/// InvalidArgument "convDGrad 'grad', tensor 'dx': message".
Status invalid(const Node &node, const TensorAttr &tensor, const std::string &message);
Status unsupported(const Node &node, const TensorAttr &tensor, const std::string &message);
/// The same without a tensor.
Status invalid(const Node &node, const std::string &message);

struct NodeRules {
  Status (*preValidate)(const Node &node);
  Status (*infer)(const Node &node);
  Status (*postValidate)(const Node &node);
};

extern const NodeRules convRules, matmulRules, pointwiseRules, reductionRules, castRules, reshapeRules, transposeRules,
    sliceRules;

const NodeRules &rulesOf(const Node &node);

/// Stores `dim` on the output where it has none.
void inferDim(const Node &node, Extents dim);

/// Row-by-row strides, or those of the order that `like` has, on the output where it has none.
void inferRows(const Node &node);
void inferLike(const Node &node, const TensorAttr &like);

/// The output's dims are `expected`, else an error that says both.
Status checkDim(const Node &node, const Extents &expected);

/// The strides of the three tensors of a convolution or of a matmul, in the node's order: inputs, output.
using NodeStrides = std::array<Extents, 3>;

/// The tensors' own strides; row by row for virtual tensors, whose strides are but a hint.
NodeStrides realStrides(const Node &node);

/// The problem that a conv or matmul node is, its layouts read from `strides`. Unsupported where memory is not packed;
/// InvalidArgument with the number of the constraint that is violated.
Expected<ConvSpec> convSpecOf(const Node &node, const NodeStrides &strides);
Expected<ConvSpec> matmulSpecOf(const Node &node, const NodeStrides &strides);

/// Padding, stride, dilation of a conv node.
const ConvGeometry &convGeometry(const Node &node);

/// The roles of the node's tensors in that problem, in the node's order.
std::array<Role, 3> convRoles(const Node &node);

/// The dims of tensors that broadcast against each other, aligned at the last; nullopt where they do not.
std::optional<Extents> broadcast(const Extents &a, const Extents &b);

/// The strides of a tensor of `dim` and `stride` read as `target` (as broadcast() made it): 0 along repeated dims.
Extents broadcastStrides(const Extents &dim, const Extents &stride, const Extents &target);

/// The strides under which the elements of a tensor, row by row, are one of `target`; nullopt where memory forbids.
std::optional<Extents> reshapedStrides(const Extents &dim, const Extents &stride, const Extents &target);

} // namespace orzo::graph
