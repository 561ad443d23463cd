// Canonical text of graphs: spelling never matters, meaning always does.
#include "Command/DriverCommand.h"
#include "NaiveGraph.h"
#include "RandomGraph.h"
#include "Reference/EvaluateGraph.h"
#include "orzo/Spec/Canonical.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <set>

using namespace orzo;
using namespace orzo::graph;
using namespace orzo::graph::test;

namespace {

using DataType = graph::DataType; // Not the three that convolutions know.

std::string driverText(const std::string &command) {
  Expected<DriverCommand> parsed = parseDriverCommand(command);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return text(canonicalise(parsed->problems.at(0).spec).spec);
}

std::string textOf(GraphDefinition &graph) {
  Status status = graph.validate();
  EXPECT_TRUE(status.ok()) << status.message();
  if (!status.ok())
    return "";
  Expected<std::string> result = graph.text();
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result ? *result : "";
}

/// Strides of a channels-last tensor with logical dims N C H W.
std::vector<int64_t> nhwc(const std::vector<int64_t> &dim) {
  return {dim[1] * dim[2] * dim[3], 1, dim[1] * dim[3], dim[1]};
}

TEST(GraphText, SeedIsTheDriversProblem) {
  GraphDefinition graph;
  graph.setIODataType(DataType::BFloat16).setComputeDataType(DataType::Float);
  // As Fusilli's users write it: strides along H (extent 1) are whatever the formula gives.
  auto dy = graph.tensor(TensorAttr().setName("dy").setDim({16, 2048, 1, 256}).setStride(nhwc({16, 2048, 1, 256})));
  auto w = graph.tensor(TensorAttr().setName("w").setDim({2048, 2048, 1, 2}).setStride(nhwc({2048, 2048, 1, 2})));
  auto dx = graph.convDGrad(dy, w, ConvDGradAttr().setStride({1, 2}).setPadding({0, 0}).setDilation({1, 1}));
  dx->setName("dx").setOutput(true).setDim({16, 2048, 1, 512});
  std::string driver = driverText(
      "convbfp16 -n 16 -c 2048 -H 1 -W 512 -k 2048 -y 1 -x 2 -p 0 -q 0 -u 1 -v 2 -l 1 -j 1 -m conv -g 1 -F 2 -t 1 "
      "--in_layout NHWC --out_layout NHWC --fil_layout NHWC");
  EXPECT_EQ(textOf(graph), driver);
  EXPECT_EQ(dx->getStride(), nhwc({16, 2048, 1, 512}));
  dy->setStride({524288, 1, 7, 2048});
  EXPECT_EQ(textOf(graph), driver);
}

TEST(GraphText, ForwardAndFilterGradientAreTheDriversProblems) {
  for (bool channelsLast : {false, true}) {
    auto strides = [&](const std::vector<int64_t> &dim) { return channelsLast ? nhwc(dim) : std::vector<int64_t>(); };
    std::string layouts = channelsLast ? " --in_layout NHWC --out_layout NHWC --fil_layout NHWC" : "";
    std::string flags = " -n 4 -c 8 -H 9 -W 7 -k 16 -y 3 -x 3 -p 1 -q 0 -u 2 -v 1 -l 1 -j 2 -g 2";
    std::string forwardCommand = "convfp16 -F 1", filterCommand = "convfp16 -F 4";
    for (std::string *command : {&forwardCommand, &filterCommand})
      command->append(flags).append(layouts);
    GraphDefinition forward;
    forward.setIODataType(DataType::Half);
    auto x = forward.tensor(TensorAttr().setDim({4, 8, 9, 7}).setStride(strides({4, 8, 9, 7})));
    auto w = forward.tensor(TensorAttr().setDim({16, 4, 3, 3}).setStride(strides({16, 4, 3, 3})));
    forward.convFProp(x, w, ConvFPropAttr().setStride({2, 1}).setPadding({1, 0}).setDilation({1, 2}))->setOutput(true);
    EXPECT_EQ(textOf(forward), driverText(forwardCommand));

    GraphDefinition filter;
    filter.setIODataType(DataType::Half);
    x = filter.tensor(TensorAttr().setDim({4, 8, 9, 7}).setStride(strides({4, 8, 9, 7})));
    auto dy = filter.tensor(TensorAttr().setDim({4, 16, 5, 3}).setStride(strides({4, 16, 5, 3})));
    auto attr = ConvWGradAttr().setStride({2, 1}).setPadding({1, 0}).setDilation({1, 2}).setGroups(2);
    auto dw = filter.convWGrad(dy, x, attr);
    dw->setOutput(true).setDim({16, 4, 3, 3});
    EXPECT_EQ(textOf(filter), driverText(filterCommand));
  }
}

TEST(GraphText, MatmulIsTheDriversGemm) {
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  auto a = graph.tensor(TensorAttr().setDim({3, 40, 30}));
  // Transposed by strides.
  auto b = graph.tensor(TensorAttr().setDim({3, 30, 50}).setStride({1500, 1, 30}));
  graph.matmul(a, b, MatmulAttr())->setOutput(true);
  EXPECT_EQ(textOf(graph), driverText("gemm -m 40 -n 50 -k 30 --batch 3 --transB 1"));
}

TEST(GraphText, MatrixForTheWholeBatchIsOneProduct) {
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  auto a = graph.tensor(TensorAttr().setDim({3, 40, 30}));
  auto b = graph.tensor(TensorAttr().setDim({1, 30, 50}));
  graph.matmul(a, b, MatmulAttr())->setOutput(true);
  EXPECT_EQ(textOf(graph), driverText("gemm -m 120 -n 50 -k 30"));
}

/// conv + bias + relu with the bias as given.
std::string biasText(bool operand, const std::vector<int64_t> &biasDim, bool swapped) {
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  auto x = graph.tensor(TensorAttr().setDim({2, 4, 5, 5}).setStride(nhwc({2, 4, 5, 5})));
  auto w = graph.tensor(TensorAttr().setDim({8, 4, 3, 3}).setStride(nhwc({8, 4, 3, 3})));
  auto bias = graph.tensor(TensorAttr().setDim(biasDim));
  ConvFPropAttr attr;
  TensorPtr sum;
  if (operand) {
    sum = graph.convFProp(x, w, bias, attr);
  } else {
    auto y = graph.convFProp(x, w, attr);
    auto add = PointwiseAttr().setMode(PointwiseMode::ADD);
    sum = swapped ? graph.pointwise(bias, y, add) : graph.pointwise(y, bias, add);
  }
  graph.pointwise(sum, PointwiseAttr().setMode(PointwiseMode::RELU_FWD))->setOutput(true).setName("out");
  return textOf(graph);
}

TEST(GraphText, ABiasOperandIsAnAdd) {
  std::string expected = "graph.v1\n"
                         "%0 = input 200:f32\n"
                         "%1 = input 288:f32\n"
                         "%2 = conv.v1 fprop n2 c4 k8 g1 in5x5 f3x3 out3x3 s1x1 d1x1 p0x0 x:nhwc:f32 w:krsc:f32 "
                         "y:npqk:f32 acc:f32 (%0, %1)\n"
                         "%3 = input 8:f32\n"
                         "%4 = add(%2, %3) 18:8:0:8 8:1:1:1 :f32\n"
                         "%5 = relu_fwd(%4) 144:1:1 :f32\n"
                         "output %5\n";
  EXPECT_EQ(biasText(false, {1, 8, 1, 1}, false), expected);
  EXPECT_EQ(biasText(false, {1, 8, 1, 1}, true), expected);
  EXPECT_EQ(biasText(true, {1, 8, 1, 1}, false), expected);
  EXPECT_EQ(biasText(true, {8}, false), expected);
}

TEST(GraphText, MeaningShows) {
  auto make = [](int change) {
    GraphDefinition graph;
    graph.setIODataType(DataType::Float).setIntermediateDataType(change == 1 ? DataType::BFloat16 : DataType::Float);
    graph.setStrictRounding(change == 2);
    auto a = graph.tensor(TensorAttr().setDim({4, 6}));
    auto b = graph.tensor(TensorAttr().setDim({4, change == 3 ? 1 : 6}));
    auto sum = graph.pointwise(a, b, PointwiseAttr().setMode(change == 4 ? PointwiseMode::MUL : PointwiseMode::ADD));
    auto relu = PointwiseAttr().setMode(PointwiseMode::RELU_FWD);
    if (change == 5)
      relu.setReluUpperClip(6);
    auto y = graph.pointwise(sum, relu);
    y->setOutput(true);
    if (change == 6)
      y->setStride({1, 4});
    if (change == 7)
      sum->setOutput(true);
    return textOf(graph);
  };
  std::set<std::string> texts;
  for (int change = 0; change <= 7; ++change)
    texts.insert(make(change));
  EXPECT_EQ(texts.size(), 8U);
}

// A result transposed, reshaped by ones or copied on its way into an output is written there at once.
TEST(GraphText, RenamedResultsAreTheResult) {
  auto make = [](int spelling) {
    GraphDefinition graph;
    graph.setIODataType(DataType::Float);
    auto x = graph.tensor(TensorAttr().setDim({2, 4, 5, 5})), w = graph.tensor(TensorAttr().setDim({8, 4, 3, 3}));
    auto y = graph.convFProp(x, w, ConvFPropAttr());
    if (spelling == 0) {
      y->setOutput(true).setStride({72, 1, 24, 8});
    } else {
      y = graph.transpose(y, TransposeAttr().setPermutation({0, 2, 3, 1}));
      if (spelling == 2)
        y = graph.pointwise(y, PointwiseAttr().setMode(PointwiseMode::IDENTITY));
      if (spelling == 3)
        y = graph.reshape(y, ReshapeAttr().setDim({2, 1, 3, 3, 8}));
      y->setOutput(true);
      if (spelling < 3)
        y->setStride({72, 24, 8, 1});
    }
    return textOf(graph);
  };
  EXPECT_THAT(make(0), testing::StartsWith("conv.v1 "));
  for (int spelling = 1; spelling <= 3; ++spelling)
    EXPECT_EQ(make(spelling), make(0)) << spelling;
  // Two outputs of one result are two memories, and a part or an input that is copied is copied.
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  auto identity = PointwiseAttr().setMode(PointwiseMode::IDENTITY);
  auto x = graph.tensor(TensorAttr().setDim({4, 6}));
  auto y = graph.pointwise(x, PointwiseAttr().setMode(PointwiseMode::NEG));
  graph.pointwise(y, identity)->setOutput(true);
  graph.transpose(y, TransposeAttr().setPermutation({1, 0}))->setOutput(true);
  graph.pointwise(x, identity)->setOutput(true);
  std::string text = textOf(graph);
  size_t copies = 0;
  for (size_t at = text.find("= identity("); at != std::string::npos; at = text.find("= identity(", at + 1))
    ++copies;
  EXPECT_EQ(copies, 3U) << text;
}

// Transposed by strides or by a node, once or there and back: what is made from it lies alike.
TEST(GraphText, TransposedInputsAreStrides) {
  auto make = [](int spelling) {
    GraphDefinition graph;
    graph.setIODataType(DataType::Float);
    TensorPtr x;
    auto transposed = [&](const TensorPtr &from, const std::vector<int64_t> &order) {
      return graph.transpose(from, TransposeAttr().setPermutation(order));
    };
    if (spelling == 0)
      x = graph.tensor(TensorAttr().setDim({2, 4, 5, 3}).setStride({60, 1, 12, 4}));
    else
      x = transposed(graph.tensor(TensorAttr().setDim({2, 5, 3, 4})), {0, 3, 1, 2});
    auto e = graph.pointwise(x, PointwiseAttr().setMode(PointwiseMode::EXP));
    if (spelling == 2)
      e = transposed(transposed(e, {3, 1, 0, 2}), {2, 1, 3, 0});
    auto sum = graph.reduction(e, ReductionAttr().setMode(ReductionMode::ADD).setAxes({1}));
    graph.pointwise(e, sum, PointwiseAttr().setMode(PointwiseMode::DIV))->setOutput(true).setStride({60, 15, 3, 1});
    return textOf(graph);
  };
  EXPECT_EQ(make(1), make(0));
  EXPECT_EQ(make(2), make(0));
}

TEST(GraphText, EqualConstantsAreOne) {
  auto make = [](int constants) {
    GraphDefinition graph;
    graph.setIODataType(DataType::Float);
    auto mul = PointwiseAttr().setMode(PointwiseMode::MUL);
    auto x = graph.tensor(TensorAttr().setDim({4}));
    auto first = graph.tensor(TensorAttr(0.1F).setDataType(DataType::Half));
    // As f16 both are the same number.
    auto second = constants == 1 ? first : graph.tensor(TensorAttr(0.1).setDataType(DataType::Half));
    graph.pointwise(graph.pointwise(x, first, mul), second, mul)->setOutput(true);
    return textOf(graph);
  };
  EXPECT_EQ(make(1), make(2));
  EXPECT_THAT(make(2), testing::HasSubstr(" = constant 0.0999755859375:f16\n"));
}

/// What a spelling may not change about a graph, and evaluated results that follow.
TEST(GraphText, RandomGraphsInOtherSpellingsAndNumbers) {
  int evaluated = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    GraphDefinition graph = randomGraph(random, 1 + int(seed % 8));
    Status status = graph.validate();
    ASSERT_TRUE(status.ok()) << status.message();
    Expected<GraphProblem> problem = graph.problem();
    if (!problem) {
      EXPECT_EQ(problem.status().code(), StatusCode::Unsupported) << problem.status().message();
      continue;
    }
    GraphDefinition other = respelled(graph, random);
    if (!other.validate().ok())
      ADD_FAILURE() << other.validate().message();
    ASSERT_EQ(textOf(other), text(problem->spec));
    Expected<GraphSpec> parsed = parseGraphSpec(text(problem->spec));
    ASSERT_TRUE(parsed.ok()) << parsed.status().message() << "\n" << text(problem->spec);
    ASSERT_EQ(text(*parsed), text(problem->spec));
    ASSERT_TRUE(*parsed == problem->spec || onlyConvolution(*parsed)) << text(problem->spec);

    // Small integers and halves, so that no sum rounds in f64.
    std::map<const TensorAttr *, Logical> logical;
    std::map<const TensorAttr *, std::vector<float>> memory;
    std::vector<const void *> pointers(problem->spec.values.size(), nullptr);
    bool plain = true;
    for (size_t i = 0; i < pointers.size(); ++i)
      if (problem->spec.values[i].kind == GraphValue::Kind::Input) {
        const TensorAttr &tensor = *problem->tensors[i];
        plain = plain && tensor.getDataType() == DataType::Float;
        memory[&tensor].resize(tensor.getSpan());
        for (float &value : memory[&tensor])
          value = static_cast<float>(pick(random, -4, 4)) / 2;
        for (int64_t position : positions(tensor))
          logical[&tensor].push_back(memory[&tensor][position]);
        pointers[i] = memory[&tensor].data();
      }
    for (const TensorPtr &tensor : graph.tensors()) // Inputs that no output needs.
      if (!logical.contains(tensor.get()) && !tensor->isScalar() && !tensor->isVirtual())
        logical[tensor.get()].assign(tensor->getVolume(), 0);
    for (const Node &node : graph.nodes())
      logical.erase(node.output.get());
    if (!plain)
      continue;
    std::vector<std::vector<double>> results = reference::evaluate(problem->spec, pointers, 1);
    auto expected = naive(graph, logical);
    for (size_t i = 0; i < results.size(); ++i) {
      const TensorAttr &tensor = *problem->tensors[problem->spec.outputs[i]];
      std::vector<int64_t> at = positions(tensor);
      const Logical &right = expected[&tensor];
      ASSERT_EQ(at.size(), right.size());
      for (size_t element = 0; element < at.size(); ++element) {
        double got = results[i][at[element]], want = right[element];
        ASSERT_TRUE((std::isnan(got) && std::isnan(want)) || got == want ||
                    std::abs(got - want) <= 1e-9 * std::max(std::abs(want), 1.0))
            << tensor.getName() << " element " << element << ": " << got << " instead of " << want << "\n"
            << text(problem->spec);
      }
    }
    ++evaluated;
  }
  EXPECT_GE(evaluated, 200);
}

