// Graphs compute the right numbers: compiled, run and compared with the oracle, on every ISA of this machine.
#include "Compiler/BuildImage.h"
#include "Compiler/Compiler.h"
#include "GraphRun.h"
#include "Pipeline/Registry.h"
#include "Reference/Evaluate.h"
#include "Reference/EvaluateGraph.h"

#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo {
namespace {

constexpr ElementType bf16 = ElementType::BFloat16, f16 = ElementType::Half, f32 = ElementType::Float,
                      boolean = ElementType::Boolean;

std::vector<uint8_t> compiled(const GraphSpec &graph, Isa isa) {
  CompileRequest request;
  request.input = text(graph);
  request.target = "cpu:" + std::string(name(isa));
  request.threads = 3;
  Expected<CompileOutput> output = compile(request);
  EXPECT_TRUE(output.ok()) << output.status().message() << "\n" << request.input;
  return output ? output->bytes : std::vector<uint8_t>();
}

/// Compiles and runs `graph` on integers everywhere; as many steps as `steps`.
void check(const GraphSpec &graph, size_t steps) {
  ASSERT_TRUE(validate(graph).ok()) << validate(graph).message();
  for (Isa isa : supportedIsas()) {
    GraphRun run = runGraph(graph, compiled(graph, isa), name(isa), 31, true);
    ASSERT_FALSE(run.values.empty());
    expectExact(graph, run);
    std::vector<std::string> names;
    for (const ArtifactStep &step : run.steps)
      names.push_back(step.name);
    EXPECT_EQ(names.size(), steps) << testing::PrintToString(names) << "\n" << text(graph);
  }
}

/// Inputs for `spec`'s two operands, and its result.
int convolution(GraphBuilder &builder, const ConvSpec &spec) {
  std::array<Role, 2> roles = operandRoles(spec.direction);
  int first = builder.input(spec.elementCount(roles[0]), toElementType(spec.type(roles[0])));
  int second = builder.input(spec.elementCount(roles[1]), toElementType(spec.type(roles[1])));
  return builder.conv(spec, first, second);
}

ConvSpec spec3x3(Direction direction, int64_t c, int64_t k, int64_t groups, DataType type, int64_t stride = 1) {
  int64_t out = stride == 1 ? 7 : 4;
  SpatialDim dim{.in = 7, .filter = 3, .stride = stride, .out = out, .padLow = 1};
  return channelsLast(direction, 2, c, k, groups, {dim, dim}, type);
}

// acc + bias, + residual, then relu: one launch, in every direction and for every way that columns may end.
TEST(GraphLowering, BiasResidualRelu) {
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad})
    for (int64_t channels : {16, 37})
      for (DataType type : {DataType::BF16, DataType::F32}) {
        ConvSpec spec = spec3x3(direction, channels, channels + 13, 1, type, direction == Direction::DGrad ? 2 : 1);
        int64_t elements = spec.elementCount(resultRole(direction));
        int64_t last = spec.shape(resultRole(direction)).back(), rows = elements / last;
        GraphBuilder builder;
        int acc = convolution(builder, spec);
        int bias = builder.input(last, f32), residual = builder.input(elements, bf16);
        int sum = builder.pointwise(PointwiseMode::ADD, {acc, bias}, {{rows, {last, 0, last}}, {last, {1, 1, 1}}});
        int both = builder.pointwise(PointwiseMode::ADD, {sum, residual}, {{elements, {1, 1, 1}}});
        builder.output(builder.pointwise(PointwiseMode::RELU_FWD, {both}, {{elements, {1, 1}}}),
                       channels == 16 ? bf16 : f32);
        check(builder.graph, 1);
      }
}

TEST(GraphLowering, ExtrasOfEveryKind) {
  for (int64_t groups : {1, 2, 32}) {
    ConvSpec spec = spec3x3(Direction::FProp, 32, 64, groups, DataType::F16);
    int64_t elements = spec.elementCount(Role::Y), n = 2, pixels = 49, k = 64;
    GraphBuilder builder;
    int value = convolution(builder, spec);
    // Another layout (n k p q), one of each pixel and image, a scalar, a mask, and a bias that begins further in.
    int other = builder.input(elements, f16), pixel = builder.input(n * pixels, bf16), scalar = builder.input(1, f32);
    int mask = builder.input(elements, boolean), bias = builder.input(k + 5, bf16);
    value = builder.pointwise(PointwiseMode::ADD, {value, other},
                              {{n, {pixels * k, pixels * k, pixels * k}}, {pixels, {k, 1, k}}, {k, {1, pixels, 1}}});
    value = builder.pointwise(PointwiseMode::SUB, {value, pixel}, {{n * pixels, {k, 1, k}}, {k, {1, 0, 1}}});
    value = builder.pointwise(PointwiseMode::MUL, {value, scalar}, {{elements, {1, 0, 1}}});
    value = builder.pointwise(PointwiseMode::MUL, {value, mask}, {{elements, {1, 1, 1}}});
    value = builder.pointwise(PointwiseMode::MAX_OP, {value, bias}, {{n * pixels, {k, 0, k}}, {k, {1, 1, 1}}}, {0, 5});
    builder.output(value, bf16);
    check(builder.graph, 1);
  }
}

