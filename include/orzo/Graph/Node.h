// Node: one operation of a graph.
#pragma once

#include "orzo/Graph/NodeAttrs.h"

#include <string_view>
#include <variant>

namespace orzo::graph {

using NodeAttr = std::variant<ConvFPropAttr, ConvDGradAttr, ConvWGradAttr, MatmulAttr, PointwiseAttr, ReductionAttr,
                              CastAttr, ReshapeAttr, TransposeAttr, SliceAttr>;

struct Node {
  NodeAttr attr;
  std::vector<TensorPtr> inputs; ///< fprop x w, dgrad dy w, wgrad dy x, matmul a b, others as the mode counts them.
  TensorPtr output;
  std::string name; ///< The attribute's, or one made up by the graph.
};

/// "convFProp", "matmul", "pointwise", ... as the graph's methods are called.
std::string_view kindOf(const Node &node);

/// The name in the attribute; may be empty.
const std::string &givenName(const NodeAttr &attr);

} // namespace orzo::graph