TEST(GraphText, DamagedTextIsAnErrorOrAnotherGraph) {
  int failed = 0, changed = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    GraphDefinition graph = randomGraph(random, 1 + int(seed % 8));
    (void)graph.validate();
    Expected<std::string> whole = graph.text();
    if (!whole)
      continue;
    for (int round = 0; round < 40; ++round) {
      std::string damaged = *whole;
      const std::string letters = "0123456789:%(), -\nadfx";
      for (int64_t count = pick(random, 1, 2); count-- > 0;) {
        size_t at = static_cast<size_t>(pick(random, 0, static_cast<int64_t>(damaged.size()) - 1));
        if (pick(random, 0, 2))
          damaged[at] = letters[static_cast<size_t>(pick(random, 0, static_cast<int64_t>(letters.size()) - 1))];
        else
          damaged.erase(at, static_cast<size_t>(pick(random, 1, 3)));
        if (damaged.empty())
          break;
      }
      Expected<GraphSpec> parsed = parseGraphSpec(damaged);
      if (parsed) {
        ++changed;
        EXPECT_TRUE(orzo::validate(*parsed).ok());
        EXPECT_TRUE(parseGraphSpec(text(*parsed)).ok()) << damaged;
      } else {
        ++failed;
        EXPECT_FALSE(parsed.status().message().empty());
      }
    }
  }
  EXPECT_GT(failed, 1000);
  EXPECT_GT(changed, 100);
}

