// RUN: orzo-opt %s | orzo-opt | FileCheck %s

// CHECK-LABEL: func.func @seed
// CHECK: conv.dgrad %{{.*}}, %{{.*}} : (tensor<2048x2x2048xbf16>, tensor<16x256x2048xbf16>) -> tensor<16x512x2048xbf16>
// CHECK-SAME: #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0], flip = [false], groups = 1, acc = f32>
func.func @seed(%w: tensor<2048x2x2048xbf16>, %y: tensor<16x256x2048xbf16>) -> tensor<16x512x2048xbf16> {
  %x = conv.dgrad %w, %y : (tensor<2048x2x2048xbf16>, tensor<16x256x2048xbf16>) -> tensor<16x512x2048xbf16>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0], flip = [false],
                   groups = 1, acc = f32>
  return %x : tensor<16x512x2048xbf16>
}

// Groups, a flip, a negative pad, channels first.
// CHECK-LABEL: func.func @grouped
// CHECK: conv.fprop
// CHECK-SAME: pad_low = [-1, 1], flip = [true, false], groups = 2, acc = f32>
func.func @grouped(%x: tensor<1x2x3x8x9xf32>, %w: tensor<2x4x3x3x3xf32>) -> tensor<1x2x4x4x9xf32> {
  %y = conv.fprop %x, %w : (tensor<1x2x3x8x9xf32>, tensor<2x4x3x3x3xf32>) -> tensor<1x2x4x4x9xf32>
    #conv.geometry<x = "ngchw", w = "gkcrs", y = "ngkpq", stride = [1, 1], dilation = [1, 1], pad_low = [-1, 1],
                   flip = [true, false], groups = 2, acc = f32>
  return %y : tensor<1x2x4x4x9xf32>
}

// Without spatial dims it is a matrix product, and the lists are left out.
// CHECK-LABEL: func.func @matmul
// CHECK: conv.wgrad {{.*}} #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
func.func @matmul(%x: tensor<4x5xf16>, %y: tensor<4x6xf16>) -> tensor<6x5xf16> {
  %w = conv.wgrad %x, %y : (tensor<4x5xf16>, tensor<4x6xf16>) -> tensor<6x5xf16>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
  return %w : tensor<6x5xf16>
}

// Axes of extent 1 may be left out of a layout: here N, and C of x and w.
// CHECK-LABEL: func.func @units
// CHECK: conv.fprop {{.*}} (tensor<8xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
func.func @units(%x: tensor<8xf32>, %w: tensor<4x3xf32>) -> tensor<4x6xf32> {
  %y = conv.fprop %x, %w : (tensor<8xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
    #conv.geometry<x = "h", w = "kr", y = "kp", stride = [1], dilation = [1], pad_low = [0], flip = [false], groups = 1,
                   acc = f32>
  return %y : tensor<4x6xf32>
}
