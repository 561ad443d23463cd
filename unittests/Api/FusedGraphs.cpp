#include "FusedGraphs.h"

namespace orzo::graph::test {

namespace {

using Mode = PointwiseAttr::Mode;

/// An image of `extent` x `extent` pixels, channels last.
TensorAttr squareImage(const char *name, int64_t extent, int64_t channels) {
  return TensorAttr()
      .setName(name)
      .setDim({2, channels, extent, extent})
      .setStride({extent * extent * channels, 1, extent * channels, channels});
}

/// 8*size x 8*size pixels and 16*size channels.
TensorAttr image(const char *name, int64_t size) { return squareImage(name, 8 * size, 16 * size); }

/// As many elements, four times as many channels: what a 1x1 filter computes for long, as late layers of networks do.
TensorAttr deepImage(const char *name, int64_t size) { return squareImage(name, 4 * size, 64 * size); }

TensorAttr filter(const char *name, int64_t size, int64_t taps) {
  int64_t channels = 16 * size;
  return TensorAttr()
      .setName(name)
      .setDim({channels, channels, taps, taps})
      .setStride({taps * taps * channels, 1, taps * channels, channels});
}

PointwiseAttr pointwise(Mode mode, const char *name) { return PointwiseAttr().setMode(mode).setName(name); }

ReductionAttr sum() { return ReductionAttr().setMode(ReductionAttr::Mode::ADD).setAxes({0, 2, 3}).setName("sum"); }

void start(Graph &graph, DataType type) {
  graph.setIODataType(type).setIntermediateDataType(DataType::Float).setComputeDataType(DataType::Float);
}

void convBiasRelu(Graph &graph, DataType type, int64_t size) {
  start(graph, type);
  auto x = graph.tensor(image("x", size)), w = graph.tensor(filter("w", size, 3));
  auto bias = graph.tensor(TensorAttr().setName("bias").setDim({1, 16 * size, 1, 1}));
  auto y = graph.convFProp(x, w, bias, ConvFPropAttr().setPadding({1, 1}).setName("conv"));
  graph.pointwise(y, pointwise(Mode::RELU_FWD, "relu"))->setName("y").setOutput(true);
}

void convBiasResidualRelu(Graph &graph, DataType type, int64_t size) {
  start(graph, type);
  auto x = graph.tensor(deepImage("x", size)), w = graph.tensor(filter("w", 4 * size, 1));
  auto bias = graph.tensor(TensorAttr().setName("bias").setDim({1, 64 * size, 1, 1}));
  auto residual = graph.tensor(deepImage("residual", size));
  auto y = graph.pointwise(graph.convFProp(x, w, bias, ConvFPropAttr().setName("conv")), residual,
                           pointwise(Mode::ADD, "add"));
  graph.pointwise(y, pointwise(Mode::RELU_FWD, "relu"))->setName("y").setOutput(true);
}

TensorPtr dgradRelu(Graph &graph, DataType type, int64_t size) {
  start(graph, type);
  auto dy = graph.tensor(image("dy", size)), w = graph.tensor(filter("w", size, 3)), y = graph.tensor(image("y", size));
  auto dx = graph.convDGrad(dy, w, ConvDGradAttr().setPadding({1, 1}).setName("dgrad"));
  auto result = graph.pointwise(dx, y, pointwise(Mode::RELU_BWD, "relu_backward"));
  result->setName("dx").setOutput(true);
  return result;
}

TensorPtr wgrad(Graph &graph, DataType type, int64_t size) {
  start(graph, type);
  auto dy = graph.tensor(image("dy", size)), x = graph.tensor(image("x", size));
  auto dw = graph.convWGrad(dy, x, ConvWGradAttr().setPadding({1, 1}).setName("wgrad"));
  dw->setName("dw").setDim({16 * size, 16 * size, 3, 3}).setStride(filter("", size, 3).getStride());
  return dw;
}

void wgradCast(Graph &graph, DataType type, int64_t size) {
  DataType other = type == DataType::Float ? DataType::BFloat16 : DataType::Float;
  auto cast = graph.cast(wgrad(graph, type, size), CastAttr().setName("cast"));
  cast->setName("dw32").setOutput(true).setDataType(other);
}

void wgradSum(Graph &graph, DataType type, int64_t size) {
  wgrad(graph, type, size)->setOutput(true);
  graph.reduction(graph.tensors()[0], sum())->setName("db").setOutput(true).setDataType(DataType::Float);
}

} // namespace

std::vector<FusedGraph> fusedGraphs() {
  return {{"conv3x3+bias+relu", convBiasRelu},
          {"conv1x1+bias+residual+relu", convBiasResidualRelu},
          {"dgrad+relu backward", [](Graph &graph, DataType type, int64_t size) { dgradRelu(graph, type, size); }},
          {"wgrad+cast", wgradCast},
          {"wgrad+db", wgradSum},
          {"dgrad+relu backward+sum", [](Graph &graph, DataType type, int64_t size) {
             auto dx = dgradRelu(graph, type, size);
             graph.reduction(dx, sum())->setName("db").setOutput(true).setDataType(DataType::Float);
           }}};
}

void makeBare(const FusedGraph &fused, Graph &bare, DataType type, int64_t size) {
  Graph whole;
  fused.make(whole, type, size);
  start(bare, type);
  const Node &conv = whole.nodes()[0];
  std::vector<TensorPtr> inputs;
  for (const TensorPtr &input : conv.inputs)
    inputs.push_back(bare.tensor(*input));
  auto output = std::make_shared<TensorAttr>(*conv.output);
  output->setName("result").setOutput(true);
  if (std::holds_alternative<ConvDGradAttr>(conv.attr))
    output->setDim(image("", size).getDim()).setStride(image("", size).getStride());
  bare.node({conv.attr, inputs, output, ""});
}

} // namespace orzo::graph::test
