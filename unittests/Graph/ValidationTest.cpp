// Every mistake is an error that names node and tensor; what is left open is inferred.
#include "orzo/Graph/GraphDefinition.h"

#include <gmock/gmock.h>

#include <functional>

using namespace orzo;
using namespace orzo::graph;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using DataType = graph::DataType; // Not the three that convolutions know.

GraphDefinition floats() {
  GraphDefinition graph;
  graph.setName("g").setIODataType(DataType::Float);
  return graph;
}

TensorPtr input(GraphDefinition &graph, const char *name, std::vector<int64_t> dim) {
  return graph.tensor(TensorAttr().setName(name).setDim(std::move(dim)));
}

PointwiseAttr mode(PointwiseMode mode) { return PointwiseAttr().setMode(mode); }

struct Mistake {
  const char *what;
  std::function<void(GraphDefinition &)> make;
  std::vector<const char *> words; ///< All of them are in the message.
  StatusCode code = StatusCode::InvalidArgument;
};

void conv(GraphDefinition &graph, ConvFPropAttr attr, std::vector<int64_t> x = {2, 4, 5, 5},
          std::vector<int64_t> w = {8, 4, 3, 3}, std::vector<int64_t> y = {}) {
  auto result = graph.convFProp(input(graph, "x", std::move(x)), input(graph, "w", std::move(w)), attr.setName("conv"));
  result->setName("y").setOutput(true).setDim(std::move(y));
}

void relu(GraphDefinition &graph, TensorPtr x) {
  graph.pointwise(x, mode(PointwiseMode::RELU_FWD).setName("relu"))->setName("y").setOutput(true);
}

