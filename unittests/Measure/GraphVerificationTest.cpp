// The bound of a graph's results: right results pass, wrong ones do not.
#include "Measure/GraphVerification.h"
#include "Measure/GraphBound.h"
#include "Measure/GraphData.h"
#include "Measure/Poison.h"
#include "Reference/EvaluateGraph.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace orzo;
using testing::HasSubstr;

namespace {

const char *const convReluSum = "graph.v1\n"
                                "%0 = input 200:f32\n"
                                "%1 = input 288:f32\n"
                                "%2 = conv.v1 fprop n2 c4 k8 g1 in5x5 f3x3 out3x3 s1x1 d1x1 p0x0 x:nhwc:f32 "
                                "w:krsc:f32 y:npqk:f32 acc:f32 (%0, %1)\n"
                                "%3 = input 8:f32\n"
                                "%4 = add(%2, %3) 18:8:0:8 8:1:1:1 :f32\n"
                                "%5 = relu_fwd(%4) 144:1:1 :f32\n"
                                "%6 = reduce_add(%5) 18:8:0 8:1:1 :f32\n"
                                "output %5 %6\n";

/// A graph's memory, filled, with the outputs as the oracle has them, rounded once.
struct Right {
  GraphSpec graph;
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  std::vector<const void *> memory;

  Right(const std::string &text, DataKind kind) : graph(*parseGraphSpec(text)), memory(graph.values.size()) {
    buffers.resize(graph.values.size());
    for (size_t value = 0; value < graph.values.size(); ++value) {
      size_t bytes = graph.values[value].elements * byteSize(graph.values[value].type);
      buffers[value] = std::make_unique<GuardedBuffer>(GuardedBuffer::allocate(bytes + bytes % 2).take());
      memory[value] = buffers[value]->data();
      if (graph.values[value].kind == GraphValue::Kind::Input)
        generate(kind, 7, graph, static_cast<int>(value), buffers[value]->data());
    }
    auto outputs = reference::evaluate(graph, memory);
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::vector<bool> written = writtenElements(graph, graph.outputs[i]);
      for (size_t element = 0; element < outputs[i].size(); ++element)
        if (written[element])
          set(i, element, outputs[i][element]);
    }
  }

  void set(size_t output, size_t element, double value) {
    int index = graph.outputs[output];
    storeElement(buffers[index]->data(), static_cast<int64_t>(element), graph.values[index].type, value);
  }
  double get(size_t output, size_t element) const {
    int index = graph.outputs[output];
    return loadElement(memory[index], static_cast<int64_t>(element), graph.values[index].type);
  }
  GraphVerifyResult verified(VerifyMode mode = VerifyMode::Full) const {
    VerifyOptions options;
    options.mode = mode;
    return verify(graph, memory, options);
  }
};

TEST(GraphVerification, RightResultsPass) {
  for (DataKind kind : {DataKind::Random, DataKind::Integer, DataKind::Ones})
    for (VerifyMode mode : {VerifyMode::Full, VerifyMode::Sample, VerifyMode::Auto}) {
      GraphVerifyResult result = Right(convReluSum, kind).verified(mode);
      EXPECT_EQ(result.status, "ok") << result.message;
      EXPECT_EQ(result.unbounded, 0);
      EXPECT_GE(result.compared, mode == VerifyMode::Sample ? 100 : 152);
      if (kind != DataKind::Random)
        EXPECT_EQ(result.bound, 0);
    }
}

TEST(GraphVerification, OneUnitInTheLastPlaceOfAnIntegerFails) {
  Right right(convReluSum, DataKind::Integer);
  for (size_t output : {0, 1}) {
    double before = right.get(output, 5);
    right.set(output, 5, before + std::max(1.0, std::abs(before)) * 0x1p-23);
    GraphVerifyResult result = right.verified();
    EXPECT_EQ(result.status, "failed");
    EXPECT_EQ(result.bad, 1);
    EXPECT_THAT(result.message, HasSubstr(output == 0 ? "%5[5]: expected" : "%6[5]: expected"));
    right.set(output, 5, before);
  }
  EXPECT_EQ(right.verified().status, "ok");
}

TEST(GraphVerification, ABF16AccumulatorFailsOnRandomData) {
  Right right(convReluSum, DataKind::Random);
  for (size_t element = 0; element < 144; ++element)
    right.set(0, element, roundTo(ElementType::BFloat16, right.get(0, element)));
  EXPECT_EQ(right.verified().status, "failed");
}

TEST(GraphVerification, TheBoundIsSmallBesideTheValues) {
  Right right(convReluSum, DataKind::Random);
  auto bounded = evaluateBounded(right.graph, right.memory, demandAll(right.graph), 1);
  for (const BoundedValues &output : bounded)
    for (double error : output.error)
      EXPECT_LT(error, 1e-3); // Values are about 1 to 10.
}

TEST(GraphVerification, LeftPoisonAndTouchedGapsAreFound) {
  Right right(convReluSum, DataKind::Random);
  int value = right.graph.outputs[0];
  fillPoison(static_cast<char *>(right.buffers[value]->data()) + 40, 8);
  EXPECT_THAT(right.verified(VerifyMode::Off).message,
              HasSubstr("2 of 144 elements of %5 never written, first element 10"));
  // Every second element of the output belongs to nothing.
  Right gaps("graph.v1\n%0 = input 4:f32\n%1 = abs(%0) 4:1:2 :f32\noutput %1\n", DataKind::Random);
  EXPECT_EQ(gaps.verified().status, "ok") << gaps.verified().message;
  gaps.set(0, 3, 1);
  EXPECT_THAT(gaps.verified().message, HasSubstr("element 3 of %1 was written"));
}

TEST(GraphVerification, WhatCannotBeSaidIsCounted) {
  // exp overflows f32 for operands above 88.7; a comparison of a rounded sum with itself may go either way.
  Right right("graph.v1\n%0 = input 100:f32\n%1 = constant 200:f32\n%2 = mul(%0, %1) 100:1:0:1 :f32\n"
              "%3 = exp(%2) 100:1:1 :f32\noutput %3\n",
              DataKind::Random);
  GraphVerifyResult result = right.verified();
  EXPECT_EQ(result.status, "ok") << result.message;
  EXPECT_GT(result.unbounded, 10);
  EXPECT_GT(result.compared, 10);
  EXPECT_EQ(result.compared + result.unbounded, 100);
}

TEST(GraphDemand, FollowsOnlyWhatIsNeeded) {
  GraphSpec graph = *parseGraphSpec(convReluSum);
  Demand demand = demandFor(graph, {{3}, {}});
  EXPECT_EQ(elementsIn(demand[2]), std::vector<int64_t>{3});
  EXPECT_EQ(elementsIn(demand[3]), std::vector<int64_t>{3});
  EXPECT_TRUE(demand[0].empty()); // A convolution reads all of it.
  demand = demandFor(graph, {{}, {2}});
  EXPECT_EQ(elementsIn(demand[5]).size(), 18U);
}

} // namespace
