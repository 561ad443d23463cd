// Torch modules as front ends spell them, read as graphs: forms, views, reductions, borders; and what is refused.
#include "Graph/TorchOps.h"
#include "ReadingGraph.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace orzo::test {
namespace {

using namespace orzo::graph;
using DataType = graph::DataType;
using testing::HasSubstr;

/// A module under construction.
class Module {
public:
  TorchTensor input(const std::string &name, const Extents &dim, DataType type = DataType::Float) {
    TorchTensor tensor{{text.fresh(name), torchType(dim, type)}, dim, type};
    arguments += (arguments.empty() ? "" : ", ") + tensor.value.name + ": " + tensor.value.type;
    return tensor;
  }
  TorchValue memory(const std::string &name, const Extents &dim, DataType type = DataType::Float) {
    TorchValue value{text.fresh(name), torchType(dim, type, /*isMutable=*/true)};
    arguments += (arguments.empty() ? "" : ", ") + value.name + ": " + value.type;
    return value;
  }
  TorchTensor op(const std::string &name, const std::vector<TorchValue> &operands, const Extents &dim,
                 DataType type = DataType::Float) {
    return ops.tensor(name, operands, "v", dim, type);
  }
  TorchTensor literal(double value, const Extents &dim) {
    TorchTensor tensor{{text.fresh("literal"), torchType(dim, DataType::Float)}, dim, DataType::Float};
    std::string builtin;
    for (int64_t extent : dim)
      builtin += std::to_string(extent) + "x";
    text.line(tensor.value.name + " = torch.vtensor.literal(dense<" + std::to_string(value) + "> : tensor<" + builtin +
              "f32>) : " + tensor.value.type);
    return tensor;
  }
  void overwrite(const TorchTensor &value, const TorchValue &memory) {
    text.line("torch.overwrite.tensor.contents " + value.value.name + " overwrites " + memory.name + " : " +
              value.value.type + ", " + memory.type);
  }
  TorchValue none() { return ops.none(); }
  TorchValue integer(int64_t value) { return ops.integer("i", value); }
  TorchValue real(double value) { return ops.real("r", value); }
  TorchValue flag(bool value) { return ops.boolean("b", value); }
  TorchValue word(const std::string &value) { return ops.word("s", value); }
  TorchValue list(const std::vector<int64_t> &values) { return ops.integers("l", values); }
  /// Operands of aten.convolution behind the tensors: stride, padding, dilation, transposed, output padding, groups.
  std::vector<TorchValue> plain(std::vector<TorchValue> operands, int64_t padding = 0) {
    for (const TorchValue &value :
         {list({1, 1}), list({padding, padding}), list({1, 1}), flag(false), list({}), integer(1)})
      operands.push_back(value);
    return operands;
  }
  std::string returning(const std::vector<TorchTensor> &results) {
    std::string names, types;
    for (const TorchTensor &result : results) {
      names += (names.empty() ? "" : ", ") + result.value.name;
      types += (types.empty() ? "" : ", ") + result.value.type;
    }
    return "func.func @main(" + arguments + ")" + (names.empty() ? "" : " -> (" + types + ")") + " {\n" + text.text() +
           "    return" + (names.empty() ? "" : " " + names + " : " + types) + "\n}\n";
  }