const Mistake mistakes[] = {
    {"null input", [](auto &g) { relu(g, nullptr); }, {"pointwise 'relu'", "input 0 is null"}},
    {"another graph's tensor",
     [](auto &g) {
       auto other = floats();
       relu(g, input(other, "x", {3}));
     },
     {"'relu'", "'x'", "none of this graph's"}},
    {"no dims", [](auto &g) { relu(g, g.tensor(TensorAttr().setName("x"))); }, {"'relu'", "'x'", "has no dims"}},
    {"negative dim", [](auto &g) { relu(g, input(g, "x", {3, -1})); }, {"'x'", "negative", "3x-1"}},
    {"too many elements",
     [](auto &g) { relu(g, input(g, "x", {1 << 30, 1 << 30, 1 << 30})); },
     {"'x'", "2^62 elements"}},
    {"stride rank",
     [](auto &g) { relu(g, g.tensor(TensorAttr().setName("x").setDim({3, 4}).setStride({1}))); },
     {"'x'", "a stride for each", "got 1"}},
    {"negative stride",
     [](auto &g) { relu(g, g.tensor(TensorAttr().setName("x").setDim({3, 4}).setStride({-4, 1}))); },
     {"'x'", "strides must not be negative"}},
    {"overlapping result",
     [](auto &g) {
       g.pointwise(input(g, "x", {3, 4}), mode(PointwiseMode::ABS).setName("abs"))
           ->setName("y")
           .setOutput(true)
           .setStride({0, 1});
     },
     {"'abs'", "'y'", "would share memory"}},
    {"no type",
     [](auto &g) {
       g.setIODataType(DataType::NotSet);
       relu(g, input(g, "x", {3}));
     },
     {"'x'", "no data type", "setIODataType"}},
    {"virtual input",
     [](auto &g) { relu(g, g.tensor(TensorAttr().setName("x").setDim({3}).setIsVirtual(true))); },
     {"'x'", "virtual and no node makes it"}},
    {"no output",
     [](auto &g) { g.pointwise(input(g, "x", {3}), mode(PointwiseMode::ABS)); },
     {"graph 'g'", "no tensor is an output"}},
    {"equal tensor names",
     [](auto &g) { g.pointwise(input(g, "x", {3}), input(g, "x", {3}), mode(PointwiseMode::ADD))->setOutput(true); },
     {"'x'", "another tensor"}},
    {"equal node names",
     [](auto &g) {
       relu(g, input(g, "x", {3}));
       g.pointwise(input(g, "z", {3}), mode(PointwiseMode::ABS).setName("relu"))->setOutput(true);
     },
     {"'relu'", "another node has this name"}},
    {"cycle",
     [](auto &g) {
       auto a = g.tensor(TensorAttr().setName("a")), b = g.tensor(TensorAttr().setName("b"));
       g.node({mode(PointwiseMode::ABS).setName("first"), {b}, a, ""});
       g.node({mode(PointwiseMode::ABS).setName("second"), {a}, b, ""});
       g.node({mode(PointwiseMode::ABS).setName("after"), {b}, g.tensor(TensorAttr().setName("c")), ""});
     },
     {"depends on itself", "cycle"}},
    {"null output",
     [](auto &g) { g.node({mode(PointwiseMode::ABS).setName("abs"), {input(g, "x", {3})}, nullptr, ""}); },
     {"'abs'", "output is null"}},
    {"two producers",
     [](auto &g) {
       relu(g, input(g, "x", {3}));
       g.node({mode(PointwiseMode::ABS).setName("again"), {g.tensors()[0]}, g.tensors()[1], ""});
     },
     {"'again'", "'y'", "pointwise 'relu' already"}},
    {"scalar result",
     [](auto &g) {
       g.node({mode(PointwiseMode::ABS).setName("abs"),
               {input(g, "x", {1})},
               g.tensor(TensorAttr(1.0F).setName("s")),
               ""});
     },
     {"'abs'", "'s'", "scalar"}},
    {"compute in double",
     [](auto &g) {
       g.setComputeDataType(DataType::Double);
       relu(g, input(g, "x", {3}));
     },
     {"compute data type"},
     StatusCode::Unsupported},
    // Convolutions
    {"rank mismatch", [](auto &g) { conv(g, {}, {2, 4, 5, 5}, {8, 4, 3}); }, {"convFProp 'conv'", "'w'", "as many"}},
    {"rank 1", [](auto &g) { conv(g, {}, {2}, {8}); }, {"'conv'", "'x'", "2 to 5 dims"}},
    {"rank 6", [](auto &g) { conv(g, {}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}); }, {"'x'", "2 to 5 dims"}},
    {"list size",
     [](auto &g) { conv(g, ConvFPropAttr().setPadding({1})); },
     {"'conv'", "padding before", "each of the 2 spatial dims", "got 1"}},
    {"stride 0", [](auto &g) { conv(g, ConvFPropAttr().setStride({1, 0})); }, {"'conv'", "stride of spatial dim 1"}},
    {"dilation 0", [](auto &g) { conv(g, ConvFPropAttr().setDilation({0, 1})); }, {"dilation of spatial dim 0"}},
    {"groups 0", [](auto &g) { conv(g, ConvFPropAttr().setGroups(0)); }, {"'conv'", "groups must be at least 1"}},
    {"no channels", [](auto &g) { conv(g, {}, {2, 0, 5, 5}); }, {"'conv'", "'x'", "dim 1 must be at least 1"}},
    {"empty filter", [](auto &g) { conv(g, {}, {2, 4, 5, 5}, {0, 4, 3, 3}); }, {"'conv'", "'w'", "dim 0"}},
    {"filter too large",
     [](auto &g) { conv(g, {}, {2, 4, 5, 5}, {8, 4, 6, 3}); },
     {"'conv'", "'w'", "does not fit", "filter 6"}},
    {"channels", [](auto &g) { conv(g, {}, {2, 4, 5, 5}, {8, 3, 3, 3}); }, {"'w'", "must divide the channels of 'x'"}},
    {"groups given",
     [](auto &g) { conv(g, ConvFPropAttr().setGroups(2)); },
     {"'w'", "groups is 2", "'x' has 4 channels", "1 groups"}},
    {"filters per group",
     [](auto &g) { conv(g, {}, {2, 4, 5, 5}, {7, 2, 3, 3}); },
     {"'w'", "multiple of the 2 groups"}},
    {"y rank", [](auto &g) { conv(g, {}, {2, 4, 5, 5}, {8, 4, 3, 3}, {2, 8, 3}); }, {"'y'", "must have 4 dims"}},
    {"y batch", [](auto &g) { conv(g, {}, {2, 4, 5, 5}, {8, 4, 3, 3}, {3, 8, 3, 3}); }, {"'y'", "batch", "'x', 2"}},
    {"y channels", [](auto &g) { conv(g, {}, {2, 4, 5, 5}, {8, 4, 3, 3}, {2, 4, 3, 3}); }, {"'y'", "output channels"}},
    {"y extent",
     [](auto &g) { conv(g, {}, {2, 4, 5, 5}, {8, 4, 3, 3}, {2, 8, 4, 3}); },
     {"'y'", "spatial dim 0 does not fit", "give 3 outputs, not 4"}},
    {"conv of integers",
     [](auto &g) {
       g.setIODataType(DataType::Int8);
       conv(g, {});
     },
     {"'conv'", "f32, bf16 and f16", "i8"},
     StatusCode::Unsupported},
    {"conv of mixed types",
     [](auto &g) {
       conv(g, {});
       g.tensors()[1]->setDataType(DataType::Half);
     },
     {"'conv'", "'y'", "C11"}},
    {"conv of padded memory",
     [](auto &g) {
       conv(g, {});
       for (const TensorPtr &tensor : g.tensors())
         if (tensor->getName() == "x")
           tensor->setStride({200, 50, 10, 1});
     },
     {"'conv'", "'x'", "packed", "200x50x10x1"},
     StatusCode::Unsupported},
    {"dgrad ambiguous",
     [](auto &g) {
       g.convDGrad(input(g, "dy", {2, 8, 3, 3}), input(g, "w", {8, 4, 3, 3}),
                   ConvDGradAttr().setStride({1, 2}).setName("grad"))
           ->setName("dx")
           .setOutput(true);
     },
     {"convDGrad 'grad'", "'dx'", "spatial dim 1 is ambiguous: 7 to 8", "setDim"}},
    {"dgrad wrong",
     [](auto &g) {
       g.convDGrad(input(g, "dy", {2, 8, 3, 3}), input(g, "w", {8, 4, 3, 3}),
                   ConvDGradAttr().setStride({1, 2}).setName("grad"))
           ->setName("dx")
           .setOutput(true)
           .setDim({2, 4, 5, 9});
     },
     {"'grad'", "'dx'", "give 4 outputs, not 3"}},
    {"dgrad impossible",
     [](auto &g) {
       g.convDGrad(input(g, "dy", {2, 8, 3}), input(g, "w", {8, 4, 1}), ConvDGradAttr().setPadding({4}).setName("grad"))
           ->setName("dx")
           .setOutput(true);
     },
     {"'grad'", "'dx'", "no the extent"}},
    {"wgrad ambiguous",
     [](auto &g) {
       g.convWGrad(input(g, "dy", {2, 8, 3}), input(g, "x", {2, 4, 8}), ConvWGradAttr().setStride({2}).setName("grad"))
           ->setName("dw")
           .setOutput(true);
     },
     {"'grad'", "'dw'", "ambiguous: 3 to 4"}},
    {"wgrad groups",
     [](auto &g) {
       g.convWGrad(input(g, "dy", {2, 9, 3}), input(g, "x", {2, 4, 5}), ConvWGradAttr().setGroups(3).setName("grad"))
           ->setOutput(true);
     },
     {"'grad'", "'x'", "multiple of groups"}},
    {"dims beyond 2^62",
     [](auto &g) { conv(g, ConvFPropAttr().setPadding({int64_t(1) << 62, int64_t(1) << 62})); },
     {"'conv'", "'y'", "2^62"}},
    // matmul
    {"matmul inner",
     [](auto &g) {
       g.matmul(input(g, "a", {3, 4}), input(g, "b", {5, 6}), MatmulAttr().setName("mm"))->setOutput(true);
     },
     {"matmul 'mm'", "'b'", "columns of 'a', 4"}},
    {"matmul batch",
     [](auto &g) {
       g.matmul(input(g, "a", {2, 3, 4}), input(g, "b", {3, 4, 6}), MatmulAttr().setName("mm"))->setOutput(true);
     },
     {"'mm'", "'b'", "do not broadcast"}},
    {"matmul rank",
     [](auto &g) { g.matmul(input(g, "a", {4}), input(g, "b", {4, 6}), MatmulAttr())->setOutput(true); },
     {"'a'", "at least 2 dims"}},
    {"matmul result",
     [](auto &g) {
       g.matmul(input(g, "a", {3, 4}), input(g, "b", {4, 6}), MatmulAttr())
           ->setName("c")
           .setOutput(true)
           .setDim({3, 5});
     },
     {"'c'", "must be 3x6; got 3x5"}},
    {"matmul of a repeated matrix",
     [](auto &g) {
       g.matmul(g.tensor(TensorAttr().setName("a").setDim({2, 3, 4}).setStride({4, 8, 1})), input(g, "b", {1, 4, 6}),
                MatmulAttr().setName("mm"))
           ->setOutput(true);
     },
     {"'mm'", "'b'", "repeated over the batch"},
     StatusCode::Unsupported},
    // pointwise
    {"no mode",
     [](auto &g) { g.pointwise(input(g, "x", {3}), PointwiseAttr().setName("p"))->setOutput(true); },
     {"'p'", "mode is not set"}},
    {"arity",
     [](auto &g) { g.pointwise(input(g, "x", {3}), mode(PointwiseMode::ADD).setName("p"))->setOutput(true); },
     {"'p'", "'x'", "add takes 2 inputs; got 1"}},
    {"broadcast",
     [](auto &g) {
       g.pointwise(input(g, "x", {3, 4}), input(g, "b", {3}), mode(PointwiseMode::ADD).setName("p"))->setOutput(true);
     },
     {"'p'", "'b'", "do not broadcast against 3x4; got 3"}},
    {"pointwise result",
     [](auto &g) {
       g.pointwise(input(g, "x", {3}), mode(PointwiseMode::ABS).setName("p"))->setName("y").setOutput(true).setDim({4});
     },
     {"'p'", "'y'", "must be 3; got 4"}},
    {"crossed clips",
     [](auto &g) {
       g.pointwise(input(g, "x", {3}), mode(PointwiseMode::RELU_FWD).setReluUpperClip(-1).setName("p"))
           ->setOutput(true);
     },
     {"'p'", "lower clip"}},
    {"softplus beta",
     [](auto &g) {
       g.pointwise(input(g, "x", {3}), mode(PointwiseMode::SOFTPLUS_FWD).setSoftplusBeta(0).setName("p"))
           ->setOutput(true);
     },
     {"'p'", "beta"}},
    // reduction
    {"no reduction mode",
     [](auto &g) { g.reduction(input(g, "x", {3}), ReductionAttr().setName("r"))->setOutput(true); },
     {"reduction 'r'", "mode is not set"}},
    {"nothing to reduce by",
     [](auto &g) {
       g.reduction(input(g, "x", {3}), ReductionAttr().setMode(ReductionMode::ADD).setName("r"))
           ->setName("y")
           .setOutput(true);
     },
     {"'r'", "'y'", "what to reduce"}},
    {"reduced dims",
     [](auto &g) {
       g.reduction(input(g, "x", {3, 4}), ReductionAttr().setMode(ReductionMode::ADD).setName("r"))
           ->setName("y")
           .setOutput(true)
           .setDim({3, 2});
     },
     {"'r'", "'y'", "dim 1 must be 4, or 1"}},
    {"nothing reduced",
     [](auto &g) {
       g.reduction(input(g, "x", {3, 4}), ReductionAttr().setMode(ReductionMode::ADD).setName("r"))
           ->setName("y")
           .setOutput(true)
           .setDim({3, 4});
     },
     {"'r'", "'y'", "no dim is reduced"}},
    {"axis",
     [](auto &g) {
       g.reduction(input(g, "x", {3, 4}), ReductionAttr().setMode(ReductionMode::ADD).setAxes({2}).setName("r"))
           ->setOutput(true);
     },
     {"'r'", "'x'", "axis 2", "0 to 1"}},
    {"average of integers",
     [](auto &g) {
       g.setIODataType(DataType::Int32);
       g.reduction(input(g, "x", {3}), ReductionAttr().setMode(ReductionMode::AVG).setAxes({0}).setName("r"))
           ->setOutput(true);
     },
     {"'r'", "'x'", "avg is for floats"}},
    // shapes
    {"reshape without dims",
     [](auto &g) { g.reshape(input(g, "x", {3}), ReshapeAttr().setName("s"))->setName("y").setOutput(true); },
     {"reshape 's'", "'y'", "has no dims"}},
    {"reshape volume",
     [](auto &g) { g.reshape(input(g, "x", {3}), ReshapeAttr().setDim({2, 2}))->setName("y").setOutput(true); },
     {"'y'", "as many elements as 'x'"}},
    {"permutation",
     [](auto &g) {
       g.transpose(input(g, "x", {3, 4}), TransposeAttr().setPermutation({0, 0}).setName("t"))->setOutput(true);
     },
     {"transpose 't'", "'x'", "each of its 2 dims once"}},
    {"slice lists",
     [](auto &g) {
       g.slice(input(g, "x", {3, 4}), SliceAttr().setStarts({0}).setLimits({2, 2}).setName("s"))->setOutput(true);
     },
     {"slice 's'", "'x'", "an entry for each"}},
    {"slice range",
     [](auto &g) {
       g.slice(input(g, "x", {3, 4}), SliceAttr().setStarts({0, 2}).setLimits({3, 5}).setName("s"))->setOutput(true);
     },
     {"'s'", "'x'", "dim 1 has 4 elements"}},
    {"slice type",
     [](auto &g) {
       g.slice(input(g, "x", {4}), SliceAttr().setStarts({0}).setLimits({2}).setName("s"))
           ->setName("y")
           .setOutput(true)
           .setDataType(DataType::Half);
     },
     {"'s'", "'y'", "cast node"}},
};