// The bias gradient of the layer below: sums of what the product stores, in the same launch.
TEST(GraphLowering, SumsOfTheResult) {
  ConvSpec spec = spec3x3(Direction::DGrad, 24, 40, 1, DataType::BF16);
  spec.type(Role::X) = DataType::F32;
  int64_t elements = spec.elementCount(Role::X), c = 24;
  GraphBuilder builder;
  int acc = convolution(builder, spec);
  int mask = builder.input(elements, bf16);
  int masked = builder.pointwise(PointwiseMode::RELU_BWD, {acc, mask}, {{elements, {1, 1, 1}}});
  int sums = builder.reduce(ReductionMode::ADD, masked, {{elements / c, {c, 0}}, {c, {1, 1}}});
  builder.output(masked, f32);
  builder.output(sums, f32);
  check(builder.graph, 1);
}

TEST(GraphLowering, NestsWithoutAProduct) {
  int64_t rows = 29, columns = 43, elements = rows * columns;
  GraphBuilder builder;
  int x = builder.input(elements, bf16), bias = builder.input(columns, f32), mask = builder.input(elements, boolean);
  int sum = builder.pointwise(PointwiseMode::ADD, {x, bias}, {{rows, {columns, 0, columns}}, {columns, {1, 1, 1}}});
  builder.output(builder.pointwise(PointwiseMode::MUL, {sum, mask}, {{elements, {1, 1, 1}}}), f16);
  check(builder.graph, 1);
  GraphBuilder reducing;
  x = reducing.input(elements, bf16);
  reducing.output(reducing.reduce(ReductionMode::MAX, x, {{rows, {columns, 1}}, {columns, {1, 0}}}), f32);
  check(reducing.graph, 1);
}

// |error| <= (products + 8) * 2^-24 * (sum of their sizes and of what is added), and one rounding to bf16.
TEST(GraphLowering, RandomNumbersAreWithinTheirBound) {
  ConvSpec spec = spec3x3(Direction::FProp, 50, 70, 1, DataType::BF16);
  int64_t elements = spec.elementCount(Role::Y), k = 70;
  GraphBuilder builder;
  int acc = convolution(builder, spec);
  int bias = builder.input(k, f32);
  int sum = builder.pointwise(PointwiseMode::ADD, {acc, bias}, {{elements / k, {k, 0, k}}, {k, {1, 1, 1}}});
  builder.output(builder.pointwise(PointwiseMode::RELU_FWD, {sum}, {{elements, {1, 1}}}), bf16);
  for (Isa isa : supportedIsas()) {
    GraphRun run = runGraph(builder.graph, compiled(builder.graph, isa), name(isa), 37, false);
    ASSERT_FALSE(run.values.empty());
    std::vector<const void *> memory;
    for (const GuardedTensor &value : run.values)
      memory.push_back(value.data());
    std::vector<double> expected = reference::evaluate(builder.graph, memory)[0], plain(elements), spread(elements);
    reference::evaluate(spec, {memory[0], memory[1], nullptr}, plain.data(), spread.data());
    const GuardedTensor &out = run.values[builder.graph.outputs[0]];
    for (int64_t i = 0; i < elements; ++i) {
      double size = spread[i] + std::abs(run.values[bias].at(i % k));
      double inner = double(reference::reductionLength(spec) + 8) * 0x1p-24 * size;
      ASSERT_LE(std::abs(out.at(i) - expected[i]), inner + 0x1p-8 * (std::abs(expected[i]) + inner)) << i;
    }
  }
}

/// One launch of a product, the sums of what it reads, and the sums of what it writes.
constexpr const char *threeKernels = R"(
  dispatch.func @three(%x: memref<137x24xbf16>, %w: memref<50x24xbf16>, %b: memref<50xf32>, %y: memref<137x50xbf16>,
                       %xs: memref<24xf32>, %ys: memref<50xf32>) {
    gemm.contract ins(%x, %w : memref<137x24xbf16>, memref<50x24xbf16>) outs(%y : memref<137x50xbf16>)
      extras(%b : memref<50xf32> by [#gemm.elements<[137(0), 50(1)], from = 0>])
      #gemm.contraction<y = x * w, batch = [], m = [137(24, 0, 50)], n = [50(0, 24, 1)], k = [24(1, 1, 0)]>
      epilogue(%acc: f32, %e: f32) {
        %s = arith.addf %acc, %e : f32
        gemm.yield %s : f32
      }
    nest.reduce "add" ins(%x : memref<137x24xbf16>) outs(%xs : memref<24xf32>)
      #nest.loops<[137(24, 0), 24(1, 1)], from = [0, 0]> {
    ^bb0(%v: f32):
      nest.yield %v : f32
    }
    nest.reduce "add" ins(%y : memref<137x50xbf16>) outs(%ys : memref<50xf32>)
      #nest.loops<[137(50, 0), 50(1, 1)], from = [0, 0]> {
    ^bb0(%v: f32):
      nest.yield %v : f32
    }
    dispatch.return
  }
  dispatch.program @problem lowering "graph" because "of a test" of "graph.v1" {
    %0 = dispatch.binding "%0" "" : memref<3288xbf16>
    %1 = dispatch.binding "%1" "" : memref<1200xbf16>
    %3 = dispatch.binding "%3" "" : memref<50xf32>
    %4 = dispatch.binding "%4" "" result : memref<6850xbf16>
    %5 = dispatch.binding "%5" "" result : memref<24xf32>
    %6 = dispatch.binding "%6" "" result : memref<50xf32>
    dispatch.run @three ins(%0, %1, %3 : memref<3288xbf16>, memref<1200xbf16>, memref<50xf32>)
      outs(%4, %5, %6 : memref<6850xbf16>, memref<24xf32>, memref<50xf32>)
  })";

