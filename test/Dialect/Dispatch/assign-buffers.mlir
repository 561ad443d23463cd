// RUN: orzo-opt %s --orzo-assign-buffers --split-input-file --verify-diagnostics | FileCheck %s

// Three temporaries; the third starts to live after the first was read for the last time and takes its place. A fill and
// a copy of one tensor work in place.
// CHECK: dispatch.program @problem lowering "test" because "a chain" of "{{.*}}" workspace 192 {
// CHECK-NEXT: %[[X:.*]] = dispatch.binding "x" "nc" : memref<4x4xf32>
// CHECK-NEXT: %[[W:.*]] = dispatch.binding "w" "kc" : memref<4x4xf32>
// CHECK-NEXT: %[[Y:.*]] = dispatch.binding "y" "nk" result : memref<4x4xf32>
// CHECK-NEXT: %[[A:.*]] = dispatch.workspace offset 0 : memref<4x4xf32>
// CHECK-NEXT: %[[B:.*]] = dispatch.workspace offset 64 : memref<5x5xf32>
// CHECK-NEXT: %[[C:.*]] = dispatch.workspace offset 0 : memref<4x4xf32>
// CHECK-NEXT: dispatch.fill "a" outs(%[[A]] : memref<4x4xf32>) byte 0
// CHECK-NEXT: dispatch.copy "a" ins(%[[X]] : memref<4x4xf32>) outs(%[[A]] : memref<4x4xf32>)
// CHECK-NEXT: dispatch.copy "b" ins(%[[A]] : memref<4x4xf32>) outs(%[[B]] : memref<5x5xf32>)
// CHECK-NEXT: dispatch.copy "c" ins(%[[B]] : memref<5x5xf32>) outs(%[[C]] : memref<4x4xf32>)
// CHECK-NEXT: dispatch.run @kernel ins(%[[C]], %[[W]] : memref<4x4xf32>, memref<4x4xf32>) outs(%[[Y]] : memref<4x4xf32>)
// CHECK-NEXT: }
// CHECK-NOT: func.func
dispatch.func @kernel(%x: memref<4x4xf32>, %w: memref<4x4xf32>, %y: memref<4x4xf32>) {
  gemm.contract ins(%x, %w : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(4, 0, 4)], n = [4(0, 4, 1)], k = [4(1, 1, 0)]>
  dispatch.return
}
func.func @problem(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {
    gemm.lowering = "test", gemm.reason = "a chain",
    gemm.problem = "conv.v1 fprop n4 c4 k4 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32"} {
  %0 = tensor.empty() : tensor<4x4xf32>
  %1 = dispatch.fill "a" outs(%0 : tensor<4x4xf32>) byte 0 -> tensor<4x4xf32>
  %2 = dispatch.copy "a" ins(%x : tensor<4x4xf32>) outs(%1 : tensor<4x4xf32>) extents [2] from 0 [1] to 0 [1] -> tensor<4x4xf32>
  %3 = tensor.empty() : tensor<5x5xf32>
  %4 = dispatch.copy "b" ins(%2 : tensor<4x4xf32>) outs(%3 : tensor<5x5xf32>) extents [2] from 0 [1] to 0 [1] -> tensor<5x5xf32>
  %5 = tensor.empty() : tensor<4x4xf32>
  %6 = dispatch.copy "c" ins(%4 : tensor<5x5xf32>) outs(%5 : tensor<4x4xf32>) extents [2] from 0 [1] to 0 [1] -> tensor<4x4xf32>
  %7 = tensor.empty() : tensor<4x4xf32>
  %8 = dispatch.run @kernel ins(%6, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%7 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %8 : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{lacks gemm.problem, gemm.lowering or gemm.reason, which --orzo-conv-to-gemm leaves}}
func.func @problem(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
}

// -----

func.func @problem(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {
    gemm.lowering = "test", gemm.reason = "none",
    gemm.problem = "conv.v1 fprop n4 c4 k4 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32"} {
  // expected-error @+1 {{unsupported: returns a tensor that no step of its own computes}}
  return %x : tensor<4x4xf32>
}

// -----

func.func @problem(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {
    gemm.lowering = "test", gemm.reason = "none",
    gemm.problem = "conv.v1 fprop n4 c4 k4 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32"} {
  // expected-error @+1 {{unsupported: overwrites a tensor that is used elsewhere}}
  %1 = dispatch.fill "a" outs(%x : tensor<4x4xf32>) byte 0 -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

func.func @problem(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {
    gemm.lowering = "test", gemm.reason = "none",
    gemm.problem = "conv.v1 fprop n4 c4 k4 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32"} {
  // expected-error @+1 {{unsupported: no step of a dispatch.program}}
  %0 = arith.addf %x, %x : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{unsupported: expected func.func @problem}}
module {
  func.func @other() {
    return
  }
}
