#include "orzo/Graph/GraphDefinition.h"

namespace orzo::graph {

GraphDefinition &GraphDefinition::setName(std::string value) { return name = std::move(value), *this; }
GraphDefinition &GraphDefinition::setIODataType(DataType value) {
  ioType = value;
  validated = false;
  return *this;
}
GraphDefinition &GraphDefinition::setIntermediateDataType(DataType value) {
  intermediateType = value;
  validated = false;
  return *this;
}
GraphDefinition &GraphDefinition::setComputeDataType(DataType value) {
  computeType = value;
  validated = false;
  return *this;
}
GraphDefinition &GraphDefinition::setStrictRounding(bool value) {
  strictRounding = value;
  validated = false;
  return *this;
}

TensorPtr GraphDefinition::tensor(const TensorAttr &attr) {
  validated = false;
  return tensorList.emplace_back(std::make_shared<TensorAttr>(attr));
}

TensorPtr GraphDefinition::add(NodeAttr attr, std::vector<TensorPtr> inputs) {
  TensorPtr output = tensor(TensorAttr().setIsVirtual(true));
  nodeList.push_back({std::move(attr), std::move(inputs), output, ""});
  return output;
}

void GraphDefinition::node(Node node) {
  validated = false;
  bool known = !node.output;
  for (const TensorPtr &tensor : tensorList)
    known = known || tensor == node.output;
  if (!known)
    tensorList.push_back(node.output);
  nodeList.push_back(std::move(node));
}

TensorPtr GraphDefinition::convFProp(const TensorPtr &x, const TensorPtr &w, const ConvFPropAttr &attr) {
  return add(attr, {x, w});
}

TensorPtr GraphDefinition::convFProp(const TensorPtr &x, const TensorPtr &w, const TensorPtr &bias,
                                     const ConvFPropAttr &attr) {
  TensorPtr product = add(attr, {x, w}), added = bias;
  if (bias && bias->getDim().size() == 1 && w && w->getDim().size() > 2) {
    std::vector<int64_t> dim(w->getDim().size(), 1);
    dim[1] = bias->getDim()[0];
    added = reshape(bias, ReshapeAttr().setDim(dim));
  }
  return pointwise(product, added, PointwiseAttr().setMode(PointwiseMode::ADD));
}

TensorPtr GraphDefinition::convDGrad(const TensorPtr &dy, const TensorPtr &w, const ConvDGradAttr &attr) {
  return add(attr, {dy, w});
}
TensorPtr GraphDefinition::convWGrad(const TensorPtr &dy, const TensorPtr &x, const ConvWGradAttr &attr) {
  return add(attr, {dy, x});
}
TensorPtr GraphDefinition::matmul(const TensorPtr &a, const TensorPtr &b, const MatmulAttr &attr) {
  return add(attr, {a, b});
}
TensorPtr GraphDefinition::pointwise(const TensorPtr &in, const PointwiseAttr &attr) { return add(attr, {in}); }
TensorPtr GraphDefinition::pointwise(const TensorPtr &in0, const TensorPtr &in1, const PointwiseAttr &attr) {
  return add(attr, {in0, in1});
}
TensorPtr GraphDefinition::pointwise(const TensorPtr &in0, const TensorPtr &in1, const TensorPtr &in2,
                                     const PointwiseAttr &attr) {
  return add(attr, {in0, in1, in2});
}
TensorPtr GraphDefinition::reduction(const TensorPtr &x, const ReductionAttr &attr) { return add(attr, {x}); }
TensorPtr GraphDefinition::cast(const TensorPtr &x, const CastAttr &attr) { return add(attr, {x}); }
TensorPtr GraphDefinition::reshape(const TensorPtr &x, const ReshapeAttr &attr) { return add(attr, {x}); }
TensorPtr GraphDefinition::transpose(const TensorPtr &x, const TransposeAttr &attr) { return add(attr, {x}); }
TensorPtr GraphDefinition::slice(const TensorPtr &x, const SliceAttr &attr) { return add(attr, {x}); }

Expected<std::string> GraphDefinition::text() const {
  Expected<GraphProblem> result = problem();
  if (!result)
    return result.status();
  return orzo::text(result->spec);
}

} // namespace orzo::graph
