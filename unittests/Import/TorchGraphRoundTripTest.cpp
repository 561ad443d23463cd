// A graph, the torch IR that it prints, and what is read from that: one canonical text.
#include "../Graph/RandomGraph.h"
#include "Command/DriverCommand.h"
#include "Reading.h"
#include "ReadingGraph.h"
#include "orzo/Spec/Canonical.h"

#include <cmath>

namespace orzo::test {
namespace {

using namespace orzo::graph;
using DataType = graph::DataType;

/// The graph's own text and that of its torch IR are the same; gives that text.
std::string roundTrip(GraphDefinition &graph) {
  Status status = graph.validate();
  EXPECT_TRUE(status.ok()) << status.message();
  Expected<std::string> own = graph.text(), torch = graph.emitTorch();
  EXPECT_TRUE(own.ok()) << own.status().message();
  EXPECT_TRUE(torch.ok()) << torch.status().message();
  if (!own || !torch)
    return "";
  EXPECT_EQ(graphText(*torch), *own) << *torch;
  return *own;
}

TEST(TorchGraphRoundTrip, RandomGraphs) {
  std::mt19937 random(41);
  int compared = 0, unsupported = 0;
  while (compared < 200) {
    GraphDefinition graph = graph::test::randomGraph(random, static_cast<int>(graph::test::pick(random, 1, 8)));
    ASSERT_TRUE(graph.validate().ok());
    Expected<std::string> own = graph.text();
    if (!own) { // A convolution of a part of a tensor and the like.
      ASSERT_EQ(own.status().code(), StatusCode::Unsupported) << own.status().message();
      ASSERT_LT(++unsupported, 200);
      continue;
    }
    Expected<std::string> torch = graph.emitTorch();
    ASSERT_TRUE(torch.ok()) << torch.status().message();
    ASSERT_EQ(graphText(*torch), *own) << "graph " << compared << "\n" << *torch;
    ++compared;
  }
}

TensorAttr shaped(std::vector<int64_t> dim) { return TensorAttr().setDim(std::move(dim)); }

/// One node of `mode` with `attr`'s parameters over tensors of which the second is repeated.
std::string onePointwise(const PointwiseAttr &attr, bool isBoolean = false) {
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  auto a = graph.tensor(shaped({2, 3, 4, 5}).setName("a"));
  auto b = graph.tensor(shaped({1, 3, 1, 1}).setName("b"));
  auto c = graph.tensor(shaped({2, 3, 4, 5}).setName("c").setStride({60, 1, 15, 3}));
  if (isBoolean)
    a->setDataType(DataType::Boolean);
  TensorPtr y;
  switch (inputCount(attr.getMode())) {
  case 1:
    y = graph.pointwise(a, attr);
    break;
  case 2:
    y = graph.pointwise(a, b, attr);
    break;
  default:
    y = graph.pointwise(a, b, c, attr);
  }
  y->setOutput(true).setName("y");
  return roundTrip(graph);
}

TEST(TorchGraphRoundTrip, EveryMode) {
  for (PointwiseMode mode : allPointwiseModes()) {
    SCOPED_TRACE(name(mode));
    std::string text = onePointwise(PointwiseAttr().setMode(mode));
    // a > b reads b < a.
    PointwiseMode shown = mode == PointwiseMode::CMP_GT   ? PointwiseMode::CMP_LT
                          : mode == PointwiseMode::CMP_GE ? PointwiseMode::CMP_LE
                                                          : mode;
    EXPECT_THAT(text, testing::HasSubstr(" = " + std::string(name(shown)) + "("));
  }
  EXPECT_THAT(onePointwise(PointwiseAttr().setMode(PointwiseMode::BINARY_SELECT), true),
              testing::HasSubstr("binary_select("));
}

TEST(TorchGraphRoundTrip, EveryParameter) {
  using enum PointwiseMode;
  auto relu = [](double lower, double upper, double slope) {
    return PointwiseAttr().setReluLowerClip(lower).setReluUpperClip(upper).setReluLowerClipSlope(slope);
  };
  for (PointwiseMode mode : {RELU_FWD, RELU_BWD})
    for (double lower : {0.0, -0.5, 1.0})
      for (double upper : {double(INFINITY), 6.0})
        for (double slope : {0.0, 0.1, -2.0})
          onePointwise(relu(lower, upper, slope).setMode(mode));
  onePointwise(relu(-INFINITY, 6, 0).setMode(RELU_FWD));
  for (double value : {0.3, 1.0, 2.0, -1.0, 1e-30}) {
    for (PointwiseMode mode : {SWISH_FWD, SWISH_BWD})
      onePointwise(PointwiseAttr().setMode(mode).setSwishBeta(value));
    for (PointwiseMode mode : {ELU_FWD, ELU_BWD})
      onePointwise(PointwiseAttr().setMode(mode).setEluAlpha(value));
    for (PointwiseMode mode : {SOFTPLUS_FWD, SOFTPLUS_BWD})
      onePointwise(PointwiseAttr().setMode(mode).setSoftplusBeta(value).setSoftplusThreshold(7 * value));
  }
}

// Two nodes are never taken for one that computes the same.
TEST(TorchGraphRoundTrip, NodesAreNotMerged) {
  using enum PointwiseMode;
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  auto mode = [](PointwiseMode value) { return PointwiseAttr().setMode(value); };
  auto x = graph.tensor(shaped({4, 6})), dy = graph.tensor(shaped({4, 6}));
  auto one = graph.tensor(TensorAttr(1.0F)), two = graph.tensor(TensorAttr(2.0F));
  auto output = [](const TensorPtr &tensor) { tensor->setOutput(true); };
  output(graph.pointwise(x, graph.pointwise(dy, dy, mode(MUL)), mode(ADD)));
  auto s = graph.pointwise(x, mode(SIGMOID_FWD));
  output(graph.pointwise(x, s, mode(MUL)));
  output(graph.pointwise(dy, graph.pointwise(s, graph.pointwise(one, s, mode(SUB)), mode(MUL)), mode(MUL)));
  output(graph.pointwise(x, graph.pointwise(graph.pointwise(x, two, mode(MUL)), mode(SIGMOID_FWD)), mode(MUL)));
  output(graph.reduction(graph.pointwise(x, mode(ABS)), ReductionAttr().setMode(ReductionMode::ADD).setAxes({0})));
  output(graph.reduction(graph.pointwise(x, mode(ABS)), ReductionAttr().setMode(ReductionMode::MAX).setAxes({0})));
  auto zero = graph.tensor(TensorAttr(0.0F));
  auto isKept = graph.pointwise(x, zero, mode(CMP_NEQ));
  output(graph.reduction(graph.pointwise(isKept, x, one, mode(BINARY_SELECT)),
                         ReductionAttr().setMode(ReductionMode::MUL).setAxes({1})));
  std::string text = roundTrip(graph);
  for (const char *absent : {"add_square", "swish", "sigmoid_bwd", "norm1", "amax", "no_zeros"})
    EXPECT_THAT(text, testing::Not(testing::HasSubstr(absent)));
}

TEST(TorchGraphRoundTrip, EveryReduction) {
  for (ReductionMode mode : allReductionModes())
    for (const std::vector<int64_t> &axes : {std::vector<int64_t>{1}, {0, 2}, {0, 1, 2, 3}}) {
      SCOPED_TRACE(name(mode));
      GraphDefinition graph;
      graph.setIODataType(DataType::BFloat16);
      auto x = graph.tensor(shaped({2, 3, 4, 5}).setStride({60, 1, 15, 3}));
      auto y = graph.reduction(x, ReductionAttr().setMode(mode).setAxes(axes));
      y->setOutput(true).setDataType(DataType::Float);
      ReductionMode shown = mode == ReductionMode::SUM ? ReductionMode::ADD : mode;
      EXPECT_THAT(roundTrip(graph), testing::HasSubstr("reduce_" + std::string(name(shown)) + "("));
    }
}

/// Strides of a channels-last tensor with logical dims N C H W.
std::vector<int64_t> nhwc(const std::vector<int64_t> &dim) {
  return {dim[1] * dim[2] * dim[3], 1, dim[1] * dim[3], dim[1]};
}

// The graph, its torch IR and the driver's command.
TEST(TorchGraphRoundTrip, OneConvolutionIsTheDrivers) {
  const std::vector<int64_t> xDim = {4, 8, 9, 7}, wDim = {16, 4, 3, 3}, yDim = {4, 16, 5, 3};
  for (bool isLast : {false, true})
    for (int direction : {1, 2, 4}) {
      std::string command = "convbfp16 -F " + std::to_string(direction) +
                            " -n 4 -c 8 -H 9 -W 7 -k 16 -y 3 -x 3 -p 1 -q 0 -u 2 -v 1 -l 1 -j 2 -g 2";
      if (isLast)
        command += " --in_layout NHWC --out_layout NHWC --fil_layout NHWC";
      Expected<DriverCommand> driver = parseDriverCommand(command);
      ASSERT_TRUE(driver.ok()) << driver.status().message();
      auto tensor = [&](const std::vector<int64_t> &dim) {
        return isLast ? shaped(dim).setStride(nhwc(dim)) : shaped(dim);
      };
      auto set = [](auto attr) { return attr.setStride({2, 1}).setPadding({1, 0}).setDilation({1, 2}); };
      GraphDefinition graph;
      graph.setIODataType(DataType::BFloat16);
      if (direction == 1)
        graph.convFProp(graph.tensor(tensor(xDim)), graph.tensor(tensor(wDim)), set(ConvFPropAttr()))->setOutput(true);
      else if (direction == 2)
        graph.convDGrad(graph.tensor(tensor(yDim)), graph.tensor(tensor(wDim)), set(ConvDGradAttr()))
            ->setOutput(true)
            .setDim(xDim);
      else
        graph.convWGrad(graph.tensor(tensor(yDim)), graph.tensor(tensor(xDim)), set(ConvWGradAttr()))
            ->setOutput(true)
            .setDim(wDim);
      EXPECT_EQ(roundTrip(graph), text(canonicalise(driver->problems.at(0).spec).spec)) << command;
      // The reader of convolutions alone knows nothing of graphs.
      EXPECT_EQ(read(*graph.emitTorch()), *graph.text());
    }
}

// Padding that torch's own cannot say: more at one side, or a crop; and no spatial dim at all.
TEST(TorchGraphRoundTrip, AsymmetricPaddingAndProducts) {
  for (auto [pre, post] : {std::pair<int64_t, int64_t>{0, 2}, {2, 0}, {-1, 1}, {1, -1}, {-1, -2}, {1, 3}})
    for (int direction : {0, 1, 2}) {
      GraphDefinition graph;
      graph.setIODataType(DataType::Float);
      int64_t in = 12, out = (in + pre + post - 3) / 2 + 1;
      auto set = [&](auto attr) { return attr.setStride({2}).setPrePadding({pre}).setPostPadding({post}); };
      auto x = [&] { return graph.tensor(shaped({2, 4, in})); };
      auto w = [&] { return graph.tensor(shaped({6, 4, 3})); };
      auto y = [&] { return graph.tensor(shaped({2, 6, out})); };
      TensorPtr result;
      if (direction == 0)
        result = graph.convFProp(x(), w(), set(ConvFPropAttr()));
      else if (direction == 1)
        result = graph.convDGrad(y(), w(), set(ConvDGradAttr()));
      else
        result = graph.convWGrad(y(), x(), set(ConvWGradAttr()));
      result->setDim(direction == 0   ? std::vector<int64_t>{2, 6, out}
                     : direction == 1 ? std::vector<int64_t>{2, 4, in}
                                      : std::vector<int64_t>{6, 4, 3});
      graph.pointwise(result, PointwiseAttr().setMode(PointwiseMode::RELU_FWD))->setOutput(true);
      EXPECT_THAT(roundTrip(graph), testing::HasSubstr("conv.v1"));
    }
  GraphDefinition flat;
  flat.setIODataType(DataType::Half);
  auto y = flat.convFProp(flat.tensor(shaped({5, 8})), flat.tensor(shaped({6, 4})), ConvFPropAttr());
  flat.convFProp(flat.tensor(shaped({5, 8})), flat.tensor(shaped({6, 8})), flat.tensor(shaped({1, 6})), ConvFPropAttr())
      ->setOutput(true);
  y->setOutput(true);
  roundTrip(flat);
}

// Repeated inputs (stride 0), gaps, scalars of every type, empty batches, strict rounding, names that need care.
TEST(TorchGraphRoundTrip, Corners) {
  GraphDefinition graph;
  graph.setName("corners").setIODataType(DataType::Float).setStrictRounding(true);
  auto repeated = graph.tensor(shaped({4, 6, 5}).setStride({0, 1, 0}).setName("a.b"));
  auto gaps = graph.tensor(shaped({4, 6, 5}).setStride({100, 12, 2}).setName("a_b"));
  auto sum = graph.pointwise(repeated, gaps, PointwiseAttr().setMode(PointwiseMode::ADD));
  graph.reduction(repeated, ReductionAttr().setMode(ReductionMode::ADD).setAxes({2}))->setOutput(true).setName("b");
  for (const TensorAttr &scalar :
       {TensorAttr(0.1F), TensorAttr(0.1), TensorAttr(int32_t(-3)), TensorAttr(int64_t(7)),
        TensorAttr(0.1F).setDataType(DataType::Half).setDim({1, 1}).setStride({1, 1}),
        TensorAttr(-INFINITY).setDataType(DataType::BFloat16), TensorAttr(1.0F).setDataType(DataType::Boolean),
        TensorAttr(200.0F).setDataType(DataType::Uint8)})
    sum = graph.pointwise(sum, graph.tensor(scalar), PointwiseAttr().setMode(PointwiseMode::MUL));
  sum->setOutput(true).setName("b_");
  std::string text = roundTrip(graph);
  EXPECT_THAT(text, testing::StartsWith("graph.v1 strict-rounding\n"));

  GraphDefinition empty;
  empty.setIODataType(DataType::Float);
  auto x = empty.tensor(shaped({0, 4, 6}).setStride({24, 1, 4}));
  empty.convFProp(x, empty.tensor(shaped({8, 4, 3})), ConvFPropAttr())->setOutput(true);
  EXPECT_THAT(roundTrip(empty), testing::HasSubstr(" n0 "));
}

} // namespace
} // namespace orzo::test
