// What the torch ops of a mode compute, op by op as torch defines them, is what the mode computes.
#include "Reference/Pointwise.h"
#include "orzo/Graph/GraphDefinition.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <sstream>

using namespace orzo;
using namespace orzo::graph;

namespace {

using Values = std::vector<double>;

double gelu(double x, bool isTanh) {
  return isTanh ? x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)))
                : x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
}

/// Torch's ops on one element; words are 0 for "none" and 1 for "tanh", absent scalars NaN.
double evaluate(const std::string &op, const Values &v) {
  static const std::map<std::string, std::function<double(const Values &)>> ops = {
      {"abs", [](const Values &v) { return std::fabs(v[0]); }},
      {"add.Scalar", [](const Values &v) { return v[0] + v[2] * v[1]; }},
      {"add.Tensor", [](const Values &v) { return v[0] + v[2] * v[1]; }},
      {"ceil", [](const Values &v) { return std::ceil(v[0]); }},
      {"clamp", [](const Values &v) { return std::fmin(std::fmax(v[0], v[1]), v[2]); }},
      {"clamp_max", [](const Values &v) { return std::fmin(v[0], v[1]); }},
      {"clone", [](const Values &v) { return v[0]; }},
      {"cos", [](const Values &v) { return std::cos(v[0]); }},
      {"div.Tensor", [](const Values &v) { return v[0] / v[1]; }},
      {"elu", [](const Values &v) { return v[0] > 0 ? v[0] * v[2] : std::expm1(v[0] * v[3]) * v[1] * v[2]; }},
      {"elu_backward", [](const Values &v) { return v[5] > 0 ? v[0] : v[0] * v[1] * std::exp(v[5]); }},
      {"eq.Tensor", [](const Values &v) { return v[0] == v[1]; }},
      {"erf", [](const Values &v) { return std::erf(v[0]); }},
      {"exp", [](const Values &v) { return std::exp(v[0]); }},
      {"floor", [](const Values &v) { return std::floor(v[0]); }},
      {"fmod.Tensor", [](const Values &v) { return std::fmod(v[0], v[1]); }},
      {"ge.Scalar", [](const Values &v) { return v[0] >= v[1]; }},
      {"ge.Tensor", [](const Values &v) { return v[0] >= v[1]; }},
      {"gelu", [](const Values &v) { return gelu(v[0], v[1] != 0); }},
      {"gelu_backward",
       [](const Values &v) { // The slope by a central difference.
         return v[0] * (gelu(v[1] + 1e-5, v[2] != 0) - gelu(v[1] - 1e-5, v[2] != 0)) / 2e-5;
       }},
      {"gt.Scalar", [](const Values &v) { return v[0] > v[1]; }},
      {"gt.Tensor", [](const Values &v) { return v[0] > v[1]; }},
      {"hardtanh_backward", [](const Values &v) { return v[1] <= v[2] || v[1] >= v[3] ? 0 : v[0]; }},
      {"le.Scalar", [](const Values &v) { return v[0] <= v[1]; }},
      {"le.Tensor", [](const Values &v) { return v[0] <= v[1]; }},
      {"leaky_relu", [](const Values &v) { return v[0] > 0 ? v[0] : v[0] * v[1]; }},
      {"log", [](const Values &v) { return std::log(v[0]); }},
      {"logical_and", [](const Values &v) { return v[0] != 0 && v[1] != 0; }},
      {"logical_not", [](const Values &v) { return v[0] == 0; }},
      {"logical_or", [](const Values &v) { return v[0] != 0 || v[1] != 0; }},
      {"lt.Tensor", [](const Values &v) { return v[0] < v[1]; }},
      {"maximum", [](const Values &v) { return std::fmax(v[0], v[1]); }},
      {"minimum", [](const Values &v) { return std::fmin(v[0], v[1]); }},
      {"mul.Scalar", [](const Values &v) { return v[0] * v[1]; }},
      {"mul.Tensor", [](const Values &v) { return v[0] * v[1]; }},
      {"ne.Scalar", [](const Values &v) { return v[0] != v[1]; }},
      {"ne.Tensor", [](const Values &v) { return v[0] != v[1]; }},
      {"neg", [](const Values &v) { return -v[0]; }},
      {"pow.Tensor_Tensor", [](const Values &v) { return std::pow(v[0], v[1]); }},
      {"reciprocal", [](const Values &v) { return 1 / v[0]; }},
      {"relu", [](const Values &v) { return v[0] > 0 ? v[0] : 0; }},
      {"rsqrt", [](const Values &v) { return 1 / std::sqrt(v[0]); }},
      {"rsub.Scalar", [](const Values &v) { return v[1] - v[2] * v[0]; }},
      {"sigmoid", [](const Values &v) { return 1 / (1 + std::exp(-v[0])); }},
      {"silu", [](const Values &v) { return v[0] / (1 + std::exp(-v[0])); }},
      {"sin", [](const Values &v) { return std::sin(v[0]); }},
      {"softplus",
       [](const Values &v) { return v[0] * v[1] > v[2] ? v[0] : std::log1p(std::exp(v[0] * v[1])) / v[1]; }},
      {"sqrt", [](const Values &v) { return std::sqrt(v[0]); }},
      {"square", [](const Values &v) { return v[0] * v[0]; }},
      {"sub.Scalar", [](const Values &v) { return v[0] - v[2] * v[1]; }},
      {"sub.Tensor", [](const Values &v) { return v[0] - v[2] * v[1]; }},
      {"tan", [](const Values &v) { return std::tan(v[0]); }},
      {"tanh", [](const Values &v) { return std::tanh(v[0]); }},
      {"tanh_backward", [](const Values &v) { return v[0] * (1 - v[1] * v[1]); }},
      {"threshold_backward", [](const Values &v) { return v[1] <= v[2] ? 0 : v[0]; }},
      {"where.ScalarSelf", [](const Values &v) { return v[0] != 0 ? v[1] : v[2]; }},
      {"where.self", [](const Values &v) { return v[0] != 0 ? v[1] : v[2]; }},
  };
  auto found = ops.find(op);
  EXPECT_NE(found, ops.end()) << op;
  return found == ops.end() ? NAN : found->second(v);
}

