// Every pointwise mode and every reduction as a graph of its own, on the values where implementations go wrong.
#include "VerifiedRun.h"

#include "Measure/PointwiseBound.h"
#include "Reference/Pointwise.h"

#include <cmath>

using namespace orzo::graph;
using namespace orzo::graph::test;
using orzo::GraphVerifyResult;
using orzo::PointwiseMode;
using orzo::ReductionMode;

namespace {

/// Zeros, denormals, ties, ends of ranges, infinities, a NaN.
std::vector<float> edges() {
  std::vector<float> values = {0,    0x1p-149F, 0x1p-126F, 1e-20F, 0.25F, 0.5F,  1,        1.5F,    2,
                               2.5F, 3.5F,      6,         20,     88.5F, 1e10F, 0x1p127F, 3.4e38F, INFINITY};
  std::vector<float> all = {NAN};
  for (float value : values)
    for (float sign : {1.0F, -1.0F})
      all.push_back(sign * value);
  return all;
}

/// Whether `got` is what the mode gives on `inputs`: NaN for NaN, the sign of zero, infinities, and else within the
/// bound of the mode.
bool isRight(PointwiseMode mode, const std::vector<orzo::BoundedValue> &inputs, float got) {
  std::vector<double> values;
  for (const orzo::BoundedValue &input : inputs)
    values.push_back(input.value);
  double expected = orzo::reference::pointwise(mode, {}, values);
  if (std::isnan(expected) || std::isnan(got))
    return std::isnan(expected) && std::isnan(got);
  auto rounded = static_cast<float>(expected);
  if (std::isinf(rounded) || std::isinf(got)) // The largest number may round to infinity and the reverse.
    return rounded == got || std::abs(expected) > 3.4028e38;
  if (expected == 0)
    return got == 0 && std::signbit(expected) == std::signbit(got);
  orzo::BoundedValue bounded = orzo::boundedPointwise(mode, {}, inputs);
  auto [right, allowed] = orzo::allowanceOf(DataType::Float, bounded.value, bounded.error);
  return std::abs(got - right) <= allowed;
}

TEST(EdgeValues, EveryPointwiseMode) {
  CacheFolder folder;
  Handle handle = makeHandle(folder, 1);
  std::vector<float> edge = edges();
  for (PointwiseMode mode : orzo::allPointwiseModes()) {
    SCOPED_TRACE(std::string(orzo::name(mode)));
    int arity = orzo::inputCount(mode);
    auto count = static_cast<int64_t>(edge.size()), total = count;
    for (int i = 1; i < arity; ++i)
      total *= i == 1 ? count : 5;
    Graph graph;
    graph.setIODataType(DataType::Float);
    std::vector<TensorPtr> inputs;
    for (int i = 0; i < arity; ++i)
      inputs.push_back(graph.tensor(TensorAttr().setName("in" + std::to_string(i)).setDim({total})));
    auto attr = PointwiseAttr().setMode(mode).setName("one");
    TensorPtr y = arity == 1   ? graph.pointwise(inputs[0], attr)
                  : arity == 2 ? graph.pointwise(inputs[0], inputs[1], attr)
                               : graph.pointwise(inputs[0], inputs[1], inputs[2], attr);
    y->setName("y").setOutput(true).setDataType(DataType::Float);
    ASSERT_TRUE(compiles(graph, handle));
    VerifiedRun run(graph);
    std::vector<float *> memory;
    for (int i = 0; i < arity; ++i)
      memory.push_back(static_cast<float *>(run.memoryOf("in" + std::to_string(i))));
    for (int64_t at = 0; at < total; ++at) {
      int64_t rest = at;
      for (int i = 0; i < arity; ++i) {
        memory[i][at] = edge[rest % (i == 2 ? 5 : count)];
        rest /= count;
      }
    }
    ASSERT_TRUE(runs(graph, handle, run.pack));
    const auto *result = static_cast<const float *>(run.memoryOf("y"));
    int wrong = 0;
    for (int64_t at = 0; at < total && wrong < 5; ++at) {
      std::vector<orzo::BoundedValue> operands;
      for (int i = 0; i < arity; ++i)
        operands.push_back({memory[i][at], 0});
      if (isRight(mode, operands, result[at]))
        continue;
      ++wrong;
      std::vector<double> values;
      for (const orzo::BoundedValue &operand : operands)
        values.push_back(operand.value);
      ADD_FAILURE() << testing::PrintToString(values) << ": expected " << orzo::reference::pointwise(mode, {}, values)
                    << ", got " << result[at];
    }
  }
}

TEST(EdgeValues, EveryReduction) {
  CacheFolder folder;
  Handle handle = makeHandle(folder, 1);
  std::vector<std::vector<float>> rows = {{1, 2, -3, 4, 5, -6, 7, 8, 9},
                                          {0, -0.0F, 0, -0.0F, 0, 0, 0, 0, 0},
                                          {-0.0F, -0.0F, -0.0F, -0.0F, -0.0F, -0.0F, -0.0F, -0.0F, -0.0F},
                                          {1, INFINITY, 2, 3, 4, 5, 6, 7, 8},
                                          {INFINITY, -INFINITY, 1, 1, 1, 1, 1, 1, 1},
                                          {1, 2, NAN, 4, 5, 6, 7, 8, 9},
                                          {-5, -5, -5, -5, -5, -5, -5, -5, -5},
                                          {0x1p-149F, 0x1p-149F, 0, 0, 0, 0, 0, 0, 0x1p-149F},
                                          {3, -4, 0, 0, 0, 0, 0, 0, 0},
                                          {-INFINITY, 0, 0, 1, 1, 1, 1, 1, 1}};
  auto height = static_cast<int64_t>(rows.size()), width = static_cast<int64_t>(rows[0].size());
  for (ReductionMode mode : orzo::allReductionModes())
    for (bool alongRows : {true, false}) {
      SCOPED_TRACE(std::string(orzo::name(mode)) + (alongRows ? " along rows" : " along columns"));
      Graph graph;
      graph.setIODataType(DataType::Float);
      auto x =
          graph.tensor(TensorAttr()
                           .setName("x")
                           .setDim({height, width})
                           .setStride(alongRows ? std::vector<int64_t>{width, 1} : std::vector<int64_t>{1, height}));
      graph.reduction(x, ReductionAttr().setMode(mode).setAxes({1}).setName("reduce"))->setName("y").setOutput(true);
      ASSERT_TRUE(compiles(graph, handle));
      VerifiedRun run(graph);
      auto *memory = static_cast<float *>(run.memoryOf("x"));
      for (int64_t row = 0; row < height; ++row)
        for (int64_t column = 0; column < width; ++column)
          memory[alongRows ? row * width + column : column * height + row] = rows[row][column];
      ASSERT_TRUE(runs(graph, handle, run.pack));
      GraphVerifyResult result = run.verify();
      EXPECT_EQ(result.status, "ok") << result.message;
      EXPECT_EQ(result.unbounded, 0);
    }
}

} // namespace
