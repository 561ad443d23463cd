#include "RandomMistakes.h"

#include <map>
#include <span>

namespace orzo::graph::test {

namespace {

int64_t wild(std::mt19937 &random) {
  const int64_t values[] = {-1, 0, 1, 2, 3, 7, 1 << 20, int64_t(1) << 40, INT64_MAX, INT64_MIN};
  return values[pick(random, 0, 9)];
}

std::vector<int64_t> wildList(std::mt19937 &random) {
  std::vector<int64_t> list(pick(random, 0, 5));
  for (int64_t &value : list)
    value = wild(random);
  return list;
}

void breakTensor(TensorAttr &tensor, std::mt19937 &random) {
  std::vector<int64_t> dim = tensor.getDim(), stride = tensor.getStride();
  switch (pick(random, 0, 7)) {
  case 0:
    tensor.setDim(wildList(random));
    break;
  case 1:
    tensor.setStride(wildList(random));
    break;
  case 2:
    if (!dim.empty())
      dim[pick(random, 0, static_cast<int64_t>(dim.size()) - 1)] = wild(random);
    tensor.setDim(dim);
    break;
  case 3:
    if (!stride.empty())
      stride[pick(random, 0, static_cast<int64_t>(stride.size()) - 1)] = wild(random);
    tensor.setStride(stride);
    break;
  case 4:
    tensor.setDataType(static_cast<DataType>(pick(random, 0, 10)));
    break;
  case 5:
    tensor.setIsVirtual(pick(random, 0, 1) != 0);
    break;
  case 6:
    tensor.setName("same");
    break;
  default:
    dim.push_back(wild(random));
    tensor.setDim(dim);
  }
}

template <typename Attr> void breakConv(Attr &attr, std::mt19937 &random) {
  switch (pick(random, 0, 4)) {
  case 0:
    attr.setStride(wildList(random));
    break;
  case 1:
    attr.setDilation({wild(random), wild(random)});
    break;
  case 2:
    attr.setPrePadding({wild(random), wild(random)});
    break;
  case 3:
    attr.setPostPadding(wildList(random));
    break;
  default:
    attr.setGroups(wild(random));
  }
}

struct BreakAttr {
  std::mt19937 &random;
  void operator()(ConvFPropAttr &attr) { breakConv(attr, random); }
  void operator()(ConvDGradAttr &attr) { breakConv(attr, random); }
  void operator()(ConvWGradAttr &attr) { breakConv(attr, random); }
  void operator()(MatmulAttr &attr) { attr.setName("same"); }
  void operator()(PointwiseAttr &attr) { attr.setMode(static_cast<PointwiseMode>(pick(random, 0, 49))); }
  void operator()(ReductionAttr &attr) { attr.setAxes(wildList(random)); }
  void operator()(CastAttr &attr) { attr.setName("same"); }
  void operator()(ReshapeAttr &attr) { attr.setDim(wildList(random)); }
  void operator()(TransposeAttr &attr) { attr.setPermutation(wildList(random)); }
  void operator()(SliceAttr &attr) { attr.setStarts(wildList(random)).setSteps(wildList(random)); }
};

/// `tensors` and `nodes` as a graph of copies; null tensors stay null.
GraphDefinition rebuilt(std::span<const TensorPtr> tensors, const std::vector<Node> &nodes) {
  GraphDefinition graph;
  std::map<const TensorAttr *, TensorPtr> copies = {{nullptr, nullptr}};
  for (const TensorPtr &tensor : tensors)
    copies[tensor.get()] = graph.tensor(*tensor);
  for (Node node : nodes) {
    for (TensorPtr &input : node.inputs)
      input = copies[input.get()];
    node.output = copies[node.output.get()];
    graph.node(std::move(node));
  }
  return graph;
}

void breakNode(Node &node, const TensorPtr &other, std::mt19937 &random) {
  switch (pick(random, 0, 5)) {
  case 0:
    node.inputs.push_back(other);
    break;
  case 1:
    node.output = other;
    break;
  case 2:
    if (!node.inputs.empty())
      node.inputs.pop_back();
    break;
  default:
    if (!node.inputs.empty())
      pickFrom(random, node.inputs) = pick(random, 0, 9) ? other : nullptr;
  }
}

} // namespace

GraphDefinition mistakenGraph(unsigned seed) {
  std::mt19937 random(seed);
  GraphDefinition graph = randomGraph(random, 1 + static_cast<int>(seed % 5));
  std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
  std::vector<TensorPtr> tensors(graph.tensors().begin(), graph.tensors().end());
  for (int64_t count = nodes.empty() ? 0 : pick(random, 1, 3); count-- > 0;)
    switch (pick(random, 0, 3)) {
    case 0:
    case 1:
      breakTensor(*pickFrom(random, tensors), random);
      break;
    case 2:
      std::visit(BreakAttr{random}, pickFrom(random, nodes).attr);
      break;
    default:
      breakNode(pickFrom(random, nodes), pickFrom(random, tensors), random);
    }
  GraphDefinition broken = rebuilt(tensors, nodes);
  broken.setIODataType(DataType::Float);
  return broken;
}

} // namespace orzo::graph::test
