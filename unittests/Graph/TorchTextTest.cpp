// Graphs as torch IR: the text itself. What is read from it is unittests/Import's to test.
#include "RandomGraph.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace orzo;
using namespace orzo::graph;

namespace {

using DataType = graph::DataType;
using testing::HasSubstr;

// Line for line: arguments in memory order, permuted to logical dims, the op, permuted back, written.
TEST(TorchText, TransposedPatchGradient) {
  GraphDefinition graph;
  graph.setIODataType(DataType::BFloat16);
  auto dy = graph.tensor(TensorAttr().setName("dy").setDim({16, 2048, 1, 256}).setStride({524288, 1, 524288, 2048}));
  auto w = graph.tensor(TensorAttr().setName("w").setDim({2048, 2048, 1, 2}).setStride({4096, 1, 4096, 2048}));
  auto dx = graph.convDGrad(dy, w, ConvDGradAttr().setName("grad").setStride({1, 2}));
  dx->setName("dx").setDim({16, 2048, 1, 512}).setOutput(true);
  ASSERT_TRUE(graph.validate().ok());
  Expected<std::string> text = graph.emitTorch();
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(*text, R"(module @module {
  func.func @main(%dx_: !torch.tensor<[16,1,512,2048],bf16>, %dy: !torch.vtensor<[16,1,256,2048],bf16>, %w: !torch.vtensor<[2048,1,2,2048],bf16>) attributes {torch.assume_strict_symbolic_shapes} {
    %order_dy_0 = torch.constant.int 0
    %order_dy_1 = torch.constant.int 3
    %order_dy_2 = torch.constant.int 1
    %order_dy_3 = torch.constant.int 2
    %order_dy = torch.prim.ListConstruct %order_dy_0, %order_dy_1, %order_dy_2, %order_dy_3 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %dy_logical = torch.aten.permute %dy, %order_dy : !torch.vtensor<[16,1,256,2048],bf16>, !torch.list<int> -> !torch.vtensor<[16,2048,1,256],bf16>
    %order_w_0 = torch.constant.int 0
    %order_w_1 = torch.constant.int 3
    %order_w_2 = torch.constant.int 1
    %order_w_3 = torch.constant.int 2
    %order_w = torch.prim.ListConstruct %order_w_0, %order_w_1, %order_w_2, %order_w_3 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %w_logical = torch.aten.permute %w, %order_w : !torch.vtensor<[2048,1,2,2048],bf16>, !torch.list<int> -> !torch.vtensor<[2048,2048,1,2],bf16>
    %none_grad = torch.constant.none
    %size_grad_0 = torch.constant.int 16
    %size_grad_1 = torch.constant.int 2048
    %size_grad_2 = torch.constant.int 1
    %size_grad_3 = torch.constant.int 512
    %size_grad = torch.prim.ListConstruct %size_grad_0, %size_grad_1, %size_grad_2, %size_grad_3 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %dtype_grad = torch.constant.int 15
    %empty_grad = torch.aten.empty.memory_format %size_grad, %dtype_grad, %none_grad, %none_grad, %none_grad, %none_grad : !torch.list<int>, !torch.int, !torch.none, !torch.none, !torch.none, !torch.none -> !torch.vtensor<[16,2048,1,512],bf16>
    %stride_grad_0 = torch.constant.int 1
    %stride_grad_1 = torch.constant.int 2
    %stride_grad = torch.prim.ListConstruct %stride_grad_0, %stride_grad_1 : (!torch.int, !torch.int) -> !torch.list<int>
    %padding_grad_0 = torch.constant.int 0
    %padding_grad_1 = torch.constant.int 0
    %padding_grad = torch.prim.ListConstruct %padding_grad_0, %padding_grad_1 : (!torch.int, !torch.int) -> !torch.list<int>
    %dilation_grad_0 = torch.constant.int 1
    %dilation_grad_1 = torch.constant.int 1
    %dilation_grad = torch.prim.ListConstruct %dilation_grad_0, %dilation_grad_1 : (!torch.int, !torch.int) -> !torch.list<int>
    %transposed_grad = torch.constant.bool false
    %output_padding_grad = torch.prim.ListConstruct  : () -> !torch.list<int>
    %groups_grad = torch.constant.int 1
    %mask_grad_0 = torch.constant.bool true
    %mask_grad_1 = torch.constant.bool false
    %mask_grad_2 = torch.constant.bool false
    %mask_grad = torch.prim.ListConstruct %mask_grad_0, %mask_grad_1, %mask_grad_2 : (!torch.bool, !torch.bool, !torch.bool) -> !torch.list<bool>
    %dx, %grad_weight_grad, %grad_bias_grad = torch.aten.convolution_backward %dy_logical, %empty_grad, %w_logical, %none_grad, %stride_grad, %padding_grad, %dilation_grad, %transposed_grad, %output_padding_grad, %groups_grad, %mask_grad : !torch.vtensor<[16,2048,1,256],bf16>, !torch.vtensor<[16,2048,1,512],bf16>, !torch.vtensor<[2048,2048,1,2],bf16>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int, !torch.list<bool> -> !torch.vtensor<[16,2048,1,512],bf16>, !torch.none, !torch.none
    %order_dx_0 = torch.constant.int 0
    %order_dx_1 = torch.constant.int 2
    %order_dx_2 = torch.constant.int 3
    %order_dx_3 = torch.constant.int 1
    %order_dx = torch.prim.ListConstruct %order_dx_0, %order_dx_1, %order_dx_2, %order_dx_3 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %dx_memory = torch.aten.permute %dx, %order_dx : !torch.vtensor<[16,2048,1,512],bf16>, !torch.list<int> -> !torch.vtensor<[16,1,512,2048],bf16>
    torch.overwrite.tensor.contents %dx_memory overwrites %dx_ : !torch.vtensor<[16,1,512,2048],bf16>, !torch.tensor<[16,1,512,2048],bf16>
    return
  }
}
)");
}

