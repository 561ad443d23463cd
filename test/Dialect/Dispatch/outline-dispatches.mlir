// RUN: orzo-opt %s --orzo-outline-dispatches --split-input-file --verify-diagnostics | FileCheck %s

// Two regions of one shape get names of their own; the epilogue goes along.
// CHECK: dispatch.func @contract_4x5x3_f32_fused(%[[X:.*]]: memref<4x3xf32>, %[[W:.*]]: memref<5x3xf32>, %[[Y:.*]]: memref<4x5xf32>) {
// CHECK-NEXT: gemm.contract ins(%[[X]], %[[W]] : memref<4x3xf32>, memref<5x3xf32>) outs(%[[Y]] : memref<4x5xf32>) #gemm.contraction<{{.*}}> epilogue(
// CHECK: dispatch.return
// CHECK: dispatch.func @[[SECOND:contract_4x5x3_f32_fused_[0-9]+]](
// CHECK-NEXT: gemm.contract {{.*}} epilogue(%[[ACC:.*]]: f32) {
// CHECK-NEXT: arith.negf %[[ACC]]
// CHECK-LABEL: func.func @problem
// CHECK: dispatch.run @contract_4x5x3_f32_fused ins(%{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<5x3xf32>) outs(%{{.*}} : tensor<4x5xf32>) -> tensor<4x5xf32>
// CHECK: dispatch.run @[[SECOND]] ins
func.func @problem(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = tensor.empty() : tensor<4x5xf32>
  %1 = dispatch.region -> tensor<4x5xf32> {
    %2 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<4x5xf32>)
      #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
      epilogue(%acc: f32) {
        %7 = arith.addf %acc, %acc : f32
        gemm.yield %7 : f32
      }
    dispatch.yield %2 : tensor<4x5xf32>
  }
  %3 = tensor.empty() : tensor<4x5xf32>
  %4 = dispatch.region -> tensor<4x5xf32> {
    %5 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%3 : tensor<4x5xf32>)
      #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
      epilogue(%acc: f32) {
        %6 = arith.negf %acc : f32
        gemm.yield %6 : f32
      }
    dispatch.yield %5 : tensor<4x5xf32>
  }
  return %1, %4 : tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

func.func @problem(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{unsupported: expected a region of gemm and nest ops}}
  %0 = dispatch.region -> tensor<4xf32> {
    %1 = tensor.empty() : tensor<4xf32>
    dispatch.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A reduction of what the launch computes reads it from its slot.
// CHECK-LABEL: dispatch.func @contract_4x5x3_f32_and_reduce_add_1_f32_5(
// CHECK-SAME: %[[X:.*]]: memref<4x3xf32>, %[[W:.*]]: memref<5x3xf32>, %[[Y:.*]]: memref<4x5xf32>, %[[S:.*]]: memref<5xf32>) {
// CHECK-NEXT: gemm.contract ins(%[[X]], %[[W]] : {{.*}}) outs(%[[Y]] : {{.*}})
// CHECK-NEXT: nest.reduce "add" ins(%[[Y]] : memref<4x5xf32>) outs(%[[S]] : memref<5xf32>)
// CHECK: %{{.*}}:2 = dispatch.run @contract_4x5x3_f32_and_reduce_add_1_f32_5 ins(%{{.*}}, %{{.*}} : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<4x5xf32>, tensor<5xf32>)
func.func @problem(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>) -> (tensor<4x5xf32>, tensor<5xf32>) {
  %0 = tensor.empty() : tensor<4x5xf32>
  %1 = tensor.empty() : tensor<5xf32>
  %2:2 = dispatch.region -> tensor<4x5xf32>, tensor<5xf32> {
    %3 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<4x5xf32>)
      #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
    %4 = nest.reduce "add" ins(%3 : tensor<4x5xf32>) outs(%1 : tensor<5xf32>)
      #nest.loops<[4(5, 0), 5(1, 1)], from = [0, 0]> {
    ^bb0(%a: f32):
      nest.yield %a : f32
    } -> tensor<5xf32>
    dispatch.yield %3, %4 : tensor<4x5xf32>, tensor<5xf32>
  }
  return %2#0, %2#1 : tensor<4x5xf32>, tensor<5xf32>
}
