#include "RandomGraph.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace orzo::graph::test {

int64_t pick(std::mt19937 &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

namespace {

std::vector<int64_t> shuffledStrides(const std::vector<int64_t> &dim, std::mt19937 &random) {
  std::vector<int> order(dim.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<int64_t> stride(dim.size());
  int64_t next = 1;
  for (int i : order) {
    // A dim of extent 1 has no stride to speak of.
    stride[i] = dim[i] == 1 ? pick(random, 0, 99) : next;
    next *= dim[i];
  }
  return stride;
}

class Maker {
public:
  explicit Maker(std::mt19937 &random) : random(random) {
    graph.setName("random").setIODataType(DataType::Float);
    if (pick(random, 0, 1))
      graph.setIntermediateDataType(pick(random, 0, 1) ? DataType::BFloat16 : DataType::Float);
    input({2, pick(random, 1, 4), pick(random, 1, 5), pick(random, 1, 5)});
  }

  void add() {
    TensorPtr x = pickFrom(random, tensors), y;
    const std::vector<int64_t> &dim = x->getDim();
    int64_t kind = pick(random, 0, 9);
    if (kind <= 2 && toDataType(x->getDataType()) && dim.size() == 4)
      y = convolution(x, kind);
    else if (kind <= 5)
      y = pointwise(x);
    else if (kind == 6)
      y = reduction(x);
    else if (kind == 7)
      y = transposeOrReshape(x);
    else if (kind == 8)
      y = slice(x);
    else
      y = matmulOrCast(x);
    if (pick(random, 0, 3) == 0)
      y->setOutput(true);
    (void)graph.validate(); // Without an output that fails, but everything is inferred before.
    // A product over several batch dims is not supported in every order of memory.
    if (!y->isVirtual() && pick(random, 0, 1) && !std::holds_alternative<MatmulAttr>(graph.nodes().back().attr))
      y->setStride(shuffledStrides(y->getDim(), random));
    (void)graph.validate();
    tensors.push_back(y);
  }

  GraphDefinition finish() {
    tensors.back()->setOutput(true);
    return std::move(graph);
  }

private:
  TensorPtr input(std::vector<int64_t> dim, DataType type = DataType::NotSet) {
    TensorAttr attr;
    attr.setDim(dim).setStride(shuffledStrides(dim, random)).setDataType(type).setName("in" + std::to_string(count++));
    TensorPtr tensor = graph.tensor(attr);
    (void)graph.validate();
    tensors.push_back(tensor);
    return tensor;
  }

  TensorPtr convolution(const TensorPtr &x, int64_t kind) {
    std::vector<int64_t> dim = x->getDim();
    std::vector<int64_t> stride = {pick(random, 1, 2), pick(random, 1, 2)}, dilation = {1, pick(random, 1, 2)};
    std::vector<int64_t> pre = {pick(random, 0, 2), pick(random, 0, 2)}, post = {pick(random, 0, 2), 1};
    int64_t groups = dim[1] % 2 == 0 ? pick(random, 1, 2) : 1;
    int64_t k = groups * pick(random, 1, 3);
    std::vector<int64_t> filter = {pick(random, 1, std::min<int64_t>(2, dim[2])),
                                   pick(random, 1, std::min<int64_t>(2, (dim[3] + 1) / dilation[1]))};
    auto set = [&](auto attr) {
      return attr.setStride(stride).setDilation(dilation).setPrePadding(pre).setPostPadding(post);
    };
    std::vector<int64_t> out;
    for (int i = 0; i < 2; ++i)
      out.push_back((dim[i + 2] + pre[i] + post[i] - (filter[i] - 1) * dilation[i] - 1) / stride[i] + 1);
    if (kind == 0)
      return graph.convFProp(x, input({k, dim[1] / groups, filter[0], filter[1]}, x->getDataType()),
                             set(ConvFPropAttr()));
    if (kind == 1) {
      TensorPtr dw = graph.convWGrad(input({dim[0], k, out[0], out[1]}, x->getDataType()), x, set(ConvWGradAttr()));
      dw->setDim({k, dim[1] / groups, filter[0], filter[1]});
      return dw;
    }
    // x is dy here: dim 1 counts output channels.
    std::vector<int64_t> in = {dim[0], groups * pick(random, 1, 3)};
    for (int i = 0; i < 2; ++i)
      in.push_back((dim[i + 2] - 1) * stride[i] + (filter[i] - 1) * dilation[i] + 1 - pre[i] - post[i] +
                   pick(random, 0, stride[i] - 1));
    if (in[2] < 1 || in[3] < 1)
      return pointwise(x);
    TensorPtr dx = graph.convDGrad(x, input({dim[1], in[1] / groups, filter[0], filter[1]}, x->getDataType()),
                                   set(ConvDGradAttr()));
    dx->setDim(in);
    return dx;
  }

  TensorPtr pointwise(const TensorPtr &x) {
    auto modes = allPointwiseModes();
    PointwiseAttr attr;
    attr.setMode(pickFrom(random, modes)).setReluUpperClip(6).setSwishBeta(2).setEluAlpha(0.5);
    std::vector<TensorPtr> inputs = {x};
    while (static_cast<int>(inputs.size()) < inputCount(attr.getMode())) {
      std::vector<int64_t> dim = x->getDim();
      if (pick(random, 0, 3) == 0)
        for (int64_t &extent : dim)
          extent = pick(random, 0, 1) ? 1 : extent;
      std::vector<TensorPtr> same;
      for (const TensorPtr &tensor : tensors)
        if (tensor->getDim() == dim)
          same.push_back(tensor);
      if (pick(random, 0, 4) == 0)
        inputs.push_back(graph.tensor(TensorAttr(0.5F).setName("scalar" + std::to_string(count++))));
      else
        inputs.push_back(same.empty() || pick(random, 0, 1) ? input(dim) : pickFrom(random, same));
    }
    std::shuffle(inputs.begin(), inputs.end(), random);
    if (inputs.size() == 1)
      return graph.pointwise(inputs[0], attr);
    return inputs.size() == 2 ? graph.pointwise(inputs[0], inputs[1], attr)
                              : graph.pointwise(inputs[0], inputs[1], inputs[2], attr);
  }

  TensorPtr reduction(const TensorPtr &x) {
    auto modes = allReductionModes();
    ReductionMode mode = pickFrom(random, modes);
    if (mode == ReductionMode::AVG && !isFloat(x->getDataType()))
      mode = ReductionMode::MAX;
    std::vector<int64_t> axes = {pick(random, 0, static_cast<int64_t>(x->getDim().size()) - 1)};
    if (axes[0] > 0)
      axes.push_back(0);
    return graph.reduction(x, ReductionAttr().setMode(mode).setAxes(axes));
  }

  TensorPtr transposeOrReshape(const TensorPtr &x) {
    std::vector<int64_t> dim = x->getDim(), permutation(dim.size());
    if (pick(random, 0, 2)) {
      std::iota(permutation.begin(), permutation.end(), 0);
      std::shuffle(permutation.begin(), permutation.end(), random);
      return graph.transpose(x, TransposeAttr().setPermutation(permutation));
    }
    // Only what is packed row by row may be reshaped in every way.
    TensorPtr rows = input(dim);
    rows->setStride({});
    return graph.reshape(rows, ReshapeAttr().setDim({dim[0], x->getVolume() / dim[0], 1}));
  }

  TensorPtr slice(const TensorPtr &x) {
    std::vector<int64_t> starts, limits, steps;
    for (int64_t extent : x->getDim()) {
      starts.push_back(pick(random, 0, extent - 1));
      limits.push_back(pick(random, starts.back() + 1, extent));
      steps.push_back(pick(random, 1, 2));
    }
    TensorPtr part = graph.slice(x, SliceAttr().setStarts(starts).setLimits(limits).setSteps(steps));
    (void)graph.validate();
    // Convolutions and reductions take whole tensors: what is sliced goes through a copy.
    return graph.pointwise(part, PointwiseAttr().setMode(PointwiseMode::IDENTITY));
  }

  TensorPtr matmulOrCast(const TensorPtr &x) {
    const std::vector<int64_t> &dim = x->getDim();
    if (dim.size() < 2 || !toDataType(x->getDataType()) || pick(random, 0, 1)) {
      TensorPtr y = graph.cast(x, CastAttr());
      y->setDataType(pick(random, 0, 1) ? DataType::BFloat16 : DataType::Half);
      return y;
    }
    TensorPtr rows = input(dim, x->getDataType());
    rows->setStride({});
    std::vector<int64_t> other = dim;
    other[dim.size() - 2] = dim.back();
    other.back() = 3;
    TensorPtr b = input(other, x->getDataType());
    b->setStride({});
    return graph.matmul(rows, b, MatmulAttr());
  }

  std::mt19937 &random;
  GraphDefinition graph;
  std::vector<TensorPtr> tensors;
  int count = 0;
};

} // namespace

GraphDefinition randomGraph(std::mt19937 &random, int nodes) {
  Maker maker(random);
  for (int i = 0; i < nodes; ++i)
    maker.add();
  return maker.finish();
}

GraphDefinition respelled(const GraphDefinition &graph, std::mt19937 &random) {
  GraphDefinition other;
  std::map<const TensorAttr *, TensorPtr> copies;
  std::vector<TensorPtr> made;
  for (const Node &node : graph.nodes())
    made.push_back(node.output);
  std::vector<TensorPtr> tensors(graph.tensors().begin(), graph.tensors().end());
  std::shuffle(tensors.begin(), tensors.end(), random);
  for (const TensorPtr &tensor : tensors) {
    TensorAttr attr = *tensor;
    std::vector<int64_t> stride = tensor->getStride();
    for (size_t i = 0; i < stride.size(); ++i)
      if (tensor->getDim()[i] == 1)
        stride[i] = pick(random, 0, 1000);
    bool isInput = std::find(made.begin(), made.end(), tensor) == made.end();
    if (tensor->isVirtual() && !isInput)
      stride = shuffledStrides(tensor->getDim(), random);
    attr.setName(tensor->getName() + "'").setDim(tensor->getDim()).setDataType(tensor->getDataType()).setStride(stride);
    copies[tensor.get()] = isInput ? other.tensor(attr) : std::make_shared<TensorAttr>(attr);
  }
  std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
  std::shuffle(nodes.begin(), nodes.end(), random);
  for (Node &node : nodes) {
    for (TensorPtr &input : node.inputs)
      input = copies[input.get()];
    node.output = copies[node.output.get()];
    if (auto *attr = std::get_if<PointwiseAttr>(&node.attr); attr && node.inputs.size() == 2) {
      const std::pair<PointwiseMode, PointwiseMode> mirrored[] = {{PointwiseMode::CMP_GE, PointwiseMode::CMP_LE},
                                                                  {PointwiseMode::CMP_GT, PointwiseMode::CMP_LT}};
      PointwiseMode mode = attr->getMode(), mirror = mode;
      for (auto [greater, less] : mirrored)
        mirror = mode == greater ? less : mode == less ? greater : mirror;
      if ((isCommutative(mode) || mirror != mode) && pick(random, 0, 1)) {
        std::swap(node.inputs[0], node.inputs[1]);
        attr->setMode(mirror);
      }
    }
    other.node(node);
  }
  return other;
}

} // namespace orzo::graph::test
