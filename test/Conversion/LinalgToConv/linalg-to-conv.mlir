// RUN: orzo-opt %s --split-input-file --orzo-linalg-to-conv --verify-diagnostics | FileCheck %s

// A zero-inserted, flipped product is the strided gradient that it came from.
// CHECK-LABEL: func.func @problem(
// CHECK-SAME: %[[W:.*]]: tensor<5x2x3xf32>, %[[Y:.*]]: tensor<2x4x5xf32>) -> tensor<2x8x3xf32>
// CHECK-NEXT: %[[X:.*]] = conv.dgrad %[[W]], %[[Y]]
// CHECK-SAME: #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0], flip = [false], groups = 1, acc = f32>
// CHECK-NEXT: return %[[X]]
// CHECK-NOT: linalg
func.func @gradient(%y: tensor<2x4x5xf32>, %w: tensor<5x2x3xf32>) -> tensor<2x8x3xf32> {
  %zeros = arith.constant dense<0.0> : tensor<2x9x5xf32>
  %zero = arith.constant 0.0 : f32
  %wide = tensor.insert_slice %y into %zeros[0, 1, 0] [2, 4, 5] [1, 2, 1] : tensor<2x4x5xf32> into tensor<2x9x5xf32>
  %w_empty = tensor.empty() : tensor<5x2x3xf32>
  %mirrored = linalg.generic {
      indexing_maps = [affine_map<(k, r, c) -> (k, 1 - r, c)>, affine_map<(k, r, c) -> (k, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<5x2x3xf32>) outs(%w_empty : tensor<5x2x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<5x2x3xf32>
  %empty = tensor.empty() : tensor<2x8x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
  %x = linalg.generic {
      indexing_maps = [affine_map<(n, h, c, r, k) -> (n, h + r, k)>, affine_map<(n, h, c, r, k) -> (k, r, c)>,
                       affine_map<(n, h, c, r, k) -> (n, h, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%wide, %mirrored : tensor<2x9x5xf32>, tensor<5x2x3xf32>) outs(%init : tensor<2x8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %b, %a : f32
    %s = arith.addf %m, %acc : f32
    linalg.yield %s : f32
  } -> tensor<2x8x3xf32>
  return %x : tensor<2x8x3xf32>
}

// -----

// One result, one problem.
// CHECK: func.func @problem(
// CHECK: conv.fprop
// CHECK: func.func @problem_1(
// CHECK: conv.fprop
func.func @two(%a: tensor<3x5xf32>, %b: tensor<5x4xf32>, %c: tensor<5x2xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>) {
  %init = arith.constant dense<0.0> : tensor<3x4xf32>
  %init_1 = arith.constant dense<0.0> : tensor<3x2xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x4xf32>) outs(%init : tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = linalg.matmul ins(%a, %c : tensor<3x5xf32>, tensor<5x2xf32>) outs(%init_1 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<3x2xf32>
}

// -----

// What is none stays, and says why.
// CHECK: linalg.generic
func.func @relu(%a: tensor<3x5xf32>, %b: tensor<5x4xf32>) -> tensor<3x4xf32> {
  %init = arith.constant dense<0.0> : tensor<3x4xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x4xf32>) outs(%init : tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<3x4xf32>) outs(%empty : tensor<3x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    // expected-remark @+1 {{stays linalg: it computes arith.maximumf, which is no part of a convolution}}
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}
