// RUN: orzo-opt %s --pass-pipeline='builtin.module(func.func(orzo-form-dispatches))' | FileCheck %s

// CHECK-LABEL: func.func @two
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x5xf32>
// CHECK: %[[R:.*]] = dispatch.region -> tensor<4x5xf32> {
// CHECK-NEXT: %[[G:.*]] = gemm.contract ins(%{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<5x3xf32>) outs(%[[E]] : tensor<4x5xf32>)
// CHECK-NEXT: dispatch.yield %[[G]] : tensor<4x5xf32>
// CHECK: dispatch.region -> tensor<4x3xf32> {
// CHECK-NEXT: gemm.contract ins(%[[R]], %{{.*}}
// Fills and copies are steps of their own.
// CHECK: }
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: dispatch.fill
func.func @two(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = tensor.empty() : tensor<4x5xf32>
  %1 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
  %2 = tensor.empty() : tensor<4x3xf32>
  %3 = gemm.contract ins(%1, %w : tensor<4x5xf32>, tensor<5x3xf32>) outs(%2 : tensor<4x3xf32>)
    #gemm.contraction<x = y * w, batch = [], m = [4(5, 0, 3)], n = [3(0, 1, 1)], k = [5(1, 3, 0)]> -> tensor<4x3xf32>
  %4 = tensor.empty() : tensor<4x3xf32>
  %5 = dispatch.fill "zero" outs(%4 : tensor<4x3xf32>) byte 0 -> tensor<4x3xf32>
  return %3, %5 : tensor<4x3xf32>, tensor<4x3xf32>
}

// A sum of what a product writes, and one of what it reads, come out of its launch; their destinations go in front.
// CHECK-LABEL: func.func @sums
// CHECK: %[[R:.*]]:3 = dispatch.region -> tensor<4x5xf32>, tensor<5xf32>, tensor<3xf32> {
// CHECK-NEXT: %[[G:.*]] = gemm.contract
// CHECK-NEXT: nest.reduce "add" ins(%[[G]] : tensor<4x5xf32>)
// CHECK: nest.reduce "add" ins(%{{.*}} : tensor<4x3xf32>)
// CHECK: dispatch.yield
// CHECK: return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @sums(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>) -> (tensor<4x5xf32>, tensor<5xf32>, tensor<3xf32>) {
  %0 = tensor.empty() : tensor<4x5xf32>
  %1 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<4x5xf32> into tensor<20xf32>
  %3 = tensor.empty() : tensor<5xf32>
  %4 = nest.reduce "add" ins(%2 : tensor<20xf32>) outs(%3 : tensor<5xf32>) #nest.loops<[4(5, 0), 5(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    nest.yield %p : f32
  } -> tensor<5xf32>
  %5 = tensor.empty() : tensor<3xf32>
  %6 = nest.reduce "add" ins(%x : tensor<4x3xf32>) outs(%5 : tensor<3xf32>) #nest.loops<[4(3, 0), 3(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    nest.yield %p : f32
  } -> tensor<3xf32>
  return %1, %4, %6 : tensor<4x5xf32>, tensor<5xf32>, tensor<3xf32>
}

// A sum that is needed before the product stays in front of it.
// CHECK-LABEL: func.func @before
// CHECK: dispatch.region -> tensor<3xf32> {
// CHECK-NEXT: nest.reduce
// CHECK: dispatch.region -> tensor<3xf32> {
// CHECK-NEXT: nest.map
// CHECK: dispatch.region -> tensor<4x5xf32> {
// CHECK-NEXT: gemm.contract
func.func @before(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>) -> (tensor<3xf32>, tensor<4x5xf32>) {
  %0 = tensor.empty() : tensor<3xf32>
  %1 = nest.reduce "add" ins(%x : tensor<4x3xf32>) outs(%0 : tensor<3xf32>) #nest.loops<[4(3, 0), 3(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    nest.yield %p : f32
  } -> tensor<3xf32>
  %2 = tensor.empty() : tensor<3xf32>
  %3 = nest.map ins(%1 : tensor<3xf32>) outs(%2 : tensor<3xf32>) #nest.loops<[3(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    nest.yield %p : f32
  } -> tensor<3xf32>
  %4 = tensor.empty() : tensor<4x5xf32>
  %5 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%4 : tensor<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
  return %3, %5 : tensor<3xf32>, tensor<4x5xf32>
}