std::string emitted(GraphDefinition &graph) {
  Status status = graph.validate();
  EXPECT_TRUE(status.ok()) << status.message();
  Expected<std::string> text = graph.emitTorch();
  EXPECT_TRUE(text.ok()) << text.status().message();
  return text ? *text : "";
}

TensorAttr shaped(std::vector<int64_t> dim) { return TensorAttr().setDim(std::move(dim)); }

// Names are kept where MLIR allows, and made different where two would be one.
TEST(TorchText, NamesStayApart) {
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  auto add = PointwiseAttr().setMode(PointwiseMode::ADD);
  auto sum = graph.pointwise(graph.tensor(shaped({4}).setName("a.b")), graph.tensor(shaped({4}).setName("a_b")), add);
  sum->setName("1");
  auto y = graph.pointwise(sum, graph.tensor(shaped({4}).setName("y_")), add);
  y->setName("y").setOutput(true);
  std::string text = emitted(graph);
  EXPECT_THAT(text, HasSubstr("@main(%y_: !torch.tensor<[4],f32>, %a_b: !torch.vtensor<[4],f32>, %a_b_1: "
                              "!torch.vtensor<[4],f32>, %y__1: !torch.vtensor<[4],f32>)"));
  EXPECT_THAT(text, HasSubstr("%_1 = torch.aten.add.Tensor %a_b, %a_b_1, "));
  EXPECT_THAT(text, HasSubstr("%y = torch.aten.add.Tensor %_1, %y__1, "));
}

// What no output depends on is not printed; scalars are literals in their type.
TEST(TorchText, UnusedAndScalars) {
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  auto x = graph.tensor(shaped({2, 3}).setName("x")), unused = graph.tensor(shaped({2, 3}).setName("unused"));
  graph.pointwise(unused, PointwiseAttr().setMode(PointwiseMode::EXP));
  auto half = graph.tensor(TensorAttr(0.5F).setName("half").setDataType(DataType::Half));
  auto three = graph.tensor(TensorAttr(int32_t(-3)).setName("three").setDim({1, 1}).setStride({1, 1}));
  auto mul = PointwiseAttr().setMode(PointwiseMode::MUL);
  graph.pointwise(graph.pointwise(x, half, mul), three, mul)->setName("y").setOutput(true);
  std::string text = emitted(graph);
  EXPECT_THAT(text,
              HasSubstr("%half = torch.vtensor.literal(dense<0x3800> : tensor<1xf16>) : !torch.vtensor<[1],f16>"));
  EXPECT_THAT(text,
              HasSubstr("%three = torch.vtensor.literal(dense<-3> : tensor<1x1xsi32>) : !torch.vtensor<[1,1],si32>"));
  EXPECT_THAT(text, testing::Not(HasSubstr("unused")));
  EXPECT_THAT(text, testing::Not(HasSubstr("exp")));
}

TEST(TorchText, ErrorsNameNodeAndTensor) {
  GraphDefinition graph;
  graph.setIODataType(DataType::Float);
  auto x = graph.tensor(shaped({2, 3}).setName("x"));
  auto y = graph.pointwise(x, PointwiseAttr().setName("neg").setMode(PointwiseMode::NEG));
  y->setName("y").setOutput(true);
  EXPECT_EQ(graph.emitTorch().status().code(), StatusCode::InvalidArgument);
  EXPECT_THAT(graph.emitTorch().status().message(), HasSubstr("emitTorch() needs a validate()"));
  y->setStride({6, 2});
  ASSERT_TRUE(graph.validate().ok());
  EXPECT_EQ(graph.emitTorch().status().code(), StatusCode::Unsupported);
  EXPECT_THAT(graph.emitTorch().status().message(), HasSubstr("pointwise 'neg', tensor 'y': a torch tensor that is "
                                                              "written has no gaps; got dims 2x3 with strides 6x2"));
  GraphDefinition clipped;
  clipped.setIODataType(DataType::Float);
  auto relu = PointwiseAttr().setName("clip").setMode(PointwiseMode::RELU_FWD).setReluLowerClip(INFINITY);
  clipped.pointwise(clipped.tensor(shaped({4})), relu)->setOutput(true);
  ASSERT_TRUE(clipped.validate().ok());
  EXPECT_EQ(clipped.emitTorch().status().code(), StatusCode::Unsupported);
  EXPECT_THAT(clipped.emitTorch().status().message(), HasSubstr("pointwise 'clip'"));
}

} // namespace