TEST(Validation, MistakesNameNodeAndTensor) {
  for (const Mistake &mistake : mistakes) {
    SCOPED_TRACE(mistake.what);
    GraphDefinition graph = floats();
    mistake.make(graph);
    Status status = graph.validate();
    EXPECT_EQ(status.code(), mistake.code) << status.message();
    for (const char *word : mistake.words)
      EXPECT_THAT(status.message(), HasSubstr(word));
    // Not validated: no text, and the reason.
    EXPECT_THAT(graph.text().status().message(), HasSubstr("needs a validate()"));
  }
}

TEST(Validation, CallOrder) {
  GraphDefinition graph = floats();
  relu(graph, input(graph, "x", {3}));
  EXPECT_THAT(graph.text().status().message(), AllOf(HasSubstr("graph 'g'"), HasSubstr("needs a validate()")));
  ASSERT_TRUE(graph.validate().ok());
  EXPECT_TRUE(graph.text().ok());
  graph.tensors()[0]->setDim({4});
  EXPECT_THAT(graph.text().status().message(), AllOf(HasSubstr("'x' has changed"), HasSubstr("another validate()")));
  ASSERT_TRUE(graph.validate().ok());
  EXPECT_THAT(graph.tensors()[1]->getDim(), ElementsAre(4)); // Inferred again.
  EXPECT_TRUE(graph.text().ok());
  input(graph, "unused", {3});
  EXPECT_FALSE(graph.text().ok());
}

