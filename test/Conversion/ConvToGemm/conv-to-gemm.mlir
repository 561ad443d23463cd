// RUN: orzo-opt %s --pass-pipeline='builtin.module(func.func(orzo-conv-to-gemm))' | FileCheck %s
// RUN: orzo-opt %s --pass-pipeline='builtin.module(func.func(orzo-conv-to-gemm{lowering=zero-insert}))' --verify-diagnostics -split-input-file | FileCheck %s --check-prefix=ZERO

// The seed is one matrix product.
// CHECK-LABEL: func.func @seed
// CHECK-SAME: gemm.lowering = "contract"
// CHECK-SAME: gemm.problem = "conv.v1 dgrad n16 c2048 k2048
// CHECK-SAME: gemm.reason = "it is a strided matrix product 4096x4096x2048 (m, n, k)"
// CHECK: %[[E:.*]] = tensor.empty() : tensor<16x512x2048xbf16>
// CHECK-NEXT: gemm.contract ins(%arg1, %arg0 : tensor<16x256x2048xbf16>, tensor<2048x2x2048xbf16>) outs(%[[E]] : tensor<16x512x2048xbf16>)
// CHECK-SAME: m = [4096(2048, 0, 4096)], n = [4096(0, 1, 1)], k = [2048(1, 4096, 0)]>
// ZERO-LABEL: func.func @seed
// ZERO-SAME: gemm.lowering = "zero-insert"
// ZERO: %[[Y0:.*]] = dispatch.fill "fill_y_zero" outs(%{{.*}} : tensor<16x513x2048xbf16>) byte 0
// ZERO: %[[YS:.*]] = dispatch.copy "copy_y_spread" ins(%arg1 : tensor<16x256x2048xbf16>) outs(%[[Y0]] : tensor<16x513x2048xbf16>) extents [16, 256, 2048] from 0 [524288, 2048, 1] to 2048 [1050624, 4096, 1]
// ZERO: %[[WF:.*]] = dispatch.copy "copy_w_flip" ins(%arg0 : tensor<2048x2x2048xbf16>) outs(%{{.*}}) extents [2048, 2, 2048] from 2048 [4096, -2048, 1] to 0 [4096, 2048, 1]
// ZERO: gemm.implicit ins(%[[YS]], %[[WF]] : tensor<16x513x2048xbf16>, tensor<2048x2x2048xbf16>) outs(%{{.*}}) phases(1)
// ZERO-SAME: conv.v1 fprop n16 c2048 k2048 g1 in513 f2 out512 s1 d1 p0 x:nhc:bf16 w:crk:bf16 y:npk:bf16
func.func @seed(%w: tensor<2048x2x2048xbf16>, %y: tensor<16x256x2048xbf16>) -> tensor<16x512x2048xbf16> {
  %x = conv.dgrad %w, %y : (tensor<2048x2x2048xbf16>, tensor<16x256x2048xbf16>) -> tensor<16x512x2048xbf16>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0], flip = [false],
                   groups = 1, acc = f32>
  return %x : tensor<16x512x2048xbf16>
}

// A stride that the filter does not fill leaves zeros in the result, which only the implicit kernel writes.
// CHECK-LABEL: func.func @tail
// CHECK-SAME: gemm.lowering = "implicit"
// CHECK: gemm.implicit {{.*}} phases(2)
// ZERO-LABEL: func.func @tail
func.func @tail(%w: tensor<3x2x4xf32>, %y: tensor<1x2x3xf32>) -> tensor<1x5x4xf32> {
  %x = conv.dgrad %w, %y : (tensor<3x2x4xf32>, tensor<1x2x3xf32>) -> tensor<1x5x4xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0], flip = [false],
                   groups = 1, acc = f32>
  return %x : tensor<1x5x4xf32>
}

// CHECK-LABEL: func.func @padded
// CHECK-SAME: gemm.reason = "an fprop gathers its input through one phase while packing; taps, padding, dilation, flips or groups keep it from being one strided matrix product"
// CHECK: gemm.implicit ins(%arg0, %arg1 : tensor<2x7x4xf32>, tensor<3x3x4xf32>) {{.*}} phases(1)
// The input is padded by 1 on both sides, then read without padding.
// ZERO-LABEL: func.func @padded
// ZERO: dispatch.fill "fill_x_zero" outs(%{{.*}} : tensor<2x9x4xf32>) byte 0
// ZERO: dispatch.copy "copy_x_spread" ins(%arg0 : tensor<2x7x4xf32>) outs(%{{.*}} : tensor<2x9x4xf32>) extents [2, 28] from 0 [28, 1] to 4 [36, 1]
// ZERO-NOT: dispatch.copy
// ZERO: gemm.implicit {{.*}} fprop n2 c4 k3 g1 in9 f3 out4 s2 d1 p0
func.func @padded(%x: tensor<2x7x4xf32>, %w: tensor<3x3x4xf32>) -> tensor<2x4x3xf32> {
  %y = conv.fprop %x, %w : (tensor<2x7x4xf32>, tensor<3x3x4xf32>) -> tensor<2x4x3xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [1], flip = [false],
                   groups = 1, acc = f32>
  return %y : tensor<2x4x3xf32>
}

// CHECK-LABEL: func.func @wgrad
// CHECK-SAME: gemm.lowering = "wgrad"
// CHECK: gemm.wgrad ins(%arg0, %arg1 : tensor<2x7x4xf32>, tensor<2x4x3xf32>)
// x is padded and y spread by the stride, so that the stride is 1.
// ZERO-LABEL: func.func @wgrad
// ZERO: dispatch.copy "copy_x_spread"
// ZERO: dispatch.fill "fill_y_zero" outs(%{{.*}} : tensor<2x7x3xf32>) byte 0
// ZERO: dispatch.copy "copy_y_spread" ins(%arg1 : tensor<2x4x3xf32>) outs(%{{.*}} : tensor<2x7x3xf32>) extents [2, 4, 3] from 0 [12, 3, 1] to 0 [21, 6, 1]
// ZERO: gemm.wgrad {{.*}} wgrad n2 c4 k3 g1 in9 f3 out7 s1 d1 p0
func.func @wgrad(%x: tensor<2x7x4xf32>, %y: tensor<2x4x3xf32>) -> tensor<3x3x4xf32> {
  %w = conv.wgrad %x, %y : (tensor<2x7x4xf32>, tensor<2x4x3xf32>) -> tensor<3x3x4xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [1], flip = [false],
                   groups = 1, acc = f32>
  return %w : tensor<3x3x4xf32>
}

// A filter stored mirrored has the order that the dense problem wants: no copy of it. Rows of x that are never read
// (negative pads) are cropped away by the copy; groups stay groups with C and K exchanged.
// ZERO-LABEL: func.func @flipped
// ZERO: dispatch.copy "copy_y_spread" {{.*}}
// ZERO-NOT: copy_w
// ZERO: gemm.implicit {{.*}} fprop n1 c6 k4 g2 in11 f3 out7 s1 d2 p0 x:nhgc:f32 w:gcrk:f32 y:npgk:f32
func.func @flipped(%w: tensor<2x3x3x2xf32>, %y: tensor<1x5x2x3xf32>) -> tensor<1x7x2x2xf32> {
  %x = conv.dgrad %w, %y : (tensor<2x3x3x2xf32>, tensor<1x5x2x3xf32>) -> tensor<1x7x2x2xf32>
    #conv.geometry<x = "nhgc", w = "gkrc", y = "npgk", stride = [1], dilation = [2], pad_low = [-1], flip = [true],
                   groups = 2, acc = f32>
  return %x : tensor<1x7x2x2xf32>
}
