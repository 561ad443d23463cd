// A module's convolution written anew at its own border.
#include "Export/Linalg/ExportIree.h"

#include "Dialect/Compat/HAL/HALDialect.h"
#include "Dialect/Compat/Util/UtilDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo {
namespace {

using testing::HasSubstr;
using testing::Not;

std::unique_ptr<mlir::MLIRContext> makeContext() {
  auto context = std::make_unique<mlir::MLIRContext>();
  context->loadDialect<hal::HALDialect, util::UtilDialect, mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect,
                       mlir::arith::ArithDialect, mlir::func::FuncDialect, conv::ConvDialect>();
  return context;
}

std::string print(mlir::ModuleOp module) {
  EXPECT_TRUE(mlir::succeeded(mlir::verify(module)));
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// A strided input backward whose filter is as long as its stride: dy 2x6x1x8, w 8x2x1x4, dx 2x12x1x4.
conv::BoundProblem smallProblem() {
  conv::BoundProblem problem;
  problem.spec = channelsLast(Direction::DGrad, 2, 4, 8, 1, {{12, 2, 6, 2, 1, 0, false}}, DataType::F32);
  problem.tensors = {conv::TensorBinding{false, 0, {2, 12, 1, 4}, {0, 1, 3}},
                     conv::TensorBinding{false, 2, {8, 2, 1, 4}, {0, 1, 3}},
                     conv::TensorBinding{false, 1, {2, 6, 1, 8}, {0, 1, 3}}};
  return problem;
}

const char *inPlace = R"(
module @module {
  util.func public @main$async(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.fence, %arg4: !hal.fence) attributes {inlining_policy = #util.inline.never, iree.abi.model = "coarse-fences", iree.abi.stub} {
    %zero = arith.constant 0.0 : f32
    %dy = hal.tensor.import wait(%arg3) => %arg1 : !hal.buffer_view -> tensor<2x6x1x8xf32>
    %w = hal.tensor.import wait(%arg3) => %arg2 : !hal.buffer_view -> tensor<8x2x1x4xf32>
    %e = tensor.empty() : tensor<2x12x1x4xf32>
    %dx = linalg.fill ins(%zero : f32) outs(%e : tensor<2x12x1x4xf32>) -> tensor<2x12x1x4xf32>
    %alias = hal.tensor.alias wait(%arg3) => %dx : tensor<2x12x1x4xf32> to %arg0 : !hal.buffer_view
    %done = hal.tensor.barrier join(%alias : tensor<2x12x1x4xf32>) => %arg4 : !hal.fence
    util.return
  }
}
)";

TEST(ExportIree, ResultInAnArgument) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(inPlace, context.get());
  ASSERT_TRUE(module);
  Expected<LinalgChoice> choice = rewriteConvolution(*module, smallProblem());
  ASSERT_TRUE(choice.ok()) << choice.status().message();
  EXPECT_EQ(choice->form, "contraction");
  std::string text = print(*module);
  EXPECT_THAT(text, HasSubstr("util.func public @main$async(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: "
                              "!hal.buffer_view, %arg3: !hal.fence, %arg4: !hal.fence) attributes {"));
  EXPECT_THAT(text, HasSubstr("iree.abi.model = \"coarse-fences\""));
  EXPECT_THAT(text, HasSubstr("linalg.matmul ins(%collapsed, %collapsed_0 : tensor<12x8xf32>, tensor<8x8xf32>)"));
  EXPECT_THAT(text, HasSubstr("hal.tensor.alias wait(%arg3) => %expanded : tensor<2x12x1x4xf32> to %arg0"));
}

TEST(ExportIree, ResultThatIsReturned) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  const char *source = R"(
    util.func public @f$async(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.fence, %arg4: !hal.fence) -> !hal.buffer_view {
      %dy = hal.tensor.import wait(%arg3) => %arg1 : !hal.buffer_view -> tensor<2x6x1x8xf32>
      %w = hal.tensor.import wait(%arg3) => %arg2 : !hal.buffer_view -> tensor<8x2x1x4xf32>
      %e = tensor.empty() : tensor<2x12x1x4xf32>
      %dx = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<2x12x1x4xf32>) {
      ^bb0(%o: f32):
        linalg.yield %o : f32
      } -> tensor<2x12x1x4xf32>
      %done = hal.tensor.barrier join(%dx : tensor<2x12x1x4xf32>) => %arg4 : !hal.fence
      %out = hal.tensor.export %done : tensor<2x12x1x4xf32> -> !hal.buffer_view
      util.return %out : !hal.buffer_view
    })";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, context.get());
  ASSERT_TRUE(module);
  conv::BoundProblem problem = smallProblem();
  problem.tensors[0].isResult = true;
  ASSERT_TRUE(rewriteConvolution(*module, problem).ok());
  std::string text = print(*module);
  EXPECT_THAT(text, HasSubstr("hal.tensor.barrier join(%expanded : tensor<2x12x1x4xf32>)"));
  EXPECT_THAT(text, Not(HasSubstr("linalg.generic"))); // What it was before is gone.
  EXPECT_THAT(text, HasSubstr("linalg.matmul"));

  problem.tensors[2].index = 9;
  module = mlir::parseSourceString<mlir::ModuleOp>(source, context.get());
  Expected<LinalgChoice> none = rewriteConvolution(*module, problem);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), StatusCode::Unsupported);
  EXPECT_THAT(none.status().message(), HasSubstr("y is argument 9"));
}

TEST(ExportIree, PlainFunction) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @backward(%dy: tensor<2x6x8xf32>, %unused: f32, %w: tensor<8x2x4xf32>) -> tensor<2x12x4xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<2x12x4xf32>
      %dx = linalg.fill ins(%zero : f32) outs(%e : tensor<2x12x4xf32>) -> tensor<2x12x4xf32>
      return %dx : tensor<2x12x4xf32>
    })",
                                                        context.get());
  ASSERT_TRUE(module);
  conv::BoundProblem problem = smallProblem();
  problem.tensors = {conv::TensorBinding{true, 0, {2, 12, 4}, {0, 1, 2}},
                     conv::TensorBinding{false, 2, {8, 2, 4}, {0, 1, 2}},
                     conv::TensorBinding{false, 0, {2, 6, 8}, {0, 1, 2}}};
  ASSERT_TRUE(rewriteConvolution(*module, problem).ok());
  EXPECT_THAT(print(*module), HasSubstr("func.func @backward(%arg0: tensor<2x6x8xf32>, %arg1: f32, %arg2"));
}

TEST(ExportIree, BorderOfTorchIr) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  for (bool isResult : {false, true}) {
    conv::BoundProblem problem = smallProblem();
    problem.tensors[0].isResult = isResult;
    mlir::OwningOpRef<mlir::ModuleOp> module = fencedBorder(*context, "main", 3, problem);
    ASSERT_TRUE(module);
    ASSERT_TRUE(rewriteConvolution(*module, problem).ok());
    std::string text = print(*module);
    EXPECT_THAT(text, HasSubstr("util.func public @main$async("));
    EXPECT_THAT(text, HasSubstr("util.func public @main(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: "
                                "!hal.buffer_view)"));
    EXPECT_THAT(text, HasSubstr("linalg.matmul"));
    EXPECT_THAT(text, HasSubstr(isResult ? "hal.tensor.export" : "hal.tensor.alias wait("));
    EXPECT_THAT(text, HasSubstr("util.call @main$async"));
  }
}

} // namespace
} // namespace orzo