TEST(Inference, Convolutions) {
  GraphDefinition graph = floats();
  auto x = graph.tensor(TensorAttr().setName("x").setDim({2, 4, 5, 7}).setStride({140, 1, 28, 4}));
  auto w = input(graph, "w", {6, 2, 3, 3});
  auto y = graph.convFProp(x, w, ConvFPropAttr().setPrePadding({0, 1}).setPostPadding({1, 2}).setStride({2, 1}));
  // h = (2 - 1) * 1 + 3 - 2, w = (8 - 1) * 1 + 3 - 2; dilation 2 along h: 1 + 5 - 2.
  auto dx = graph.convDGrad(y, w, ConvDGradAttr().setPadding({1, 1}).setGroups(2));
  auto dilated = graph.convDGrad(y, w, ConvDGradAttr().setPadding({1, 1}).setDilation({2, 1}));
  // (r - 1) * 2 within [5 - 1 - 1 * 2 - 1, 5 - 1 - 1 * 2]: only r = 2; s = 7 + 3 - 7.
  auto dw = graph.convWGrad(
      y, x, ConvWGradAttr().setPrePadding({0, 1}).setPostPadding({0, 2}).setStride({2, 1}).setDilation({2, 1}));
  dw->setOutput(true);
  Status status = graph.validate();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(y->getDim(), ElementsAre(2, 6, 2, 8));
  EXPECT_THAT(y->getStride(), ElementsAre(96, 1, 48, 6)); // Channels last, as x.
  EXPECT_EQ(y->getDataType(), DataType::Float);
  EXPECT_THAT(dx->getDim(), ElementsAre(2, 4, 2, 8));
  EXPECT_THAT(dilated->getDim(), ElementsAre(2, 2, 4, 8));
  EXPECT_THAT(dw->getDim(), ElementsAre(6, 4, 2, 3));
}

