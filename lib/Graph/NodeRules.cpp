#include "Graph/NodeRules.h"

#include <algorithm>
#include <type_traits>

namespace orzo::graph {

std::string_view kindOf(const Node &node) {
  constexpr std::string_view kinds[] = {"convFProp", "convDGrad", "convWGrad", "matmul",    "pointwise",
                                        "reduction", "cast",      "reshape",   "transpose", "slice"};
  static_assert(std::size(kinds) == std::variant_size_v<NodeAttr>);
  return kinds[node.attr.index()];
}

const std::string &givenName(const NodeAttr &attr) {
  return std::visit([](const auto &kind) -> const std::string & { return kind.getName(); }, attr);
}

std::string describe(const Node &node) { return std::string(kindOf(node)) + " '" + node.name + "'"; }

static std::string where(const Node &node, const TensorAttr &tensor) {
  return describe(node) + ", tensor '" + tensor.getName() + "': ";
}

Status invalid(const Node &node, const TensorAttr &tensor, const std::string &message) {
  return Status::invalidArgument(where(node, tensor) + message);
}
Status unsupported(const Node &node, const TensorAttr &tensor, const std::string &message) {
  return Status::unsupported(where(node, tensor) + message);
}
Status invalid(const Node &node, const std::string &message) {
  return Status::invalidArgument(describe(node) + ": " + message);
}

const NodeRules &rulesOf(const Node &node) {
  return std::visit(
      [](const auto &attr) -> const NodeRules & {
        using Attr = std::decay_t<decltype(attr)>;
        if constexpr (std::is_same_v<Attr, MatmulAttr>)
          return matmulRules;
        else if constexpr (std::is_same_v<Attr, PointwiseAttr>)
          return pointwiseRules;
        else if constexpr (std::is_same_v<Attr, ReductionAttr>)
          return reductionRules;
        else if constexpr (std::is_same_v<Attr, CastAttr>)
          return castRules;
        else if constexpr (std::is_same_v<Attr, ReshapeAttr>)
          return reshapeRules;
        else if constexpr (std::is_same_v<Attr, TransposeAttr>)
          return transposeRules;
        else if constexpr (std::is_same_v<Attr, SliceAttr>)
          return sliceRules;
        else
          return convRules;
      },
      node.attr);
}

void inferDim(const Node &node, Extents dim) {
  if (node.output->getDim().empty())
    TensorInference::setDim(*node.output, std::move(dim));
}

void inferRows(const Node &node) {
  // Dims that are too large are an error that comes later; strides would overflow.
  if (node.output->getStride().empty() && volume(node.output->getDim()))
    TensorInference::setStride(*node.output, packedRows(node.output->getDim()));
}

void inferLike(const Node &node, const TensorAttr &like) {
  if (!node.output->getStride().empty() || !volume(node.output->getDim()))
    return;
  const Extents &dim = node.output->getDim();
  if (like.getDim().size() != dim.size())
    return inferRows(node);
  TensorInference::setStride(*node.output, packedInOrder(dim, fullOrder(like.getDim(), like.getStride())));
}

Status checkDim(const Node &node, const Extents &expected) {
  if (node.output->getDim() == expected)
    return Status::success();
  return invalid(node, *node.output,
                 "its dims must be " + text(expected) + "; got " + text(node.output->getDim()) +
                     "; leaving them unset would work");
}

NodeStrides realStrides(const Node &node) {
  NodeStrides strides;
  const TensorAttr *tensors[] = {node.inputs[0].get(), node.inputs[1].get(), node.output.get()};
  for (int i = 0; i < 3; ++i)
    strides[i] = tensors[i]->isVirtual() ? packedRows(tensors[i]->getDim()) : tensors[i]->getStride();
  return strides;
}

std::optional<Extents> broadcast(const Extents &a, const Extents &b) {
  Extents result(std::max(a.size(), b.size()), 1);
  for (size_t back = 1; back <= result.size(); ++back) {
    int64_t left = back <= a.size() ? a[a.size() - back] : 1, right = back <= b.size() ? b[b.size() - back] : 1;
    if (left != right && left != 1 && right != 1)
      return std::nullopt;
    result[result.size() - back] = left == 1 ? right : left;
  }
  return result;
}

Extents broadcastStrides(const Extents &dim, const Extents &stride, const Extents &target) {
  Extents result(target.size(), 0);
  for (size_t back = 1; back <= dim.size(); ++back)
    if (dim[dim.size() - back] != 1)
      result[target.size() - back] = stride[dim.size() - back];
  return result;
}

std::optional<Extents> reshapedStrides(const Extents &dim, const Extents &stride, const Extents &target) {
  Extents result(target.size(), 1);
  if (std::find(dim.begin(), dim.end(), 0) != dim.end())
    return result;
  // Runs of source and target dims of the same product, innermost first; within a run the source must be one range of
  // evenly spaced elements.
  size_t source = dim.size(), goal = target.size();
  while (true) {
    while (source > 0 && dim[source - 1] == 1)
      --source;
    while (goal > 0 && target[goal - 1] == 1)
      --goal;
    if (source == 0 || goal == 0)
      return result;
    int64_t step = stride[source - 1], have = 1, want = 1, next = step;
    auto take = [&] {
      int64_t extent = dim[--source];
      bool even = extent == 1 || stride[source] == next;
      if (extent != 1)
        next = stride[source] * extent;
      have *= extent;
      return even;
    };
    if (!take())
      return std::nullopt;
    while (true) {
      if (want < have && goal > 0) {
        result[goal - 1] = step * want;
        want *= target[--goal];
      } else if (have < want && source > 0) {
        if (!take())
          return std::nullopt;
      } else {
        break;
      }
    }
  }
}

} // namespace orzo::graph
