#include "Graph/NodeRules.h"

#include <cmath>

namespace orzo::graph {

namespace {

const PointwiseAttr &attrOf(const Node &node) { return std::get<PointwiseAttr>(node.attr); }

Status preValidate(const Node &node) {
  PointwiseMode mode = attrOf(node).getMode();
  if (mode == PointwiseMode::NOT_SET)
    return invalid(node, "its mode is not set; PointwiseAttr::setMode says which");
  if (inputCount(mode) != static_cast<int>(node.inputs.size()))
    return invalid(node, *node.inputs[0],
                   "mode " + std::string(name(mode)) + " takes " + std::to_string(inputCount(mode)) + " inputs; got " +
                       std::to_string(node.inputs.size()));
  const PointwiseParameters &p = attrOf(node).getParameters();
  for (double value : {p.reluLowerClip, p.reluUpperClip, p.reluLowerClipSlope, p.eluAlpha, p.softplusBeta,
                       p.softplusThreshold, p.swishBeta})
    if (std::isnan(value))
      return invalid(node, "a parameter is NaN");
  if (p.reluLowerClip > p.reluUpperClip)
    return invalid(node, "the lower clip must not be above the upper one; got " + std::to_string(p.reluLowerClip) +
                             " and " + std::to_string(p.reluUpperClip));
  if (p.softplusBeta == 0)
    return invalid(node, "softplus divides by beta, which is 0");
  return Status::success();
}

Expected<Extents> resultDim(const Node &node) {
  Extents dim = node.inputs[0]->getDim();
  for (const TensorPtr &input : node.inputs) {
    std::optional<Extents> both = broadcast(dim, input->getDim());
    if (!both)
      return invalid(node, *input,
                     "its dims do not broadcast against " + text(dim) + "; got " + text(input->getDim()) +
                         "; dims are aligned at the last, and must be equal or 1");
    dim = *both;
  }
  return dim;
}

Status infer(const Node &node) {
  Expected<Extents> dim = resultDim(node);
  if (!dim)
    return dim.status();
  inferDim(node, *dim);
  if (isBooleanMode(attrOf(node).getMode()) && node.output->getDataType() == DataType::NotSet)
    TensorInference::setType(*node.output, DataType::Boolean);
  for (const TensorPtr &input : node.inputs)
    if (input->getDim() == node.output->getDim() && isInjective(input->getDim(), input->getStride())) {
      inferLike(node, *input);
      break;
    }
  inferRows(node);
  return Status::success();
}

Status postValidate(const Node &node) {
  Expected<Extents> dim = resultDim(node);
  if (!dim)
    return dim.status();
  return checkDim(node, *dim);
}

Status passes(const Node &node) { return Status::success(); }

Status inferCast(const Node &node) {
  inferDim(node, node.inputs[0]->getDim());
  if (isInjective(node.inputs[0]->getDim(), node.inputs[0]->getStride()))
    inferLike(node, *node.inputs[0]);
  inferRows(node);
  return Status::success();
}

Status postCast(const Node &node) { return checkDim(node, node.inputs[0]->getDim()); }

} // namespace

const NodeRules pointwiseRules = {preValidate, infer, postValidate};
const NodeRules castRules = {passes, inferCast, postCast};

} // namespace orzo::graph
