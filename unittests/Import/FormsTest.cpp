// Raising of forms that front ends and passes leave: named ops, folded unit dims, im2col, zeros in the result; and what
// is no convolution.
#include "Reading.h"
#include "SameNumbers.h"

namespace orzo::test {
namespace {

using testing::HasSubstr;

/// "tensor<2x3xf32>"; no extents are one element.
std::string tensor(const std::string &extents) { return "tensor<" + extents + (extents.empty() ? "f32>" : "xf32>"); }

/// `func.func @f` of f32 tensors %a and %b; %zero is 0.0 and %init a tensor of zeros of type `out`.
std::string function(const std::string &a, const std::string &b, const std::string &init, const std::string &body,
                     const std::string &result) {
  return "func.func @f(%a: " + tensor(a) + ", %b: " + tensor(b) + ") -> " + tensor(result) +
         " {\n  %zero = arith.constant 0.0 : f32\n  %empty = tensor.empty() : " + tensor(init) +
         "\n  %init = linalg.fill ins(%zero : f32) outs(%empty : " + tensor(init) + ") -> " + tensor(init) + "\n" +
         body + "\n  return %r : " + tensor(result) + "\n}\n";
}

std::string named(const std::string &op, const std::string &attributes, const std::string &a, const std::string &b,
                  const std::string &out) {
  return function(a, b, out,
                  "  %r = linalg." + op + " " + attributes + " ins(%a, %b : " + tensor(a) + ", " + tensor(b) +
                      ") outs(%init : " + tensor(out) + ") -> " + tensor(out),
                  out);
}

/// The body of a generic that multiplies and adds.
const std::string multiplyAdd = " {\n  ^bb0(%x: f32, %y: f32, %o: f32):\n    %m = arith.mulf %x, %y : f32\n"
                                "    %s = arith.addf %o, %m : f32\n    linalg.yield %s : f32\n  } -> ";

std::string problem(const std::string &line) {
  Expected<ConvSpec> spec = parseConvSpec("conv.v1 " + line + " acc:f32");
  EXPECT_TRUE(spec.ok()) << spec.status().message();
  return canonicalText(*spec);
}

class Forms : public testing::Test {
protected:
  void expectRaised(const std::string &source, const std::string &expected) {
    ASSERT_EQ(read(source), expected) << source;
    expectSameNumbers(source, random);
  }
  std::mt19937 random{11};
};

TEST_F(Forms, NamedConvolutions) {
  std::string steps = "{dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>}";
  expectRaised(named("conv_2d_nhwc_hwcf", steps, "2x7x6x3", "3x2x3x4", "2x3x4x4"),
               problem("fprop n2 c3 k4 g1 in7x6 f3x2 out3x4 s2x1 d1x2 p0x0 x:nhwc:f32 w:rsck:f32 y:npqk:f32"));
  expectRaised(named("conv_2d_nhwc_fhwc", steps, "2x7x6x3", "4x3x2x3", "2x3x4x4"),
               problem("fprop n2 c3 k4 g1 in7x6 f3x2 out3x4 s2x1 d1x2 p0x0 x:nhwc:f32 w:krsc:f32 y:npqk:f32"));
  expectRaised(named("conv_2d_nchw_fchw", steps, "2x3x7x6", "4x3x3x2", "2x4x3x4"),
               problem("fprop n2 c3 k4 g1 in7x6 f3x2 out3x4 s2x1 d1x2 p0x0 x:nchw:f32 w:kcrs:f32 y:nkpq:f32"));
  expectRaised(named("conv_2d_ngchw_gfchw", steps, "2x2x3x7x6", "2x4x3x3x2", "2x2x4x3x4"),
               problem("fprop n2 c6 k8 g2 in7x6 f3x2 out3x4 s2x1 d1x2 p0x0 x:ngchw:f32 w:gkcrs:f32 y:ngkpq:f32"));
  expectRaised(named("depthwise_conv_2d_nhwc_hwc", steps, "2x7x6x3", "3x2x3", "2x3x4x3"),
               problem("fprop n2 c3 k3 g3 in7x6 f3x2 out3x4 s2x1 d1x2 p0x0 x:nhwg:f32 w:rsg:f32 y:npqg:f32"));
  expectRaised(named("depthwise_conv_2d_nhwc_hwcm", steps, "2x7x6x3", "3x2x3x2", "2x3x4x3x2"),
               problem("fprop n2 c3 k6 g3 in7x6 f3x2 out3x4 s2x1 d1x2 p0x0 x:nhwg:f32 w:rsgk:f32 y:npqgk:f32"));
  std::string step = "{dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}";
  expectRaised(named("conv_1d_ncw_fcw", step, "2x3x9", "4x3x3", "2x4x4"),
               problem("fprop n2 c3 k4 g1 in9 f3 out4 s2 d1 p0 x:nch:f32 w:kcr:f32 y:nkp:f32"));
  expectRaised(named("conv_1d_nwc_wcf", step, "2x9x3", "3x3x4", "2x4x4"),
               problem("fprop n2 c3 k4 g1 in9 f3 out4 s2 d1 p0 x:nhc:f32 w:rck:f32 y:npk:f32"));
  expectRaised(
      named("conv_3d_ndhwc_dhwcf", "", "1x4x5x3x2", "2x3x1x2x3", "1x3x3x3x3"),
      problem("fprop n1 c2 k3 g1 in4x5x3 f2x3x1 out3x3x3 s1x1x1 d1x1x1 p0x0x0 x:dhwc:f32 w:trsck:f32 y:zpqk:f32"));
  expectRaised(named("conv_2d", "", "7x6", "3x2", "5x5"),
               problem("fprop n1 c1 k1 g1 in7x6 f3x2 out5x5 s1x1 d1x1 p0x0 x:hw:f32 w:rs:f32 y:pq:f32"));
}

TEST_F(Forms, NamedConvolutionsOfOtherLayoutsAndRanks) {
  std::string steps = "{dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>}";
  std::string planes = "in7x6 f3x2 out3x4 s2x1 d1x2 p0x0 ";
  expectRaised(named("conv_2d_nhwgc_gfhwc", steps, "2x7x6x2x3", "2x4x3x2x3", "2x3x4x2x4"),
               problem("fprop n2 c6 k8 g2 " + planes + "x:nhwgc:f32 w:gkrsc:f32 y:npqgk:f32"));
  expectRaised(named("conv_2d_ngchw_fgchw", steps, "2x2x3x7x6", "4x2x3x3x2", "2x2x4x3x4"),
               problem("fprop n2 c6 k8 g2 " + planes + "x:ngchw:f32 w:kgcrs:f32 y:ngkpq:f32"));
  expectRaised(named("depthwise_conv_2d_nchw_chw", steps, "2x3x7x6", "3x3x2", "2x3x3x4"),
               problem("fprop n2 c3 k3 g3 " + planes + "x:nghw:f32 w:grs:f32 y:ngpq:f32"));
  std::string step = "{dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}";
  std::string lines = "in9 f3 out4 s2 d1 p0 ";
  expectRaised(named("depthwise_conv_1d_nwc_wc", step, "2x9x3", "3x3", "2x4x3"),
               problem("fprop n2 c3 k3 g3 " + lines + "x:nhg:f32 w:rg:f32 y:npg:f32"));
  expectRaised(named("depthwise_conv_1d_ncw_cw", step, "2x3x9", "3x3", "2x3x4"),
               problem("fprop n2 c3 k3 g3 " + lines + "x:ngh:f32 w:gr:f32 y:ngp:f32"));
  expectRaised(named("depthwise_conv_1d_nwc_wcm", step, "2x9x3", "3x3x2", "2x4x3x2"),
               problem("fprop n2 c3 k6 g3 " + lines + "x:nhg:f32 w:rgk:f32 y:npgk:f32"));
  std::string far = "{dilations = dense<[1, 2, 1]> : tensor<3xi64>, strides = dense<[2, 1, 1]> : tensor<3xi64>}";
  std::string boxes = "in5x6x4 f3x2x2 out2x4x3 s2x1x1 d1x2x1 p0x0x0 ";
  expectRaised(named("conv_3d_ncdhw_fcdhw", far, "2x3x5x6x4", "4x3x3x2x2", "2x4x2x4x3"),
               problem("fprop n2 c3 k4 g1 " + boxes + "x:ncdhw:f32 w:kctrs:f32 y:nkzpq:f32"));
  expectRaised(named("depthwise_conv_3d_ndhwc_dhwc", far, "2x5x6x4x3", "3x2x2x3", "2x2x4x3x3"),
               problem("fprop n2 c3 k3 g3 " + boxes + "x:ndhwg:f32 w:trsg:f32 y:nzpqg:f32"));
  expectRaised(named("depthwise_conv_3d_ncdhw_cdhw", far, "2x3x5x6x4", "3x3x2x2", "2x3x2x4x3"),
               problem("fprop n2 c3 k3 g3 " + boxes + "x:ngdhw:f32 w:gtrs:f32 y:ngzpq:f32"));
  expectRaised(named("depthwise_conv_3d_ndhwc_dhwcm", far, "2x5x6x4x3", "3x2x2x3x2", "2x2x4x3x3x2"),
               problem("fprop n2 c3 k6 g3 " + boxes + "x:ndhwg:f32 w:trsgk:f32 y:nzpqgk:f32"));
  expectRaised(named("conv_1d", "", "7", "3", "5"),
               problem("fprop n1 c1 k1 g1 in7 f3 out5 s1 d1 p0 x:h:f32 w:r:f32 y:p:f32"));
  expectRaised(named("conv_3d", "", "4x5x6", "2x3x2", "3x3x5"),
               problem("fprop n1 c1 k1 g1 in4x5x6 f2x3x2 out3x3x5 s1x1x1 d1x1x1 p0x0x0 x:dhw:f32 w:trs:f32 y:zpq:f32"));
}

TEST_F(Forms, NamedProducts) {
  expectRaised(named("matmul", "", "3x5", "5x4", "3x4"), problem("fprop n3 c5 k4 g1 x:nc:f32 w:ck:f32 y:nk:f32"));
  expectRaised(named("batch_matmul", "", "2x3x5", "2x5x4", "2x3x4"),
               problem("fprop n3 c10 k8 g2 x:gnc:f32 w:gck:f32 y:gnk:f32"));
  expectRaised(named("matvec", "", "3x5", "5", "3"), problem("fprop n3 c5 k1 g1 x:nc:f32 w:c:f32 y:n:f32"));
  expectRaised(named("matmul", "", "1x5", "5x1", "1x1"), problem("fprop n1 c5 k1 g1 x:c:f32 w:c:f32 y::f32"));
  expectRaised(named("vecmat", "", "5", "5x4", "4"), problem("fprop n1 c5 k4 g1 x:c:f32 w:ck:f32 y:k:f32"));
  expectRaised(named("dot", "", "5", "5", ""), problem("fprop n1 c5 k1 g1 x:c:f32 w:c:f32 y::f32"));
  expectRaised(named("batch_matvec", "", "2x3x5", "2x5", "2x3"),
               problem("fprop n3 c10 k2 g2 x:gnc:f32 w:gc:f32 y:gn:f32"));
  expectRaised(named("batch_vecmat", "", "2x5", "2x5x4", "2x4"),
               problem("fprop n1 c10 k8 g2 x:gc:f32 w:gck:f32 y:gk:f32"));
  expectRaised(named("matmul",
                     "indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, "
                     "affine_map<(m, n, k) -> (m, n)>]",
                     "5x3", "4x5", "3x4"),
               problem("fprop n3 c5 k4 g1 x:cn:f32 w:kc:f32 y:nk:f32"));
  expectRaised(named("contract",
                     "indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> "
                     "(b, k, n)>, affine_map<(b, m, n, k) -> (n, b, m)>]",
                     "3x2x5", "2x5x4", "4x2x3"),
               problem("fprop n3 c10 k8 g2 x:ngc:f32 w:gck:f32 y:kgn:f32"));
}

// The zeros of a strided 1x1 gradient are in its result.
TEST_F(Forms, ZerosInTheResult) {
  expectRaised(
      function("6x5", "5x4", "6x4",
               "  %p = linalg.matmul ins(%a, %b : tensor<6x5xf32>, tensor<5x4xf32>) outs(%init : tensor<6x4xf32>) -> "
               "tensor<6x4xf32>\n  %z = arith.constant dense<0.0> : tensor<13x4xf32>\n"
               "  %r = tensor.insert_slice %p into %z[1, 0] [6, 4] [2, 1] : tensor<6x4xf32> into tensor<13x4xf32>",
               "13x4"),
      problem("dgrad n1 c4 k5 g1 in13 f1 out6 s2 d1 p-1 x:hc:f32 w:kc:f32 y:pk:f32"));
  // Padded behind: rows that no window reaches.
  expectRaised(
      function("6x5", "5x4", "6x4",
               "  %p = linalg.matmul ins(%a, %b : tensor<6x5xf32>, tensor<5x4xf32>) outs(%init : tensor<6x4xf32>) -> "
               "tensor<6x4xf32>\n  %r = tensor.pad %p low[0, 0] high[3, 0] {\n  ^bb0(%i: index, %j: index):\n    "
               "tensor.yield %zero : f32\n  } : tensor<6x4xf32> to tensor<9x4xf32>",
               "9x4"),
      problem("dgrad n1 c4 k5 g1 in9 f1 out6 s1 d1 p0 x:hc:f32 w:kc:f32 y:pk:f32"));
}

// A filter gradient whose stride is zeros between the elements of dy.
TEST_F(Forms, FilterGradientOverInsertedZeros) {
  expectRaised(
      function(
          "2x9x3", "2x4x5", "3x3x5",
          "  %z = arith.constant dense<0.0> : tensor<2x7x5xf32>\n  %d = tensor.insert_slice %b into %z[0, 0, 0] [2, 4, "
          "5] "
          "[1, 2, 1] : tensor<2x4x5xf32> into tensor<2x7x5xf32>\n  %r = linalg.generic {indexing_maps = "
          "[affine_map<(r, c, "
          "k, n, p) -> (n, p + r, c)>, affine_map<(r, c, k, n, p) -> (n, p, k)>, affine_map<(r, c, k, n, p) -> (r, c, "
          "k)>], iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"reduction\", \"reduction\"]} ins(%a, %d "
          ": "
          "tensor<2x9x3xf32>, tensor<2x7x5xf32>) outs(%init : tensor<3x3x5xf32>)" +
              multiplyAdd + "tensor<3x3x5xf32>",
          "3x3x5"),
      problem("wgrad n2 c3 k5 g1 in9 f3 out4 s2 d1 p0 x:nhc:f32 w:rck:f32 y:npk:f32"));
}

// im2col: windows gathered into rows, then a matrix product.
TEST_F(Forms, GatheredWindows) {
  expectRaised(
      function(
          "8x3", "2x3x4", "7x4",
          "  %e = tensor.empty() : tensor<7x2x3xf32>\n  %g = linalg.generic {indexing_maps = [affine_map<(p, r, c) -> "
          "(p + "
          "r, c)>, affine_map<(p, r, c) -> (p, r, c)>], iterator_types = [\"parallel\", \"parallel\", \"parallel\"]} "
          "ins(%a "
          ": tensor<8x3xf32>) outs(%e : tensor<7x2x3xf32>) {\n  ^bb0(%x: f32, %o: f32):\n    linalg.yield %x : f32\n  "
          "} -> "
          "tensor<7x2x3xf32>\n  %rows = tensor.collapse_shape %g [[0], [1, 2]] : tensor<7x2x3xf32> into "
          "tensor<7x6xf32>\n"
          "  %cols = tensor.collapse_shape %b [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>\n"
          "  %r = linalg.matmul ins(%rows, %cols : tensor<7x6xf32>, tensor<6x4xf32>) outs(%init : tensor<7x4xf32>) -> "
          "tensor<7x4xf32>",
          "7x4"),
      problem("fprop n1 c3 k4 g1 in8 f2 out7 s1 d1 p0 x:hc:f32 w:rck:f32 y:pk:f32"));
}

// Loops of one iteration folded away, and a result that is cut.
TEST_F(Forms, FoldedUnitLoopsAndCuts) {
  std::string seedLike = function(
      "2x4x5", "5x2x3", "2x8x3",
      "  %z = arith.constant dense<0.0> : tensor<2x9x5xf32>\n  %d = tensor.insert_slice %a into %z[0, 1, 0] [2, 4, 5] "
      "[1, 2, 1] : tensor<2x4x5xf32> into tensor<2x9x5xf32>\n  %r = linalg.generic {indexing_maps = [affine_map<(n, q, "
      "c, s, k) -> (n, q + s, k)>, affine_map<(n, q, c, s, k) -> (k, s, c)>, affine_map<(n, q, c, s, k) -> (n, q, "
      "c)>], iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"reduction\", \"reduction\"]} ins(%d, %b : "
      "tensor<2x9x5xf32>, tensor<5x2x3xf32>) outs(%init : tensor<2x8x3xf32>)" +
          multiplyAdd + "tensor<2x8x3xf32>",
      "2x8x3");
  expectRaised(seedLike, problem("dgrad n2 c3 k5 g1 in8 f2~ out4 s2 d1 p0 x:nhc:f32 w:krc:f32 y:npk:f32"));
  expectRaised(
      function(
          "9x3", "2x3x4", "8x4",
          "  %p = linalg.generic {indexing_maps = [affine_map<(p, k, r, c) -> (p + r, c)>, affine_map<(p, k, r, c) "
          "-> (r, c, k)>, affine_map<(p, k, r, c) -> (p, k)>], iterator_types = [\"parallel\", \"parallel\", "
          "\"reduction\", \"reduction\"]} ins(%a, %b : tensor<9x3xf32>, tensor<2x3x4xf32>) outs(%init : "
          "tensor<8x4xf32>)" +
              multiplyAdd +
              "tensor<8x4xf32>\n  %r = tensor.extract_slice %p[1, 0] [3, 4] [2, 1] : tensor<8x4xf32> to "
              "tensor<3x4xf32>",
          "3x4"),
      problem("fprop n1 c3 k4 g1 in9 f2 out3 s2 d1 p-1 x:hc:f32 w:rck:f32 y:pk:f32"));
}

// Rows of an operand that are never read are a dim that is cut.
TEST_F(Forms, PartOfAnOperand) {
  expectRaised(
      function("3x5", "6x4", "3x4",
               "  %cut = tensor.extract_slice %b[0, 0] [5, 4] [1, 1] : tensor<6x4xf32> to tensor<5x4xf32>\n  %r = "
               "linalg.matmul ins(%a, %cut : tensor<3x5xf32>, tensor<5x4xf32>) outs(%init : tensor<3x4xf32>) -> "
               "tensor<3x4xf32>",
               "3x4"),
      problem("fprop n4 c1 k3 g1 in6 f5 out1 s1 d1 p0 x:hn:f32 w:kr:f32 y:kn:f32"));
}

TEST_F(Forms, WhatIsNoConvolutionStaysLinalg) {
  auto stays = [](const std::string &source, const std::string &reason) {
    expectRefused(source, StatusCode::Unsupported, reason);
    EXPECT_THAT(printedAfter("conv", source), testing::AnyOf(HasSubstr("linalg."), HasSubstr("unsupported: ")));
    EXPECT_THAT(printedAfter("dispatch", source), HasSubstr(reason));
  };
  std::string matmul =
      "  %p = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x4xf32>) outs(%init : tensor<3x4xf32>) -> "
      "tensor<3x4xf32>\n";
  auto after = [&](const std::string &body) {
    return function(
        "3x5", "5x4", "3x4",
        matmul +
            "  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], "
            "iterator_types = [\"parallel\", \"parallel\"]} ins(%p : tensor<3x4xf32>) outs(%empty : tensor<3x4xf32>) "
            "{\n  ^bb0(%x: f32, %o: f32):\n" +
            body + "  } -> tensor<3x4xf32>",
        "3x4");
  };
  stays(after("    %m = arith.maximumf %x, %zero : f32\n    linalg.yield %m : f32\n"), "arith.maximumf");
  stays(after("    %m = arith.addf %x, %x : f32\n    linalg.yield %m : f32\n"), "arith.addf");
  stays(
      after("    %h = arith.truncf %x : f32 to f16\n    %m = arith.extf %h : f16 to f32\n    linalg.yield %m : f32\n"),
      "rounds");
  // Onto something that is not zero.
  stays("func.func @f(%a: tensor<3x5xf32>, %b: tensor<5x4xf32>, %c: tensor<3x4xf32>) -> tensor<3x4xf32> {\n  %r = "
        "linalg.matmul "
        "ins(%a, %b : tensor<3x5xf32>, tensor<5x4xf32>) outs(%c : tensor<3x4xf32>) -> tensor<3x4xf32>\n  return %r : "
        "tensor<3x4xf32>\n}\n",
        "added to something that is not zero");
  // Sums in bf16; sums of rounded products.
  stays("func.func @f(%a: tensor<3x5xbf16>, %b: tensor<5x4xbf16>) -> tensor<3x4xbf16> {\n  %c = arith.constant "
        "dense<0.0> : "
        "tensor<3x4xbf16>\n  %r = linalg.matmul ins(%a, %b : tensor<3x5xbf16>, tensor<5x4xbf16>) outs(%c : "
        "tensor<3x4xbf16>) -> "
        "tensor<3x4xbf16>\n  return %r : tensor<3x4xbf16>\n}\n",
        "accumulates in bf16");
  // A window read in part: a slice that is padded.
  stays(
      function(
          "9x3", "2x3x4", "8x4",
          "  %cut = tensor.extract_slice %a[1, 0] [7, 3] [1, 1] : tensor<9x3xf32> to tensor<7x3xf32>\n  %d = "
          "tensor.pad "
          "%cut "
          "low[1, 0] high[1, 0] {\n  ^bb0(%i: index, %j: index):\n    tensor.yield %zero : f32\n  } : tensor<7x3xf32> "
          "to "
          "tensor<9x3xf32>\n  %r = linalg.generic {indexing_maps = [affine_map<(p, k, r, c) -> (p + r, c)>, "
          "affine_map<(p, "
          "k, r, c) -> (r, c, k)>, affine_map<(p, k, r, c) -> (p, k)>], iterator_types = [\"parallel\", \"parallel\", "
          "\"reduction\", \"reduction\"]} ins(%d, %b : tensor<9x3xf32>, tensor<2x3x4xf32>) outs(%init : "
          "tensor<8x4xf32>)" +
              multiplyAdd + "tensor<8x4xf32>",
          "8x4"),
      "masked out");
  // A part of both operands is summed, and a part of the filter's taps is used: a ConvSpec would take all.
  stays(
      function("3x6", "6x4", "3x4",
               "  %c = tensor.extract_slice %a[0, 0] [3, 5] [1, 1] : tensor<3x6xf32> to tensor<3x5xf32>\n  %d = "
               "tensor.extract_slice %b[0, 0] [5, 4] [1, 1] : tensor<6x4xf32> to tensor<5x4xf32>\n  %r = linalg.matmul "
               "ins(%c, %d : tensor<3x5xf32>, tensor<5x4xf32>) outs(%init : tensor<3x4xf32>) -> tensor<3x4xf32>",
               "3x4"),
      "the loops run over a part of a tensor only");
  stays(function(
            "9x3", "3x3x4", "7x4",
            "  %d = tensor.extract_slice %b[0, 0, 0] [2, 3, 4] [1, 1, 1] : tensor<3x3x4xf32> to tensor<2x3x4xf32>\n  "
            "%r = linalg.generic {indexing_maps = [affine_map<(p, k, r, c) -> (p + r, c)>, affine_map<(p, k, r, c) -> "
            "(r, c, k)>, affine_map<(p, k, r, c) -> (p, k)>], iterator_types = [\"parallel\", \"parallel\", "
            "\"reduction\", \"reduction\"]} ins(%a, %d : tensor<9x3xf32>, tensor<2x3x4xf32>) outs(%init : "
            "tensor<7x4xf32>)" +
                multiplyAdd + "tensor<7x4xf32>",
            "7x4"),
        "the loops run over a part of a tensor only");
  // Pads with ones.
  stays(function(
            "3x5", "6x4", "3x4",
            "  %one = arith.constant 1.0 : f32\n  %d = tensor.pad %a low[0, 0] high[0, 1] {\n  ^bb0(%i: index, %j: "
            "index):\n "
            "   tensor.yield %one : f32\n  } : tensor<3x5xf32> to tensor<3x6xf32>\n  %r = linalg.matmul ins(%d, %b : "
            "tensor<3x6xf32>, tensor<6x4xf32>) outs(%init : tensor<3x4xf32>) -> tensor<3x4xf32>",
            "3x4"),
        "not with zeros");
  // No product at all, and two in a row.
  stays(function("3x5", "5x4", "5x3",
                 "  %r = linalg.transpose ins(%a : tensor<3x5xf32>) outs(%init : tensor<5x3xf32>) permutation = [1, 0]",
                 "5x3"),
        "computes nothing");
  stays(function("3x3", "3x3", "3x3",
                 "  %p = linalg.matmul ins(%a, %b : tensor<3x3xf32>, tensor<3x3xf32>) outs(%init : tensor<3x3xf32>) -> "
                 "tensor<3x3xf32>\n  %r = linalg.matmul ins(%p, %b : tensor<3x3xf32>, tensor<3x3xf32>) outs(%init : "
                 "tensor<3x3xf32>) -> tensor<3x3xf32>",
                 "3x3"),
        "an operand is computed by linalg.generic");
}

TEST(ImportLinalg, RefusalsOfWhatIsNoConvolutionAtAll) {
  auto refused = [](const std::string &source, const std::string &reason) {
    EXPECT_THAT(printedAfter("conv", source), testing::MatchesRegex("test.mlir:[0-9]+:[0-9]+: (.|\n)*"));
    EXPECT_THAT(printedAfter("conv", source), HasSubstr(reason));
    EXPECT_THAT(printedAfter("dispatch", source), HasSubstr(reason));
  };
  // No op at all, and ops of which none is linalg.
  refused("util.func public @f(%a: !hal.buffer_view) -> !hal.buffer_view {\n  %x = hal.tensor.import %a : "
          "!hal.buffer_view -> tensor<3x3xf32>\n  %e = hal.tensor.export %x : tensor<3x3xf32> -> !hal.buffer_view\n  "
          "util.return %e : !hal.buffer_view\n}\n",
          "the result is an argument in another order: it computes nothing");
  refused("func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {\n  %r = arith.mulf %a, %a : tensor<3xf32>\n  return %r : "
          "tensor<3xf32>\n}\n",
          "it computes arith.mulf");
  // Products inside of a loop are out of reach.
  std::string loop =
      "func.func @f(%a: tensor<3x5xf32>, %b: tensor<5x4xf32>) -> tensor<3x4xf32> {\n  %z = arith.constant "
      "dense<0.0> : tensor<3x4xf32>\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
      "  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%q = %z) -> tensor<3x4xf32> {\n    %s = "
      "linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x4xf32>) outs(%q : tensor<3x4xf32>) -> "
      "tensor<3x4xf32>\n    scf.yield %s : tensor<3x4xf32>\n  }\n  return %r : tensor<3x4xf32>\n}\n";
  EXPECT_THAT(printedAfter("conv", loop), HasSubstr("linalg.generic"));
  EXPECT_THAT(printedAfter("dispatch", loop),
              HasSubstr("test.mlir:5:8: unsupported: not one convolution: it computes scf.for"));
  // Memory in an order of its own.
  refused("func.func @f(%a: tensor<3x5xf32, \"tiled\">) -> tensor<3x5xf32, \"tiled\"> {\n  %r = arith.addf %a, %a : "
          "tensor<3x5xf32, \"tiled\">\n  return %r : tensor<3x5xf32, \"tiled\">\n}\n",
          "has an encoding; tensors without one are read");
  // Nothing to sum.
  expectRefused(
      "func.func @f(%a: tensor<4x0xf32>, %b: tensor<0x4xf32>) -> tensor<4x4xf32> {\n  %z = arith.constant dense<0.0> "
      ": tensor<4x4xf32>\n  %r = linalg.matmul ins(%a, %b : tensor<4x0xf32>, tensor<0x4xf32>) outs(%z : "
      "tensor<4x4xf32>) -> tensor<4x4xf32>\n  return %r : tensor<4x4xf32>\n}\n",
      StatusCode::Unsupported, "a loop has no iterations: a tensor is empty");
}

TEST(ImportLinalg, Refusals) {
  auto iree = [](const std::string &body) {
    return "util.func public @f(%a: !hal.buffer_view, %b: !hal.buffer_view) -> !hal.buffer_view {\n" + body + "}\n";
  };
  std::string imports =
      "  %x = hal.tensor.import %a : !hal.buffer_view -> tensor<3x5xf32>\n  %y = hal.tensor.import %b : "
      "!hal.buffer_view -> tensor<5x4xf32>\n";
  expectRefused(iree(imports + "  util.return %a : !hal.buffer_view\n"), StatusCode::Unsupported,
                "holds no tensor computed");
  expectRefused(iree("  %x = hal.tensor.import %a : !hal.buffer_view -> tensor<3x?xf32>{%n}\n"),
                StatusCode::InvalidArgument, "undeclared");
  expectRefused(
      iree("  %x = hal.tensor.import %a : !hal.buffer_view -> tensor<3x5xf32>\n  %y = hal.tensor.import %a : "
           "!hal.buffer_view -> tensor<15xf32>\n  %e = hal.tensor.export %x : tensor<3x5xf32> -> !hal.buffer_view\n  "
           "util.return %e : !hal.buffer_view\n"),
      StatusCode::Unsupported, "is imported as tensor<15xf32> and as tensor<3x5xf32>");
  expectRefused(iree("  %x = hal.tensor.frob %a : !hal.buffer_view -> tensor<3x5xf32>\n"), StatusCode::Unsupported,
                "op 'hal.tensor.frob' is none that is read");
  expectRefused("func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {\n  %r = foo.bar %a : tensor<3xf32>\n  return %r : "
                "tensor<3xf32>\n}\n",
                StatusCode::Unsupported, "op 'foo.bar' is none that is read");
  expectRefused("func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {\n  %r = func.call @f(%a) : (tensor<3xf32>) -> "
                "tensor<3xf32>\n  return %r : tensor<3xf32>\n}\n",
                StatusCode::Unsupported, "'func.call' among the ops on tensors");
}

} // namespace
} // namespace orzo::test
