#include "Graph/NodeRules.h"

#include <algorithm>

namespace orzo::graph {

namespace {

/// Results that are their input seen otherwise have its type.
Status sameType(const Node &node) {
  if (node.output->getDataType() == node.inputs[0]->getDataType())
    return Status::success();
  return invalid(node, *node.output,
                 "its data type must be that of '" + node.inputs[0]->getName() + "', " +
                     std::string(name(node.inputs[0]->getDataType())) + "; got " +
                     std::string(name(node.output->getDataType())) + "; a cast node converts");
}

void inferSameType(const Node &node) {
  if (node.output->getDataType() == DataType::NotSet)
    TensorInference::setType(*node.output, node.inputs[0]->getDataType());
}

//===- reshape ------------------------------------------------------------------------------------------------------===

Status preReshape(const Node &node) {
  if (std::get<ReshapeAttr>(node.attr).getDim().empty() && node.output->getDim().empty())
    return invalid(node, *node.output, "has no dims; setDim on this tensor, or ReshapeAttr::setDim, would work");
  return Status::success();
}

Status inferReshape(const Node &node) {
  inferDim(node, std::get<ReshapeAttr>(node.attr).getDim());
  inferSameType(node);
  inferRows(node);
  return Status::success();
}

Status postReshape(const Node &node) {
  const TensorAttr &x = *node.inputs[0], &y = *node.output;
  const Extents &asked = std::get<ReshapeAttr>(node.attr).getDim();
  if (!asked.empty() && asked != y.getDim())
    return checkDim(node, asked);
  if (volume(x.getDim()) != volume(y.getDim()))
    return invalid(node, y,
                   "must have as many elements as '" + x.getName() + "' (" + text(x.getDim()) + "); got " +
                       text(y.getDim()));
  return sameType(node);
}

//===- transpose ----------------------------------------------------------------------------------------------------===

Status preTranspose(const Node &node) {
  std::vector<int64_t> sorted = std::get<TransposeAttr>(node.attr).getPermutation();
  Extents given = sorted;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<int64_t>(i) || sorted.size() != node.inputs[0]->getDim().size())
      sorted.clear();
  if (sorted.empty())
    return invalid(node, *node.inputs[0],
                   "the permutation must name each of its " + std::to_string(node.inputs[0]->getDim().size()) +
                       " dims once; got " + text(given));
  return Status::success();
}

Extents transposed(const Node &node, const Extents &values) {
  Extents result;
  for (int64_t source : std::get<TransposeAttr>(node.attr).getPermutation())
    result.push_back(values[source]);
  return result;
}

Status inferTranspose(const Node &node) {
  inferDim(node, transposed(node, node.inputs[0]->getDim()));
  inferSameType(node);
  if (node.output->getStride().empty() && isInjective(node.inputs[0]->getDim(), node.inputs[0]->getStride()))
    TensorInference::setStride(*node.output, transposed(node, node.inputs[0]->getStride()));
  inferRows(node);
  return Status::success();
}

Status postTranspose(const Node &node) {
  if (Status status = checkDim(node, transposed(node, node.inputs[0]->getDim())); !status.ok())
    return status;
  return sameType(node);
}

//===- slice --------------------------------------------------------------------------------------------------------===

int64_t stepOf(const SliceAttr &attr, size_t i) { return attr.getSteps().empty() ? 1 : attr.getSteps()[i]; }

Status preSlice(const Node &node) {
  const auto &attr = std::get<SliceAttr>(node.attr);
  const TensorAttr &x = *node.inputs[0];
  size_t rank = x.getDim().size();
  if (attr.getStarts().size() != rank || attr.getLimits().size() != rank ||
      (!attr.getSteps().empty() && attr.getSteps().size() != rank))
    return invalid(node, x,
                   "starts, limits and steps (or no steps) must have an entry for each of its " + std::to_string(rank) +
                       " dims; got " + std::to_string(attr.getStarts().size()) + ", " +
                       std::to_string(attr.getLimits().size()) + " and " + std::to_string(attr.getSteps().size()));
  for (size_t i = 0; i < rank; ++i) {
    int64_t start = attr.getStarts()[i], limit = attr.getLimits()[i];
    if (start < 0 || start >= limit || limit > x.getDim()[i] || stepOf(attr, i) < 1)
      return invalid(node, x,
                     "dim " + std::to_string(i) + " has " + std::to_string(x.getDim()[i]) + " elements; start " +
                         std::to_string(start) + ", limit " + std::to_string(limit) + ", step " +
                         std::to_string(stepOf(attr, i)) +
                         " take none or others; 0 <= start < limit <= extent and step >= 1 would work");
  }
  return Status::success();
}

Extents slicedDim(const Node &node) {
  const auto &attr = std::get<SliceAttr>(node.attr);
  Extents dim;
  for (size_t i = 0; i < attr.getStarts().size(); ++i)
    dim.push_back((attr.getLimits()[i] - attr.getStarts()[i] - 1) / stepOf(attr, i) + 1);
  return dim;
}

Status inferSlice(const Node &node) {
  inferDim(node, slicedDim(node));
  inferSameType(node);
  inferLike(node, *node.inputs[0]);
  return Status::success();
}

Status postSlice(const Node &node) {
  if (Status status = checkDim(node, slicedDim(node)); !status.ok())
    return status;
  return sameType(node);
}

} // namespace

const NodeRules reshapeRules = {preReshape, inferReshape, postReshape};
const NodeRules transposeRules = {preTranspose, inferTranspose, postTranspose};
const NodeRules sliceRules = {preSlice, inferSlice, postSlice};

} // namespace orzo::graph
