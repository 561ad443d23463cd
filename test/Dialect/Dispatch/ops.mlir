// RUN: orzo-opt %s | orzo-opt | FileCheck %s

// CHECK-LABEL: func.func @regions
// CHECK: %[[R:.*]] = dispatch.region -> tensor<4x5xf32> {
// CHECK: dispatch.yield %{{.*}} : tensor<4x5xf32>
// CHECK: dispatch.run @kernel ins(%{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<5x3xf32>) outs(%[[R]] : tensor<4x5xf32>) -> tensor<4x5xf32>
func.func @regions(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>) -> tensor<4x5xf32> {
  %empty = tensor.empty() : tensor<4x5xf32>
  %0 = dispatch.region -> tensor<4x5xf32> {
    %1 = dispatch.fill "zero" outs(%empty : tensor<4x5xf32>) byte 0 -> tensor<4x5xf32>
    dispatch.yield %1 : tensor<4x5xf32>
  }
  %2 = dispatch.run @kernel ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}

// CHECK-LABEL: dispatch.func @kernel(%{{.*}}: memref<4x3xf32>, %{{.*}}: memref<5x3xf32>, %{{.*}}: memref<4x5xf32>) {
// CHECK: dispatch.return
dispatch.func @kernel(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>) {
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
  dispatch.return
}

// CHECK-LABEL: dispatch.program @problem lowering "contract" because "it is one" of "conv.v1 fprop
// CHECK-SAME: workspace 64 {
// CHECK: dispatch.binding "x" "nc" : memref<4x3xf32>
// CHECK: dispatch.binding "y" "nk" result : memref<4x5xf32>
// CHECK: dispatch.workspace offset 0 : memref<5x3xf32>
// CHECK: dispatch.fill "fill_w_zero" outs(%{{.*}} : memref<5x3xf32>) byte 0
// CHECK: dispatch.copy "copy_w" ins(%{{.*}} : memref<5x3xf32>) outs(%{{.*}} : memref<5x3xf32>) extents [5, 3] from 12 [-3, 1] to 0 [3, 1] transpose
// CHECK: dispatch.run @kernel ins({{.*}}) outs({{.*}}){{$}}
dispatch.program @problem lowering "contract" because "it is one"
    of "conv.v1 fprop n4 c3 k5 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32" workspace 64 {
  %x = dispatch.binding "x" "nc" : memref<4x3xf32>
  %w = dispatch.binding "w" "kc" : memref<5x3xf32>
  %y = dispatch.binding "y" "nk" result : memref<4x5xf32>
  %t = dispatch.workspace offset 0 : memref<5x3xf32>
  dispatch.fill "fill_w_zero" outs(%t : memref<5x3xf32>) byte 0
  dispatch.copy "copy_w" ins(%w : memref<5x3xf32>) outs(%t : memref<5x3xf32>) extents [5, 3] from 12 [-3, 1] to 0 [3, 1] transpose
  dispatch.run @kernel ins(%x, %t : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
}