/// Runs the body of a function of one-element tensors; arguments %a, %b, %c; the result is what is overwritten.
double run(const std::string &module, const Values &arguments) {
  std::map<std::string, double> values = {{"%a", arguments[0]}, {"%b", arguments[1]}, {"%c", arguments[2]}};
  std::istringstream lines(module);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find(" :")));
    std::string result, equals, op, word;
    words >> result >> equals;
    if (result == "torch.overwrite.tensor.contents")
      return values.at(equals);
    if (equals != "=" || !(words >> op))
      continue;
    Values operands;
    std::string rest;
    while (words >> word) {
      if (word.back() == ',')
        word.pop_back();
      rest = word;
      if (word[0] == '%')
        operands.push_back(values.at(word));
    }
    if (op == "torch.constant.none")
      values[result] = NAN;
    else if (op == "torch.constant.str")
      values[result] = rest == "\"tanh\"";
    else if (op == "torch.constant.bool")
      values[result] = rest == "true";
    else if (op.starts_with("torch.constant."))
      values[result] = std::stod(rest);
    else if (op.starts_with("torch.aten."))
      values[result] = evaluate(op.substr(11), operands);
    else
      ADD_FAILURE() << line;
  }
  ADD_FAILURE() << "nothing is written\n" << module;
  return NAN;
}

void expectSame(const PointwiseAttr &attr) {
  GraphDefinition graph;
  graph.setIODataType(graph::DataType::Float);
  auto input = [&](const char *name) { return graph.tensor(TensorAttr().setDim({1}).setName(name)); };
  auto a = input("a");
  int count = inputCount(attr.getMode());
  auto y = count == 1   ? graph.pointwise(a, attr)
           : count == 2 ? graph.pointwise(a, input("b"), attr)
                        : graph.pointwise(a, input("b"), input("c"), attr);
  y->setOutput(true).setName("y");
  ASSERT_TRUE(graph.validate().ok());
  Expected<std::string> torch = graph.emitTorch();
  ASSERT_TRUE(torch.ok()) << torch.status().message();
  const double samples[] = {-30, -2.5, -1, -0.5, 0, 0.25, 1, 1.75, 6, 8, 25};
  for (double first : samples)
    for (double second : samples) {
      Values inputs = {first, second, 0.125};
      double want = reference::pointwise(attr.getMode(), attr.getParameters(), std::span(inputs).first(count));
      double got = run(*torch, inputs);
      EXPECT_TRUE((std::isnan(want) && std::isnan(got)) || want == got ||
                  std::abs(want - got) <= 1e-8 * std::max(1.0, std::abs(want)))
          << name(attr.getMode()) << "(" << first << ", " << second << ") is " << got << ", not " << want << "\n"
          << *torch;
    }
}

TEST(TorchNumbers, EveryMode) {
  for (PointwiseMode mode : allPointwiseModes())
    expectSame(PointwiseAttr().setMode(mode));
}

TEST(TorchNumbers, EveryParameter) {
  using enum PointwiseMode;
  for (PointwiseMode mode : {RELU_FWD, RELU_BWD})
    for (double lower : {0.0, -0.5, 1.0})
      for (double upper : {double(INFINITY), 6.0})
        for (double slope : {0.0, 0.1, -2.0})
          expectSame(
              PointwiseAttr().setMode(mode).setReluLowerClip(lower).setReluUpperClip(upper).setReluLowerClipSlope(
                  slope));
  for (double value : {0.3, 2.0, -1.0}) {
    for (PointwiseMode mode : {SWISH_FWD, SWISH_BWD})
      expectSame(PointwiseAttr().setMode(mode).setSwishBeta(value));
    for (PointwiseMode mode : {ELU_FWD, ELU_BWD})
      expectSame(PointwiseAttr().setMode(mode).setEluAlpha(value));
    for (PointwiseMode mode : {SOFTPLUS_FWD, SOFTPLUS_BWD})
      expectSame(PointwiseAttr().setMode(mode).setSoftplusBeta(value).setSoftplusThreshold(3));
  }
}

} // namespace
