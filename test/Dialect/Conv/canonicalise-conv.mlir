// RUN: orzo-opt %s --split-input-file --orzo-canonicalise-conv --verify-diagnostics | FileCheck %s

// NHWC with a unit H: the dim goes.
// CHECK: func.func @problem(%[[W:.*]]: tensor<2048x2x2048xbf16>, %[[Y:.*]]: tensor<16x256x2048xbf16>) -> tensor<16x512x2048xbf16>
// CHECK-NEXT: conv.dgrad %[[W]], %[[Y]]
// CHECK-SAME: #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2]
func.func @problem(%w: tensor<2048x1x2x2048xbf16>, %y: tensor<16x1x256x2048xbf16>) -> tensor<16x1x512x2048xbf16> {
  // expected-remark @+1 {{read as conv.v1 dgrad n16 c2048 k2048 g1 in512 f2 out256 s2 d1 p0 x:nhc:bf16 w:krc:bf16 y:npk:bf16 acc:f32; x is the source's x, w is the source's w, y is the source's y}}
  %x = conv.dgrad %w, %y : (tensor<2048x1x2x2048xbf16>, tensor<16x1x256x2048xbf16>) -> tensor<16x1x512x2048xbf16>
    #conv.geometry<x = "nhwc", w = "krsc", y = "npqk", stride = [1, 2], dilation = [1, 1], pad_low = [0, 0],
                   flip = [false, false], groups = 1, acc = f32>
  return %x : tensor<16x1x512x2048xbf16>
}

// -----

// What is canonical stays, without a remark.
// CHECK: conv.dgrad
func.func @problem(%w: tensor<2048x2x2048xbf16>, %y: tensor<16x256x2048xbf16>) -> tensor<16x512x2048xbf16> {
  %x = conv.dgrad %w, %y : (tensor<2048x2x2048xbf16>, tensor<16x256x2048xbf16>) -> tensor<16x512x2048xbf16>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0], flip = [false],
                   groups = 1, acc = f32>
  return %x : tensor<16x512x2048xbf16>
}

// -----

// A name that is not the problem's.
// expected-error @+1 {{unsupported: expected a module of one func.func @problem}}
func.func @other() {
  return
}

// -----

func.func @problem(%x: tensor<8x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{unsupported: expected @problem to hold one conv op}}
  %0 = arith.addf %x, %x : tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// -----

// expected-error @+1 {{unsupported: expected @problem to return one conv op of its two arguments, in role order}}
func.func @problem(%w: tensor<4x3xf32>, %x: tensor<8x3xf32>) -> tensor<8x4xf32> {
  %y = conv.fprop %x, %w : (tensor<8x3xf32>, tensor<4x3xf32>) -> tensor<8x4xf32>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<8x4xf32>
}
