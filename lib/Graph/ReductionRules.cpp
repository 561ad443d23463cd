#include "Graph/NodeRules.h"

#include <algorithm>

namespace orzo::graph {

namespace {

const ReductionAttr &attrOf(const Node &node) { return std::get<ReductionAttr>(node.attr); }

Status preValidate(const Node &node) {
  const TensorAttr &x = *node.inputs[0];
  ReductionMode mode = attrOf(node).getMode();
  if (mode == ReductionMode::NOT_SET)
    return invalid(node, "its mode is not set; ReductionAttr::setMode says which");
  if (mode == ReductionMode::AVG && !isFloat(x.getDataType()))
    return invalid(node, x, "avg is for floats; got " + std::string(name(x.getDataType())));
  std::vector<bool> seen(x.getDim().size(), false);
  for (int64_t axis : attrOf(node).getAxes()) {
    if (axis < 0 || axis >= static_cast<int64_t>(seen.size()) || seen[axis])
      return invalid(node, x,
                     "axis " + std::to_string(axis) + " is " +
                         (axis >= 0 && axis < static_cast<int64_t>(seen.size())
                              ? "given twice"
                              : "none of its dims; 0 to " + std::to_string(seen.size() - 1) + " are"));
    seen[axis] = true;
  }
  if (attrOf(node).getAxes().empty() && node.output->getDim().empty())
    return invalid(node, *node.output,
                   "nothing says what to reduce; setDim on this tensor with 1 for each reduced dim, or "
                   "ReductionAttr::setAxes, would work");
  return Status::success();
}

Status infer(const Node &node) {
  Extents dim = node.inputs[0]->getDim();
  for (int64_t axis : attrOf(node).getAxes())
    dim[axis] = 1;
  inferDim(node, dim);
  inferLike(node, *node.inputs[0]);
  return Status::success();
}

Status postValidate(const Node &node) {
  const TensorAttr &x = *node.inputs[0], &y = *node.output;
  if (x.getDim().size() != y.getDim().size())
    return invalid(node, y,
                   "must have the input's dims, the reduced ones 1; got " + text(y.getDim()) + " for " +
                       text(x.getDim()));
  bool reduces = false;
  for (size_t i = 0; i < y.getDim().size(); ++i) {
    const std::vector<int64_t> &axes = attrOf(node).getAxes();
    bool wanted = std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    bool kept = y.getDim()[i] == x.getDim()[i];
    if ((!kept && y.getDim()[i] != 1) || (wanted && y.getDim()[i] != 1) || (!axes.empty() && !wanted && !kept))
      return invalid(node, y,
                     "dim " + std::to_string(i) + " must be " +
                         (wanted         ? "1, being reduced"
                          : axes.empty() ? std::to_string(x.getDim()[i]) + ", or 1 to reduce it"
                                         : std::to_string(x.getDim()[i])) +
                         "; got " + text(y.getDim()));
    reduces = reduces || wanted || !kept;
  }
  if (!reduces)
    return invalid(node, y, "no dim is reduced; got " + text(y.getDim()) + " for " + text(x.getDim()));
  return Status::success();
}

} // namespace

const NodeRules reductionRules = {preValidate, infer, postValidate};

} // namespace orzo::graph