  TorchText text;
  TorchOps ops{text, "m"};
  std::string arguments;
};

const Extents shape = {2, 3, 4, 5};

using Values = std::vector<TorchValue>;
using Rest = std::function<Values(Module &)>;
using Spelling = std::function<TorchTensor(Module &, const TorchTensor &, const TorchTensor &)>;

/// What each spelling of x and dy (of `shape`) computes is one text, which has `part`.
void expectOne(const std::string &part, const std::vector<Spelling> &spellings) {
  std::string first;
  for (size_t number = 0; number < spellings.size(); ++number) {
    Module module;
    TorchTensor x = module.input("x", shape), dy = module.input("dy", shape);
    std::string source = module.returning({spellings[number](module, x, dy)}), text = graphText(source);
    EXPECT_THAT(text, HasSubstr(part)) << number << "\n" << source;
    if (number == 0)
      first = text;
    EXPECT_EQ(text, first) << number << "\n" << source;
  }
}

/// Spellings of one op of x: its name and its further operands.
Spelling unary(const std::string &name, const Rest &rest = {}) {
  return [=](Module &m, const TorchTensor &x, const TorchTensor &) {
    std::vector<TorchValue> operands = {x};
    for (const TorchValue &value : rest ? rest(m) : Values())
      operands.push_back(value);
    return m.op(name, operands, shape);
  };
}

TEST(TorchGraph, SpellingsOfRelu) {
  expectOne("= relu_fwd(%0) 120:1:1 :f32",
            {unary("aten.relu"), unary("aten.clamp_min", [](Module &m) -> Values { return {m.integer(0)}; }),
             unary("aten.clamp", [](Module &m) -> Values { return {m.real(0), m.none()}; }),
             unary("aten.threshold", [](Module &m) -> Values { return {m.integer(0), m.real(0)}; }),
             unary("aten.leaky_relu", [](Module &m) -> Values { return {m.real(0)}; })});
  expectOne("= relu_fwd(%0) upper=6 120:1:1 :f32",
            {unary("aten.relu6"),
             unary("aten.hardtanh", [](Module &m) -> Values { return {m.integer(0), m.integer(6)}; }),
             unary("aten.clamp", [](Module &m) -> Values { return {m.real(0), m.real(6)}; })});
  expectOne("= relu_fwd(%0) lower=-1 upper=1 ",
            {unary("aten.hardtanh", [](Module &m) -> Values { return {m.integer(-1), m.real(1)}; })});
  expectOne("= relu_fwd(%0) lower=-inf upper=3 ",
            {unary("aten.clamp_max", [](Module &m) -> Values { return {m.integer(3)}; }),
             unary("aten.clamp", [](Module &m) -> Values { return {m.none(), m.integer(3)}; })});
}

TEST(TorchGraph, SpellingsOfArithmetic) {
  auto binary = [](const std::string &name, double alpha, bool isSwapped) -> Spelling {
    return [=](Module &m, const TorchTensor &x, const TorchTensor &dy) {
      return m.op(name, {isSwapped ? dy : x, isSwapped ? x : dy, m.real(alpha)}, shape);
    };
  };
  expectOne("= add(%0, %1)", {binary("aten.add.Tensor", 1, false), binary("aten.add.Tensor", 1, true),
                              binary("aten.sub.Tensor", -1, false)});
  expectOne("= sub(%", {binary("aten.sub.Tensor", 1, false), binary("aten.add.Tensor", -1, false)});
  expectOne("= mul(%1, %2)", {binary("aten.add.Tensor", 2, false),
                              [](Module &m, const TorchTensor &x, const TorchTensor &dy) {
                                TorchTensor twice = m.op("aten.mul.Scalar", {dy, m.integer(2)}, shape);
                                return m.op("aten.add.Tensor", {x, twice, m.integer(1)}, shape);
                              },
                              [](Module &m, const TorchTensor &x, const TorchTensor &dy) {
                                TorchTensor twice = m.op("aten.mul.Tensor", {m.literal(2, {}), dy}, shape);
                                return m.op("aten.add.Tensor", {twice, x, m.integer(1)}, shape);
                              }});
  auto scaled = [](const std::function<TorchTensor(Module &)> &factor) -> Spelling {
    return [=](Module &m, const TorchTensor &x, const TorchTensor &) {
      return m.op("aten.mul.Tensor", {x, factor(m)}, shape);
    };
  };
  expectOne("= constant 3:f32\n",
            {unary("aten.mul.Scalar", [](Module &m) -> Values { return {m.integer(3)}; }),
             unary("aten.mul.Scalar", [](Module &m) -> Values { return {m.real(3)}; }),
             scaled([](Module &m) { return m.literal(3, {}); }), scaled([](Module &m) { return m.literal(3, {1}); }),
             scaled([](Module &m) { return m.literal(3, shape); }), scaled([](Module &m) {
               return m.op("aten.full", {m.list({4, 5}), m.real(3), m.none(), m.none(), m.none(), m.none()}, {4, 5});
             }),
             scaled([](Module &m) {
               return m.op("aten.expand", {m.literal(3, {1, 1}), m.list({2, 3, 4, 5}), m.flag(false)}, shape);
             })});
  expectOne("= sub(%0, %1)",
            {unary("aten.rsub.Scalar", [](Module &m) -> Values { return {m.integer(2), m.integer(1)}; }),
             [](Module &m, const TorchTensor &x, const TorchTensor &) {
               return m.op("aten.sub.Tensor", {m.literal(2, {}), x, m.integer(1)}, shape);
             }});
  expectOne("= mul(%0, %0)", {unary("aten.square"), [](Module &m, const TorchTensor &x, const TorchTensor &) {
                                return m.op("aten.mul.Tensor", {x, x}, shape);
                              }});
  expectOne("= cmp_lt(%", {unary("aten.gt.Scalar", [](Module &m) -> Values { return {m.real(0.5)}; })});
}

TEST(TorchGraph, SpellingsOfBackwards) {
  expectOne("= tanh_bwd(%0, %1)", {[](Module &m, const TorchTensor &x, const TorchTensor &dy) {
              return m.op("aten.tanh_backward", {dy, m.op("aten.tanh", {x}, shape)}, shape);
            }});
  auto sigmoidBackward = [](bool isSwapped) -> Spelling {
    return [=](Module &m, const TorchTensor &x, const TorchTensor &dy) {
      TorchTensor s = m.op("aten.sigmoid", {x}, shape);
      TorchTensor rest = m.op("aten.rsub.Scalar", {s, m.integer(1), m.integer(1)}, shape);
      TorchTensor slope = m.op("aten.mul.Tensor", {isSwapped ? rest : s, isSwapped ? s : rest}, shape);
      return m.op("aten.mul.Tensor", {isSwapped ? slope : dy, isSwapped ? dy : slope}, shape);
    };
  };
  expectOne("= sigmoid_bwd(%0, %1)", {[](Module &m, const TorchTensor &x, const TorchTensor &dy) {
                                        return m.op("aten.sigmoid_backward", {dy, m.op("aten.sigmoid", {x}, shape)},
                                                    shape);
                                      },
                                      sigmoidBackward(false), sigmoidBackward(true)});
  // Of a result that was kept there is no mode.
  expectOne("= sub(%", {[](Module &m, const TorchTensor &x, const TorchTensor &dy) {
              return m.op("aten.tanh_backward", {dy, x}, shape);
            }});
  expectOne("= relu_bwd(%0, %1) slope=0.1 ",
            {[](Module &m, const TorchTensor &x, const TorchTensor &dy) {
               return m.op("aten.leaky_relu_backward", {dy, x, m.real(0.1), m.flag(false)}, shape);
             },
             [](Module &m, const TorchTensor &x, const TorchTensor &dy) {
               TorchTensor test = m.op("aten.le.Scalar", {x, m.integer(0)}, shape, DataType::Boolean);
               return m.op("aten.where.self", {test, m.op("aten.mul.Scalar", {dy, m.real(0.1)}, shape), dy}, shape);
             }});
  expectOne("= swish_bwd(%0, %1) 120", {[](Module &m, const TorchTensor &x, const TorchTensor &dy) {
              return m.op("aten.silu_backward", {dy, x}, shape);
            }});
  expectOne("= relu_bwd(%0, %1) upper=6 ", {[](Module &m, const TorchTensor &x, const TorchTensor &dy) {
              return m.op("aten.hardtanh_backward", {dy, x, m.integer(0), m.integer(6)}, shape);
            }});
}

TEST(TorchGraph, SpellingsOfCasts) {
  auto cast = [](const std::string &name, bool isShort) -> Spelling {
    return [=](Module &m, const TorchTensor &x, const TorchTensor &) {
      TorchValue none = m.none(), no = m.flag(false);
      std::vector<TorchValue> operands = {x, m.integer(15)};
      if (name == "aten.to.dtype")
        operands.insert(operands.end(), {no, no, none});
      else if (!isShort)
        operands.insert(operands.end(), {none, none, none, no, none});
      return m.op(name, operands, shape, DataType::BFloat16);
    };
  };
  expectOne("= identity(%0) 120:1:1 :bf16",
            {cast("aten.to.dtype", false), cast("aten._to_copy", false), cast("prims.convert_element_type", true)});
}

/// conv2d 3x3 of an NCHW x with a bias spelled by `add`, then relu.
std::string withBias(const std::function<TorchTensor(Module &, const TorchTensor &, const TorchTensor &,
                                                     const TorchTensor &)> &product) {
  Module m;
  TorchTensor x = m.input("x", {2, 4, 6, 6}), w = m.input("w", {8, 4, 3, 3}), b = m.input("b", {8});
  return graphText(m.returning({m.op("aten.relu", {product(m, x, w, b)}, {2, 8, 4, 4})}));
}

TEST(TorchGraph, BiasIsASum) {
  const Extents y = {2, 8, 4, 4};
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  TensorPtr x = graph.tensor(TensorAttr().setDim({2, 4, 6, 6})), w = graph.tensor(TensorAttr().setDim({8, 4, 3, 3})),
            b = graph.tensor(TensorAttr().setDim({8}));
  graph.pointwise(graph.convFProp(x, w, b, ConvFPropAttr()), PointwiseAttr().setMode(PointwiseMode::RELU_FWD))
      ->setOutput(true);
  ASSERT_TRUE(graph.validate().ok());
  std::string expected = *graph.text();
  auto sum = [&](const std::function<TorchTensor(Module &, const TorchTensor &)> &spread) {
    return [=](Module &m, const TorchTensor &x, const TorchTensor &w, const TorchTensor &b) {
      TorchTensor product = m.op("aten.convolution", m.plain({x, w, m.none()}), y);
      return m.op("aten.add.Tensor", {spread(m, b), product, m.integer(1)}, y);
    };
  };
  auto asColumn = [](Module &m, const TorchTensor &b) {
    return m.op("aten.view", {b, m.list({1, 8, 1, 1})}, {1, 8, 1, 1});
  };
  EXPECT_EQ(withBias([&](Module &m, const TorchTensor &x, const TorchTensor &w, const TorchTensor &b) {
              return m.op("aten.convolution", m.plain({x, w, b}), y);
            }),
            expected);
  EXPECT_EQ(withBias([&](Module &m, const TorchTensor &x, const TorchTensor &w, const TorchTensor &b) {
              return m.op("aten.conv2d", {x, w, b, m.list({1}), m.list({0}), m.list({1}), m.integer(1)}, y);
            }),
            expected);
  EXPECT_EQ(withBias(sum(asColumn)), expected);
  EXPECT_EQ(withBias(sum([&](Module &m, const TorchTensor &b) {
              return m.op("aten.unsqueeze", {m.op("aten.unsqueeze", {b, m.integer(-1)}, {8, 1}), m.integer(2)},
                          {8, 1, 1});
            })),
            expected);
  EXPECT_EQ(withBias(sum([&](Module &m, const TorchTensor &b) {
              return m.op("aten.expand", {asColumn(m, b), m.list({2, -1, 4, 4}), m.flag(false)}, y);
            })),
            expected);
}

// As front ends write channels-last: permuted in front of every node and back behind it, copies, contiguous.
TEST(TorchGraph, PermutesAtEveryEdge) {
  const Extents toLogical = {0, 3, 1, 2}, toMemory = {0, 2, 3, 1};
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  TensorPtr gx = graph.tensor(TensorAttr().setDim({2, 4, 6, 6}).setStride({144, 1, 24, 4}));
  TensorPtr gw = graph.tensor(TensorAttr().setDim({8, 4, 3, 3}).setStride({36, 1, 12, 4}));
  TensorPtr gr = graph.tensor(TensorAttr().setDim({2, 8, 4, 4}).setStride({128, 1, 32, 8}));
  auto mode = [](PointwiseMode value) { return PointwiseAttr().setMode(value); };
  TensorPtr gy = graph.convFProp(gx, gw, ConvFPropAttr());
  gy = graph.pointwise(graph.pointwise(gy, gr, mode(PointwiseMode::ADD)), mode(PointwiseMode::RELU_FWD));
  gy->setOutput(true).setStride({128, 1, 32, 8});
  ASSERT_TRUE(graph.validate().ok());
  for (int style = 0; style < 4; ++style) {
    Module m;
    TorchValue out = m.memory("y_", {2, 4, 4, 8});
    TorchTensor x = m.input("x", {2, 6, 6, 4}), w = m.input("w", {8, 3, 3, 4}), r = m.input("r", {2, 4, 4, 8});
    auto permuted = [&](const TorchTensor &from, const Extents &order, const Extents &dim) {
      return m.op("aten.permute", {from, m.list(order)}, dim);
    };
    auto logical = [&](const TorchTensor &y) { return permuted(y, toLogical, {2, 8, 4, 4}); };
    auto memory = [&](const TorchTensor &y) {
      TorchTensor result = permuted(y, toMemory, {2, 4, 4, 8});
      if (style == 1)
        result = m.op("aten.clone", {result, m.none()}, {2, 4, 4, 8});
      if (style == 2)
        result = m.op("aten.contiguous", {result, m.integer(0)}, {2, 4, 4, 8});
      return result;
    };
    TorchTensor y =
        m.op("aten.convolution",
             m.plain({permuted(x, toLogical, {2, 4, 6, 6}), permuted(w, {0, -1, 1, 2}, {8, 4, 3, 3}), m.none()}),
             {2, 8, 4, 4});
    if (style == 3) {
      // Channels-last all along but for the convolution.
      y = m.op("aten.add.Tensor", {r, memory(y), m.integer(1)}, {2, 4, 4, 8});
      y = m.op("aten.relu", {y}, {2, 4, 4, 8});
    } else {
      y = m.op("aten.add.Tensor", {logical(memory(y)), logical(r), m.integer(1)}, {2, 8, 4, 4});
      y = memory(m.op("aten.relu", {logical(memory(y))}, {2, 8, 4, 4}));
    }
    m.overwrite(y, out);
    EXPECT_EQ(graphText(m.returning({})), *graph.text()) << style;
  }
}

TEST(TorchGraph, Products) {
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  TensorPtr a = graph.tensor(TensorAttr().setDim({7, 5})),
            b = graph.tensor(TensorAttr().setDim({5, 3}).setStride({1, 5})), c = graph.tensor(TensorAttr().setDim({3}));
  graph.pointwise(graph.matmul(a, b, MatmulAttr()), c, PointwiseAttr().setMode(PointwiseMode::ADD))->setOutput(true);
  ASSERT_TRUE(graph.validate().ok());
  for (int style = 0; style < 3; ++style) {
    Module m;
    TorchTensor x = m.input("x", {7, 5}), w = m.input("w", {3, 5}), bias = m.input("b", {3}), y;
    auto columns = [&] { return m.op("aten.t", {w}, {5, 3}); };
    if (style == 0)
      y = m.op("aten.linear", {x, w, bias}, {7, 3});
    else if (style == 1)
      y = m.op("aten.addmm", {bias, x, columns(), m.integer(1), m.real(1)}, {7, 3});
    else
      y = m.op("aten.add.Tensor", {m.op("aten.matmul", {x, columns()}, {7, 3}), bias, m.integer(1)}, {7, 3});
    EXPECT_EQ(graphText(m.returning({y})), *graph.text()) << style;
  }
  Module vectors;
  TorchTensor v = vectors.input("v", {5}), w = vectors.input("w", {5, 3});
  EXPECT_EQ(graphText(vectors.returning({vectors.op("aten.matmul", {v, w}, {3})})),
            "conv.v1 fprop n1 c5 k3 g1 x:c:f32 w:ck:f32 y:k:f32 acc:f32");
}

TEST(TorchGraph, SpellingsOfReductions) {
  auto reduced = [](const std::string &name, const Rest &rest, const Extents &dim, bool isRestored) -> Spelling {
    return [=](Module &m, const TorchTensor &x, const TorchTensor &dy) {
      std::vector<TorchValue> operands = {x};
      for (const TorchValue &value : rest(m))
        operands.push_back(value);
      TorchTensor sum = m.op(name, operands, dim);
      if (isRestored)
        sum = m.op("aten.view", {sum, m.list({1, 3, 1, 1})}, {1, 3, 1, 1});
      return m.op("aten.mul.Tensor", {dy, sum}, shape);
    };
  };
  const Extents kept = {1, 3, 1, 1}, dropped = {3};
  expectOne("reduce_add(",
            {reduced(
                 "aten.sum.dim_IntList",
                 [](Module &m) -> Values { return {m.list({0, 2, 3}), m.flag(true), m.none()}; }, kept, false),
             reduced(
                 "aten.sum.dim_IntList",
                 [](Module &m) -> Values { return {m.list({-1, 0, -2}), m.flag(false), m.integer(6)}; }, dropped, true),
             reduced("prims.sum", [](Module &m) -> Values { return {m.list({0, 2, 3}), m.none()}; }, dropped, true)});
  expectOne(
      "reduce_max(",
      {reduced(
           "aten.amax", [](Module &m) -> Values { return {m.list({0, 2, 3}), m.flag(true)}; }, kept, false),
       reduced("aten.amax", [](Module &m) -> Values { return {m.list({3, 2, 0}), m.flag(false)}; }, dropped, true)});
  expectOne("reduce_norm2(",
            {reduced(
                 "aten.norm.ScalarOpt_dim",
                 [](Module &m) -> Values { return {m.none(), m.list({0, 2, 3}), m.flag(true)}; }, kept, false),
             reduced(
                 "aten.linalg_vector_norm",
                 [](Module &m) -> Values { return {m.integer(2), m.list({0, 2, 3}), m.flag(true), m.none()}; }, kept,
                 false)});
  auto all = [](const std::string &name, const Rest &rest, const Extents &dim) {
    return Spelling([=](Module &m, const TorchTensor &x, const TorchTensor &) {
      Values operands = {x};
      for (const TorchValue &value : rest(m))
        operands.push_back(value);
      return m.op(name, operands, dim);
    });
  };
  expectOne(
      "reduce_avg(%0) 120:1:0 :f32",
      {all("aten.mean", [](Module &m) -> Values { return {m.none()}; }, {}),
       all("aten.mean.dim", [](Module &m) -> Values { return {m.list({}), m.flag(false), m.none()}; }, {}),
       all("aten.mean.dim", [](Module &m) -> Values { return {m.none(), m.flag(true), m.none()}; }, {1, 1, 1, 1})});
  expectOne("reduce_mul(", {all("aten.prod", [](Module &m) -> Values { return {m.none()}; }, {})});
  expectOne("reduce_max(%0) 24:5:1 5:1:0 :f32",
            {all("aten.amax", [](Module &m) -> Values { return {m.integer(-1), m.flag(false)}; }, {2, 3, 4})});
}

TEST(TorchGraph, Parts) {
  auto part = [](int64_t dim, int64_t start, int64_t limit, int64_t step, const Extents &taken) -> Spelling {
    return [=](Module &m, const TorchTensor &x, const TorchTensor &) {
      TorchTensor sliced =
          m.op("aten.slice.Tensor", {x, m.integer(dim), m.integer(start), m.integer(limit), m.integer(step)}, taken);
      return m.op("aten.neg", {sliced}, taken);
    };
  };
  expectOne("= neg(%0) from %0+5 6:20:15 15:1:1 :f32",
            {part(2, 1, 9223372036854775807, 1, {2, 3, 3, 5}), part(-2, -3, 4, 1, {2, 3, 3, 5})});
  expectOne("= neg(%0) from %0+3 24:5:1 :f32", {[](Module &m, const TorchTensor &x, const TorchTensor &) {
              TorchTensor one = m.op("aten.select.int", {x, m.integer(3), m.integer(-2)}, {2, 3, 4});
              return m.op("aten.neg", {one}, {2, 3, 4});
            }});
}

/// convolution_backward whose outputs of `mask` are returned.
std::string backwardText(const std::vector<bool> &mask) {
  Module m;
  TorchTensor dy = m.input("dy", {2, 8, 4, 4}), x = m.input("x", {2, 4, 6, 6}), w = m.input("w", {8, 4, 3, 3});
  std::vector<TorchValue> operands = m.plain({dy, x, w, m.list({8})});
  operands.push_back(m.ops.booleans("mask", mask));
  std::string values, types;
  for (const TorchValue &value : operands) {
    values += (values.empty() ? "" : ", ") + value.name;
    types += (types.empty() ? "" : ", ") + value.type;
  }
  TorchTensor b{{"%db", torchType({8}, DataType::Float)}, {8}, DataType::Float};
  TorchTensor results[] = {{{"%dx", x.value.type}, x.dim, x.type}, {{"%dw", w.value.type}, w.dim, w.type}, b};
  m.text.line("%dx, %dw, %db = torch.aten.convolution_backward " + values + " : " + types + " -> " + x.value.type +
              ", " + w.value.type + ", " + b.value.type);
  std::vector<TorchTensor> returned;
  for (int i = 0; i < 3; ++i)
    if (mask[i])
      returned.push_back(results[i]);
  return graphText(m.returning(returned));
}

TEST(TorchGraph, BackwardWithAnyMask) {
  for (int bits = 1; bits < 8; ++bits) {
    std::string text = backwardText({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    EXPECT_EQ(text.find("reduce_add(") != std::string::npos, (bits & 4) != 0) << text;
    size_t convolutions = 0;
    for (size_t at = text.find("conv.v1"); at != std::string::npos; at = text.find("conv.v1", at + 1))
      ++convolutions;
    EXPECT_EQ(convolutions, (bits & 1) + (bits >> 1 & 1)) << text;
  }
}

TEST(TorchGraph, BindingSaysWhereValuesCome) {
  Module m;
  TorchTensor unused = m.input("u", {3});
  TorchValue out = m.memory("out", {4, 6});
  TorchTensor b = m.input("b", {6}), x = m.input("x", {4, 6});
  TorchTensor sum = m.op("aten.add.Tensor", {x, b, m.integer(1)}, {4, 6});
  m.overwrite(m.op("aten.relu", {sum}, {4, 6}), out);
  TorchTensor back = m.op("aten.permute", {x, m.list({1, 0})}, {6, 4});
  Expected<ImportedGraph> graph = readGraph(m.returning({m.op("aten.neg", {sum}, {4, 6}), sum, sum, back}));
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  const GraphSpec &spec = graph->problem.spec;
  const Binding &binding = graph->binding;
  EXPECT_EQ(binding.entry, "main");
  EXPECT_EQ(binding.frontEnd, "torch");
  ASSERT_EQ(binding.arguments.size(), 4U);
  EXPECT_EQ(binding.arguments[0].use, ArgumentUse::Unused);
  EXPECT_EQ(binding.arguments[1].use, ArgumentUse::Destination);
  EXPECT_EQ(binding.arguments[2].use, ArgumentUse::Operand);
  EXPECT_EQ(binding.arguments[3].use, ArgumentUse::Operand);
  std::vector<int64_t> inputs;
  for (const GraphValue &value : spec.values)
    if (value.kind == GraphValue::Kind::Input)
      inputs.push_back(value.elements);
  EXPECT_EQ(inputs.at(binding.arguments[2].tensor), 6);
  EXPECT_EQ(inputs.at(binding.arguments[3].tensor), 24);
  // relu, neg, sum, sum again as a copy, and a copy of the argument transposed.
  ASSERT_EQ(spec.outputs.size(), 5U);
  ASSERT_EQ(graph->returned.size(), 4U);
  EXPECT_EQ(binding.destinations.at(binding.arguments[1].tensor), 1);
  auto modeOf = [&](int output) {
    for (const GraphStep &step : spec.steps)
      if (step.result == spec.outputs[output])
        return std::get<PointwiseStep>(step.work).mode;
    return PointwiseMode::NOT_SET;
  };
  EXPECT_EQ(modeOf(binding.arguments[1].tensor), PointwiseMode::RELU_FWD);
  std::vector<PointwiseMode> modes;
  for (int output : graph->returned) {
    modes.push_back(modeOf(output));
    EXPECT_EQ(binding.destinations[output], -1);
  }
  EXPECT_EQ(modes,
            (std::vector{PointwiseMode::NEG, PointwiseMode::ADD, PointwiseMode::IDENTITY, PointwiseMode::IDENTITY}));
  (void)unused;
}

TEST(TorchGraph, SeedIsTheDriversProblem) {
  const char *folder = std::getenv("ORZO_SEED");
  if (!folder)
    GTEST_SKIP() << "ORZO_SEED is not set";
  std::stringstream source;
  source << std::ifstream(std::string(folder) + "/fusilli_torch.mlir").rdbuf();
  EXPECT_EQ(graphText(source.str()),
            "conv.v1 dgrad n16 c2048 k2048 g1 in512 f2 out256 s2 d1 p0 x:nhc:bf16 w:krc:bf16 y:npk:bf16 acc:f32");
}

void expectRefused(const std::string &source, StatusCode code, const std::string &part) {
  Expected<ImportedGraph> graph = readGraph(source);
  ASSERT_FALSE(graph.ok()) << source;
  EXPECT_EQ(name(graph.status().code()), name(code)) << graph.status().message() << "\n" << source;
  EXPECT_THAT(graph.status().message(), testing::MatchesRegex("test.mlir:[0-9]+:[0-9]+: (.|\n)*"));
  EXPECT_THAT(graph.status().message(), HasSubstr(part)) << source;
}

/// `make` is refused so, and no matter where nothing depends on it.
void expectRefused(StatusCode code, const std::string &part, const Spelling &make, const std::string &bystander = "") {
  Module m;
  TorchTensor x = m.input("x", shape), dy = m.input("dy", shape);
  expectRefused(m.returning({make(m, x, dy)}), code, part);
  Module other;
  x = other.input("x", shape), dy = other.input("dy", shape);
  (void)make(other, x, dy);
  EXPECT_THAT(graphText(other.returning({other.op("aten.relu", {x}, shape)})), HasSubstr("= relu_fwd(%0)")) << part;
}

TEST(TorchGraph, Refusals) {
  using enum StatusCode;
  auto op = [](const std::string &name, const Extents &dim, const Rest &rest = {},
               DataType type = DataType::Float) -> Spelling {
    return [=](Module &m, const TorchTensor &x, const TorchTensor &) {
      std::vector<TorchValue> operands = {x};
      for (const TorchValue &value : rest ? rest(m) : Values())
        operands.push_back(value);
      return m.op(name, operands, dim, type);
    };
  };
  expectRefused(Unsupported, "op 'torch.aten.sign' is none that is read", op("aten.sign", shape));
  expectRefused(InvalidArgument, "'torch.aten.relu' is declared to be 2x3, where its operands give 2x3x4x5",
                op("aten.relu", {2, 3}));
  expectRefused(Unsupported, "is read where its value is its threshold; got 1",
                op("aten.threshold", shape, [](Module &m) -> Values { return {m.real(0), m.real(1)}; }));
  expectRefused(InvalidArgument, "the lower clip must not be above the upper one",
                [&](Module &m, const TorchTensor &x, const TorchTensor &) {
                  return m.op("aten.clamp", {x, m.real(2), m.real(1)}, shape);
                });
  expectRefused(Unsupported, "operand 1 of 'torch.aten.mul.Scalar' is no constant",
                [](Module &m, const TorchTensor &x, const TorchTensor &dy) {
                  TorchValue item = m.text.op("aten.item", {dy}, "item", "!torch.float");
                  return m.op("aten.mul.Scalar", {x, item}, shape);
                });
  expectRefused(Unsupported, "is read with scale and input_scale 1",
                op("aten.elu", shape, [](Module &m) -> Values { return {m.real(1), m.real(2), m.integer(1)}; }));
  expectRefused(Unsupported, "is read with approximate",
                op("aten.gelu", shape, [](Module &m) -> Values { return {m.word("erf")}; }));
  expectRefused(Unsupported, "is read of order 1, 2 and infinity",
                op("aten.linalg_vector_norm", {2, 3, 4},
                   [](Module &m) -> Values { return {m.real(3), m.list({3}), m.flag(false), m.none()}; }));
  expectRefused(Unsupported, "are no constants within 4 dims",
                op("aten.sum.dim_IntList", {2, 3, 4},
                   [](Module &m) -> Values { return {m.list({4}), m.flag(false), m.none()}; }));
  expectRefused(InvalidArgument, "'torch.aten.amax' is declared to be 2x3x5, where it gives 2x3x4x1",
                op("aten.amax", {2, 3, 5}, [](Module &m) -> Values { return {m.list({3}), m.flag(false)}; }));
  expectRefused(Unsupported, "are no permutation",
                op("aten.permute", shape, [](Module &m) -> Values { return {m.list({0, 1, 1, 2})}; }));
  expectRefused(InvalidArgument, "makes 7 of 2x3x4x5",
                op("aten.view", {7}, [](Module &m) -> Values { return {m.list({7})}; }));
  expectRefused(InvalidArgument, "changes the element type",
                op("aten.view", {120}, [](Module &m) -> Values { return {m.list({120})}; }, DataType::Half));
  expectRefused(Unsupported, "takes no element", op("aten.slice.Tensor", shape, [](Module &m) -> Values {
                  return {m.integer(0), m.integer(1), m.integer(1), m.integer(1)};
                }));
  expectRefused(Unsupported, "repeats a tensor of 2x3x4x5", [](Module &m, const TorchTensor &x, const TorchTensor &dy) {
    TorchTensor five = m.op("aten.expand", {x, m.list({5, 2, 3, 4, 5}), m.flag(false)}, {5, 2, 3, 4, 5});
    (void)m.op("aten.add.Tensor", {x, dy, m.integer(1)}, shape);
    return five;
  });
  expectRefused(
      Unsupported, "'torch.aten.constant_pad_nd' is read where a convolution takes over the zeros",
      op("aten.constant_pad_nd", {2, 3, 4, 7}, [](Module &m) -> Values { return {m.list({1, 1}), m.real(0)}; }));
  expectRefused(
      Unsupported, "is read of zeros alone",
      op("aten.constant_pad_nd", {2, 3, 4, 7}, [](Module &m) -> Values { return {m.list({1, 1}), m.real(1)}; }));
  expectRefused(Unsupported, "is read of an argument that nothing else reads",
                [](Module &m, const TorchTensor &x, const TorchTensor &) {
                  TorchTensor y = m.op("aten.relu", {x}, shape);
                  return m.op("aten.as_strided", {y, m.list({2}), m.list({1}), m.integer(0)}, {2});
                });
  auto convolution = [](const Extents &w, const Extents &y, int64_t bias) -> Spelling {
    return [=](Module &m, const TorchTensor &x, const TorchTensor &) {
      TorchTensor filter = m.input("w", w), sum = m.input("b", {bias});
      return m.op("aten.convolution", m.plain({x, filter, bias != 0 ? sum.value : m.none()}), y);
    };
  };
  expectRefused(InvalidArgument, "spatial dim 1 does not fit", convolution({7, 3, 3, 3}, {2, 7, 2, 2}, 0));
  expectRefused(Unsupported, "3 to 5 dims, all of as many", convolution({7, 3, 3}, {2, 7, 2}, 0));
  expectRefused(InvalidArgument, "the bias of 'torch.aten.convolution' must be a tensor of 7; got 6",
                convolution({7, 3, 3, 3}, {2, 7, 2, 3}, 6));
  expectRefused(InvalidArgument, "a product of 2x3x4x5 and 2x3x4x5 does not exist",
                [](Module &m, const TorchTensor &x, const TorchTensor &dy) {
                  return m.op("aten.matmul", {x, dy}, {2, 3, 4, 5});
                });
}

// Errors of the function as a whole.
TEST(TorchGraph, RefusedBorders) {
  using enum StatusCode;
  {
    Module m;
    TorchTensor x = m.input("x", shape);
    TorchValue out = m.memory("y_", {2, 3});
    m.overwrite(x, out);
    expectRefused(m.returning({}), InvalidArgument, "it writes a !torch.vtensor<[2,3,4,5],f32> into a");
  }
  {
    Module m;
    TorchTensor x = m.input("x", shape);
    TorchValue out = m.memory("y_", shape);
    m.overwrite(x, out);
    m.overwrite(m.op("aten.relu", {x}, shape), out);
    expectRefused(m.returning({}), Unsupported, "argument 1 is written twice");
  }
  {
    Module m;
    TorchTensor x = m.input("x", shape);
    (void)m.op("aten.relu", {x}, shape);
    expectRefused(m.returning({}), Unsupported, "writes and returns nothing");
  }
  {
    Module m;
    TorchTensor x{{"%x", "!torch.vtensor<[2,?],f32>"}, {2, 3}, DataType::Float};
    m.arguments = "%x: " + x.value.type;
    expectRefused(m.returning({m.op("aten.relu", {x}, {2, 3})}), Unsupported, "tensors of static shape are read");
  }
  {
    Module m;
    TorchValue none = m.none();
    TorchTensor empty = m.op("aten.empty.memory_format", {m.list({2}), m.integer(6), none, none, none, none}, {2});
    expectRefused(m.returning({empty}), Unsupported, "was never computed");
    TorchTensor read = m.op("aten.relu", {empty}, {2});
    expectRefused(m.returning({read}), Unsupported, "reads a tensor that nothing was written to");
  }
  expectRefused("func.func @a(%x: !torch.vtensor<[2],f32>) { return }\nfunc.func @b() { return }\n", Unsupported,
                "expected a module of one function");
}

} // namespace
} // namespace orzo::test
