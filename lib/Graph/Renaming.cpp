#include "Graph/Renaming.h"

namespace orzo::graph {

static Extents withoutOnes(Extents dim) {
  std::erase(dim, 1);
  return dim;
}

bool isRenaming(const Node &node) {
  const TensorAttr &from = *node.inputs[0], &to = *node.output;
  if (std::holds_alternative<TransposeAttr>(node.attr))
    return true;
  if (std::holds_alternative<ReshapeAttr>(node.attr))
    return withoutOnes(from.getDim()) == withoutOnes(to.getDim());
  const auto *pointwise = std::get_if<PointwiseAttr>(&node.attr);
  bool isCopy =
      std::holds_alternative<CastAttr>(node.attr) || (pointwise && pointwise->getMode() == PointwiseMode::IDENTITY);
  return isCopy && from.getDataType() == to.getDataType() && from.getDim() == to.getDim();
}

/// `stride` of the dims longer than 1 of `from`, in order, given to those of `to`.
static Extents carried(const Extents &from, const Extents &stride, const Extents &to) {
  Extents result(to.size(), 0);
  size_t source = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    if (to[i] == 1)
      continue;
    while (from[source] == 1)
      ++source;
    result[i] = stride[source++];
  }
  return result;
}

Extents toSource(const Node &node, const Extents &stride) {
  const auto *attr = std::get_if<TransposeAttr>(&node.attr);
  if (!attr)
    return carried(node.output->getDim(), stride, node.inputs[0]->getDim());
  Extents result(stride.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[attr->getPermutation()[i]] = stride[i];
  return result;
}

Extents fromSource(const Node &node, const Extents &stride) {
  const auto *attr = std::get_if<TransposeAttr>(&node.attr);
  if (!attr)
    return carried(node.inputs[0]->getDim(), stride, node.output->getDim());
  Extents result;
  for (int64_t source : attr->getPermutation())
    result.push_back(stride[source]);
  return result;
}

} // namespace orzo::graph