TEST(GraphText, PartsOfOneValueAreSaidInOrder) {
  constexpr const char *first =
      "graph.v1\n%0 = input 10:f32\n%1 = sub(%0, %0) from %0+0 from %0+5 5:1:1:1 :f32\noutput %1\n";
  constexpr const char *second =
      "graph.v1\n%0 = input 10:f32\n%1 = sub(%0, %0) from %0+5 from %0+0 5:1:1:1 :f32\noutput %1\n";
  for (const char *each : {first, second}) {
    Expected<GraphSpec> graph = parseGraphSpec(each);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    EXPECT_EQ(orzo::text(*graph), each);
  }
}

TEST(GraphText, AConvolutionReadsNoConstant) {
  Expected<GraphSpec> graph = parseGraphSpec(
      "graph.v1\n%0 = constant 2:f32\n%1 = input 1:f32\n%2 = conv.v1 fprop n1 c1 k1 g1 x::f32 w::f32 y::f32 acc:f32 "
      "(%0, %1)\noutput %2\n");
  ASSERT_FALSE(graph.ok());
  EXPECT_THAT(graph.status().message(), testing::HasSubstr("operand 0 is a constant"));
}

TEST(GraphText, AnUnusedInputIsPartOfTheGraph) {
  constexpr const char *source =
      "graph.v1\n%0 = input 1:f32\n%1 = input 1:f32\n%2 = conv.v1 fprop n1 c1 k1 g1 x::f32 w::f32 y::f32 acc:f32 (%0, "
      "%1)\n%3 = input 4:f32\noutput %2\n";
  Expected<GraphSpec> graph = parseGraphSpec(source);
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ(orzo::text(*graph), source);
}