TEST(Inference, TypesAreTheGraphs) {
  GraphDefinition graph;
  graph.setIODataType(DataType::BFloat16).setIntermediateDataType(DataType::Float).setComputeDataType(DataType::Half);
  auto x = input(graph, "x", {3, 4});
  auto inner = graph.pointwise(x, mode(PointwiseMode::ABS));
  auto compared = graph.pointwise(inner, x, mode(PointwiseMode::CMP_GT));
  auto y = graph.pointwise(compared, inner, x, mode(PointwiseMode::BINARY_SELECT));
  y->setOutput(true);
  Status status = graph.validate();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(x->getDataType(), DataType::BFloat16);
  EXPECT_EQ(inner->getDataType(), DataType::Float);
  EXPECT_EQ(compared->getDataType(), DataType::Boolean);
  EXPECT_EQ(y->getDataType(), DataType::BFloat16);
}

TEST(Inference, OneAttributeServesTwoNodes) {
  GraphDefinition graph = floats();
  auto attr = ConvFPropAttr().setPadding({1, 1});
  auto y = graph.convFProp(input(graph, "x", {1, 2, 4, 4}), input(graph, "w", {2, 2, 3, 3}), attr);
  auto z = graph.convFProp(y, graph.tensors()[1], attr);
  z->setOutput(true);
  Status status = graph.validate();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(z->getDim(), ElementsAre(1, 2, 4, 4));
}

TEST(Inference, FiveHundredNodes) {
  GraphDefinition graph = floats();
  TensorPtr x = input(graph, "x", {2, 3});
  for (int i = 0; i < 500; ++i)
    x = graph.pointwise(x, mode(i % 2 ? PointwiseMode::ABS : PointwiseMode::NEG));
  x->setOutput(true);
  ASSERT_TRUE(graph.validate().ok());
  Expected<GraphProblem> problem = graph.problem();
  ASSERT_TRUE(problem.ok());
  EXPECT_EQ(problem->spec.steps.size(), 500U);
}

} // namespace
