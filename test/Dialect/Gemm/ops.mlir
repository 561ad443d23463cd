// RUN: orzo-opt %s | orzo-opt | FileCheck %s

// CHECK-LABEL: func.func @contract
// CHECK: gemm.contract ins(%{{.*}}, %{{.*}} : tensor<16x256x2048xbf16>, tensor<2048x2x2048xbf16>) outs(%{{.*}} : tensor<16x512x2048xbf16>)
// CHECK-SAME: #gemm.contraction<x = y * w, batch = [], m = [4096(2048, 0, 4096)], n = [4096(0, 1, 1)], k = [2048(1, 4096, 0)]> -> tensor<16x512x2048xbf16>
func.func @contract(%y: tensor<16x256x2048xbf16>, %w: tensor<2048x2x2048xbf16>, %x: tensor<16x512x2048xbf16>)
    -> tensor<16x512x2048xbf16> {
  %0 = gemm.contract ins(%y, %w : tensor<16x256x2048xbf16>, tensor<2048x2x2048xbf16>)
                     outs(%x : tensor<16x512x2048xbf16>)
    #gemm.contraction<x = y * w, batch = [], m = [4096(2048, 0, 4096)], n = [4096(0, 1, 1)], k = [2048(1, 4096, 0)]>
    -> tensor<16x512x2048xbf16>
  return %0 : tensor<16x512x2048xbf16>
}

// CHECK-LABEL: func.func @batched
// CHECK: batch = [2(12, 0, 8)], m = [], n = [4(1, 0, 1)], k = [3(4, 1, 0)], zero_tail>
func.func @batched(%x: memref<2x3x4xf32>, %w: memref<3xf32>, %y: memref<2x8xf32>) {
  gemm.contract ins(%x, %w : memref<2x3x4xf32>, memref<3xf32>) outs(%y : memref<2x8xf32>)
    #gemm.contraction<y = x * w, batch = [2(12, 0, 8)], m = [], n = [4(1, 0, 1)], k = [3(4, 1, 0)], zero_tail>
  return
}

// The number of phases is printed whether or not it was written; an identity epilogue is not.
// CHECK-LABEL: func.func @implicit
// CHECK: gemm.implicit ins({{.*}}) outs({{.*}}) phases(2) #conv.spec<"conv.v1 dgrad n1 c4 k3 g1 in5 f3 out3 s2 d1 p1 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32">{{$}}
// CHECK: gemm.implicit {{.*}} phases(2) #conv.spec<{{.*}}> epilogue(%[[ACC:.*]]: f32) {
// CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[ACC]], %{{.*}} : f32
// CHECK-NEXT: gemm.yield %[[MAX]] : f32
func.func @implicit(%y: memref<1x3x3xf32>, %w: memref<3x3x4xf32>, %x: memref<1x5x4xf32>, %zero: f32) {
  gemm.implicit ins(%y, %w : memref<1x3x3xf32>, memref<3x3x4xf32>) outs(%x : memref<1x5x4xf32>)
    #conv.spec<"conv.v1 dgrad n1 c4 k3 g1 in5 f3 out3 s2 d1 p1 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32">
    epilogue(%acc: f32) {
      gemm.yield %acc : f32
    }
  gemm.implicit ins(%y, %w : memref<1x3x3xf32>, memref<3x3x4xf32>) outs(%x : memref<1x5x4xf32>) phases(2)
    #conv.spec<"conv.v1 dgrad n1 c4 k3 g1 in5 f3 out3 s2 d1 p1 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32">
    epilogue(%acc: f32) {
      %0 = arith.maximumf %acc, %zero : f32
      gemm.yield %0 : f32
    }
  return
}

// CHECK-LABEL: func.func @wgrad
// CHECK: gemm.wgrad ins({{.*}}) outs({{.*}}) #conv.spec<"conv.v1 wgrad {{.*}}"> -> tensor<3x3x4xf32>
func.func @wgrad(%x: tensor<1x5x4xf32>, %y: tensor<1x3x3xf32>, %w: tensor<3x3x4xf32>) -> tensor<3x3x4xf32> {
  %0 = gemm.wgrad ins(%x, %y : tensor<1x5x4xf32>, tensor<1x3x3xf32>) outs(%w : tensor<3x3x4xf32>)
    #conv.spec<"conv.v1 wgrad n1 c4 k3 g1 in5 f3 out3 s2 d1 p1 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32">
    -> tensor<3x3x4xf32>
  return %0 : tensor<3x3x4xf32>
}