TEST(GraphText, ParserNamesTheLine) {
  for (auto [broken, words] : {
           std::pair("graph.v2\n", "line 1 of the graph text: got 'graph.v2'"),
           std::pair("graph.v1\n%1 = input 3:f32\n", "line 2 of the graph text: expected %0 = "),
           std::pair("graph.v1\n%0 = input 3:f99\n", "line 2 of the graph text: expected input ELEMENTS:TYPE"),
           std::pair("graph.v1\n%0 = input 3:f32\n%1 = frob(%0) 3:1:1 :f32\n", "unknown mode 'frob'"),
           std::pair("graph.v1\n%0 = input 3:f32\n%1 = abs(%0) 3:1:1 :f32\n", "line 4 of the graph text"),
           std::pair("graph.v1\n%0 = input 3:f32\n%1 = abs(%0) 4:1:1 :f32\noutput %1\n",
                     "leave the memory of operand 0"),
           std::pair("graph.v1\n%0 = input 3:f32\n%1 = abs(%2) 3:1:1 :f32\noutput %1\n", "must be made before it"),
           std::pair("graph.v1\n%0 = input 3:f32\n%1 = add(%0) 3:1:1 :f32\noutput %1\n", "takes 2 operands"),
           std::pair("graph.v1\n%0 = input 3:f32\n%1 = abs(%0) 3:1:1 :f32\noutput %0\n", "outputs are results"),
       })
    EXPECT_THAT(parseGraphSpec(broken).status().message(), testing::HasSubstr(words)) << broken;
}

} // namespace
