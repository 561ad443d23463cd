// RUN: orzo-opt %s --orzo-conv-to-linalg -split-input-file 2> /dev/null | FileCheck %s
// RUN: orzo-opt %s --orzo-conv-to-linalg=form=source -split-input-file 2> /dev/null | FileCheck %s --check-prefix=SOURCE
// RUN: orzo-opt %s --orzo-conv-to-linalg=form=best -split-input-file 2> %t; test $? = 1
// RUN: FileCheck %s --check-prefix=BEST < %t
// BEST: unknown form 'best'; the forms are source and lowered

// Filter extent and stride are equal: one product, nothing else.
// CHECK-LABEL: func.func @product
// CHECK-NOT: insert_slice
// CHECK-NOT: tensor.extract
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<32x48xbf16>, tensor<48x128xbf16>) outs(%{{.*}} : tensor<32x128xf32>)
// CHECK: arith.truncf
// SOURCE-LABEL: func.func @product
// SOURCE: tensor.insert_slice %arg1 into %{{.*}}[0, 1, 0] [2, 16, 48] [1, 2, 1] : tensor<2x16x48xbf16> into tensor<2x33x48xbf16>
// SOURCE: tensor.extract %arg0
// SOURCE: linalg.generic
func.func @product(%w: tensor<48x2x64xbf16>, %y: tensor<2x16x48xbf16>) -> tensor<2x32x64xbf16> {
  %x = conv.dgrad %w, %y : (tensor<48x2x64xbf16>, tensor<2x16x48xbf16>) -> tensor<2x32x64xbf16> #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0], flip = [false], groups = 1, acc = f32>
  return %x : tensor<2x32x64xbf16>
}

// -----

// Two phases: of three taps, and none of them mirrored. The odd outputs come first, they have two taps.
// CHECK-LABEL: func.func @phases
// CHECK: tensor.pad %arg1 low[0, 0, 0] high[0, 1, 0]
// CHECK: tensor.extract_slice %padded[0, 1, 0] [2, 5, 6] [1, 1, 1]
// CHECK: tensor.extract_slice %arg0[0, 0, 0] [6, 1, 4] [1, 1, 1] : tensor<6x3x4xf32> to tensor<6x4xf32>
// CHECK: linalg.generic
// CHECK: tensor.extract_slice %arg0[0, 2, 0] [6, 1, 4]
// CHECK: linalg.generic
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 0] [2, 5, 4] [1, 2, 1] : tensor<2x5x4xf32> into tensor<2x10x4xf32>
// CHECK: tensor.extract_slice %arg0[0, 1, 0] [6, 1, 4]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [2, 5, 4] [1, 2, 1]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @phases(%w: tensor<6x3x4xf32>, %y: tensor<2x5x6xf32>) -> tensor<2x10x4xf32> {
  %x = conv.dgrad %w, %y : (tensor<6x3x4xf32>, tensor<2x5x6xf32>) -> tensor<2x10x4xf32> #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [1], flip = [false], groups = 1, acc = f32>
  return %x : tensor<2x10x4xf32>
}

// -----

// A forward convolution: one generic over windows, padding in front of it. In both forms.
// CHECK: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + d3 * 3, d4)>
// CHECK-LABEL: func.func @window
// CHECK: tensor.pad %arg0 low[0, 1, 0] high[0, 2, 0]
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]
// SOURCE-LABEL: func.func @window
// SOURCE: tensor.pad %arg0 low[0, 1, 0] high[0, 2, 0]
func.func @window(%x: tensor<2x8x4xf32>, %w: tensor<6x3x4xf32>) -> tensor<2x3x6xf32> {
  %y = conv.fprop %x, %w : (tensor<2x8x4xf32>, tensor<6x3x4xf32>) -> tensor<2x3x6xf32> #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [3], pad_low = [1], flip = [false], groups = 1, acc = f32>
  return %y : tensor<2x3x6xf32>
}

// -----

// The gradient of a mirrored filter is mirrored; leading rows are never read; unit letters are left out. (Lowered, it is the
// canonical problem: a correlation under other names, with the mirrored tensor among its operands.)
// SOURCE-LABEL: func.func @mirrored
// SOURCE: tensor.extract_slice %{{.*}}[0, 1, 0] [2, 7, 4]
// SOURCE: linalg.generic
// SOURCE: arith.subi
// SOURCE: tensor.extract %
func.func @mirrored(%x: tensor<2x8x4xf32>, %y: tensor<2x5xf32>) -> tensor<3x4xf32> {
  %w = conv.wgrad %x, %y : (tensor<2x8x4xf32>, tensor<2x5xf32>) -> tensor<3x4xf32> #conv.geometry<x = "nhc", w = "rc", y = "np", stride = [1], dilation = [1], pad_low = [-1], flip = [true], groups = 1, acc = f32>
  return %w : tensor<3x4xf32>
}