TEST(GraphLowering, SeveralKernelsInOneLaunch) {
  GraphBuilder builder;
  int acc = convolution(builder, channelsLast(Direction::FProp, 137, 24, 50, 1, {}, DataType::BF16));
  int bias = builder.input(50, f32);
  int y = builder.pointwise(PointwiseMode::ADD, {acc, bias}, {{137, {50, 0, 50}}, {50, {1, 1, 1}}});
  int xs = builder.reduce(ReductionMode::ADD, 0, {{137, {24, 0}}, {24, {1, 1}}});
  int ys = builder.reduce(ReductionMode::ADD, y, {{137, {50, 0}}, {50, {1, 1}}});
  builder.output(y, bf16);
  builder.output(xs, f32);
  builder.output(ys, f32);

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(threeKernels, &context);
  ASSERT_TRUE(module);
  for (Isa isa : supportedIsas())
    for (bool counting : {false, true}) {
      ImageText text;
      Expected<ArtifactImage> image = buildImage(*module, {isa, 3, "", counting}, text);
      ASSERT_TRUE(image.ok()) << image.status().message();
      Artifact artifact{orzo::text(builder.graph), "graph", "of a test", "none", 0, {}, {}};
      for (int value : {0, 1, bias, y, xs, ys}) {
        const GraphValue &of = builder.graph.values[value];
        artifact.bindings.push_back({"%" + std::to_string(value),
                                     std::nullopt,
                                     of.kind == GraphValue::Kind::Output,
                                     of.type,
                                     "",
                                     {of.elements}});
      }
      artifact.images.push_back(image.take());
      GraphRun run = runGraph(builder.graph, serialise(artifact), name(isa), 41, true);
      ASSERT_FALSE(run.values.empty());
      expectExact(builder.graph, run);
      // What reads nothing of the product begins with it; what does, after it.
      ASSERT_EQ(run.steps.size(), counting ? 2u : 1u);
      const ArtifactStep &step = run.steps.back();
      ASSERT_GE(step.stageRanges.size(), 2u);
      EXPECT_GE(step.stageRanges[0], 2);
      EXPECT_EQ(step.flopsExecuted, 2 * 137 * 50 * 24);
    }
}

// Two parts of one value in one step: which part is which survives the text.
TEST(GraphLowering, TwoPartsOfOneValue) {
  GraphBuilder builder;
  int x = builder.input(10, f32);
  int difference = builder.pointwise(PointwiseMode::SUB, {x, x}, {{5, {1, 1, 1}}}, {0, 5});
  builder.output(difference, f32);
  Expected<GraphSpec> read = parseGraphSpec(text(builder.graph));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(std::get<PointwiseStep>(read->steps[0].work).offsets, (std::vector<int64_t>{0, 5}));
  check(builder.graph, 1);
}

// Nothing is computed of no elements, in front of a map and of a reduction; what the reduction keeps is written.
TEST(GraphLowering, EmptyTensors) {
  GraphBuilder builder;
  int x = builder.input(0, f32), bias = builder.input(3, f32);
  int negative = builder.pointwise(PointwiseMode::NEG, {x}, {{0, {1, 1}}});
  builder.output(builder.pointwise(PointwiseMode::ADD, {negative, bias}, {{0, {3, 0, 3}}, {3, {1, 1, 1}}}), f32);
  int relu = builder.pointwise(PointwiseMode::RELU_FWD, {x}, {{0, {1, 1}}});
  builder.output(builder.reduce(ReductionMode::ADD, relu, {{0, {3, 0}}, {3, {1, 1}}}), f32);
  ASSERT_TRUE(validate(builder.graph).ok()) << validate(builder.graph).message();
  for (Isa isa : supportedIsas())
    expectExact(builder.graph, runGraph(builder.graph, compiled(builder.graph, isa), name(isa), 31, true));
}

} // namespace
} // namespace orzo
