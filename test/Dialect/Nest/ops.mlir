// RUN: orzo-opt %s | orzo-opt | FileCheck %s

// CHECK-LABEL: func.func @bias
// CHECK: nest.map ins(%{{.*}}, %{{.*}} : tensor<144xbf16>, tensor<8xf32>) outs(%{{.*}} : tensor<144xbf16>) #nest.loops<[18(8, 0, 8), 8(1, 1, 1)], from = [0, 0, 0]> {
func.func @bias(%x: tensor<144xbf16>, %b: tensor<8xf32>, %o: tensor<144xbf16>) -> tensor<144xbf16> {
  %0 = nest.map ins(%x, %b : tensor<144xbf16>, tensor<8xf32>) outs(%o : tensor<144xbf16>)
         #nest.loops<[18(8, 0, 8), 8(1, 1, 1)], from = [0, 0, 0]> {
  ^bb0(%a: f32, %c: f32):
    %1 = arith.addf %a, %c : f32
    nest.yield %1 : f32
  } -> tensor<144xbf16>
  return %0 : tensor<144xbf16>
}

// CHECK-LABEL: func.func @constant
// CHECK: nest.map outs(%{{.*}} : memref<4xi1>) #nest.loops<[4(1)], from = [0]> {
func.func @constant(%o: memref<4xi1>) {
  nest.map outs(%o : memref<4xi1>) #nest.loops<[4(1)], from = [0]> {
    %0 = arith.constant 1.0 : f32
    nest.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func.func @sum
// CHECK: nest.reduce "add" ins(%{{.*}} : memref<6x2xf32>) outs(%{{.*}} : memref<2xf32>) #nest.loops<[6(2, 0), 2(1, 1)], from = [0, 0]> {
func.func @sum(%x: memref<6x2xf32>, %o: memref<2xf32>) {
  nest.reduce "add" ins(%x : memref<6x2xf32>) outs(%o : memref<2xf32>) #nest.loops<[6(2, 0), 2(1, 1)], from = [0, 0]> {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  return
}

// CHECK-LABEL: func.func @epilogue
// CHECK: gemm.contract ins({{.*}}) outs(%{{.*}} : memref<4x5xbf16>) extras(%{{.*}} : memref<5xf32> by [#gemm.elements<[4(0), 5(1)], from = 0>]) #gemm.contraction<
// CHECK-SAME: epilogue(%[[A:.*]]: f32, %[[B:.*]]: f32) {
// CHECK-NEXT: arith.addf %[[A]], %[[B]] : f32
func.func @epilogue(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xbf16>, %b: memref<5xf32>) {
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xbf16>)
    extras(%b : memref<5xf32> by [#gemm.elements<[4(0), 5(1)], from = 0>])
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
    epilogue(%a: f32, %c: f32) {
      %0 = arith.addf %a, %c : f32
      gemm.yield %0 : f32
    }
  return
}

// A mask is read as 0 and 1.
// CHECK-LABEL: func.func @mask
// CHECK: gemm.contract ins({{.*}}) outs(%{{.*}} : memref<4x5xf32>) extras(%{{.*}} : memref<20xi1> by [#gemm.elements<[20(1)], from = 0>])
func.func @mask(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>, %m: memref<20xi1>) {
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    extras(%m : memref<20xi1> by [#gemm.elements<[20(1)], from = 0>])
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
    epilogue(%a: f32, %c: f32) {
      %0 = arith.mulf %a, %c : f32
      gemm.yield %0 : f32
    }
  return
}
