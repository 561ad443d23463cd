// RUN: orzo-opt %s --pass-pipeline='builtin.module(func.func(orzo-fuse-maps))' --split-input-file --verify-diagnostics | FileCheck %s

// A chain goes into the epilogue; the bias is an extra, the residual another, and no memory is left between.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32>, %[[W:.*]]: tensor<5x3xf32>, %[[B:.*]]: tensor<5xf32>, %[[R:.*]]: tensor<20xbf16>)
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<4x5xbf16>
// CHECK-NEXT: %[[G:.*]] = gemm.contract ins(%[[X]], %[[W]] : {{.*}}) outs(%[[E]] : tensor<4x5xbf16>)
// CHECK-SAME: extras(%[[B]], %[[R]] : tensor<5xf32>, tensor<20xbf16> by [#gemm.elements<[4(0), 5(1)], from = 0>, #gemm.elements<[20(1)], from = 0>])
// CHECK-SAME: epilogue(%[[A:.*]]: f32, %[[BIAS:.*]]: f32, %[[RES:.*]]: f32) {
// CHECK-NEXT: %[[ONE:.*]] = arith.addf %[[A]], %[[BIAS]]
// CHECK-NEXT: %[[TWO:.*]] = arith.addf %[[ONE]], %[[RES]]
// CHECK-NEXT: gemm.yield %[[TWO]]
// CHECK: %[[F:.*]] = tensor.collapse_shape %[[G]]
// CHECK-NEXT: return %[[F]]
func.func @chain(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>, %b: tensor<5xf32>, %r: tensor<20xbf16>) -> tensor<20xbf16> {
  %0 = tensor.empty() : tensor<4x5xf32>
  %1 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<4x5xf32> into tensor<20xf32>
  %3 = tensor.empty() : tensor<20xf32>
  %4 = nest.map ins(%2, %b : tensor<20xf32>, tensor<5xf32>) outs(%3 : tensor<20xf32>)
         #nest.loops<[4(5, 0, 5), 5(1, 1, 1)], from = [0, 0, 0]> {
  ^bb0(%p: f32, %q: f32):
    %5 = arith.addf %p, %q : f32
    nest.yield %5 : f32
  } -> tensor<20xf32>
  %6 = tensor.empty() : tensor<20xbf16>
  %7 = nest.map ins(%4, %r : tensor<20xf32>, tensor<20xbf16>) outs(%6 : tensor<20xbf16>)
         #nest.loops<[20(1, 1, 1)], from = [0, 0, 0]> {
  ^bb0(%p: f32, %q: f32):
    %8 = arith.addf %p, %q : f32
    nest.yield %8 : f32
  } -> tensor<20xbf16>
  return %7 : tensor<20xbf16>
}

// -----

// The square of a product reads the accumulator twice.
// CHECK-LABEL: func.func @square
// CHECK: gemm.contract {{.*}} epilogue(%[[A:.*]]: f32) {
// CHECK-NEXT: arith.mulf %[[A]], %[[A]]
func.func @square(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>) -> tensor<4x5xf32> {
  %0 = tensor.empty() : tensor<4x5xf32>
  %1 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
  %2 = tensor.empty() : tensor<4x5xf32>
  %3 = nest.map ins(%1, %1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%2 : tensor<4x5xf32>)
         #nest.loops<[20(1, 1, 1)], from = [0, 0, 0]> {
  ^bb0(%p: f32, %q: f32):
    %4 = arith.mulf %p, %q : f32
    nest.yield %4 : f32
  } -> tensor<4x5xf32>
  return %3 : tensor<4x5xf32>
}

// -----

// The same product in two shapes is one operand; nothing is left of either.
// CHECK-LABEL: func.func @shapes
// CHECK: gemm.contract {{.*}} epilogue(%[[A:.*]]: f32) {
// CHECK-NEXT: arith.mulf %[[A]], %[[A]]
// CHECK-NOT: nest.map
func.func @shapes(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>) -> tensor<20xf32> {
  %0 = tensor.empty() : tensor<4x5xf32>
  %1 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<4x5xf32> into tensor<20xf32>
  %3 = tensor.empty() : tensor<20xf32>
  %4 = nest.map ins(%1, %2 : tensor<4x5xf32>, tensor<20xf32>) outs(%3 : tensor<20xf32>)
         #nest.loops<[20(1, 1, 1)], from = [0, 0, 0]> {
  ^bb0(%p: f32, %q: f32):
    %5 = arith.mulf %p, %q : f32
    nest.yield %5 : f32
  } -> tensor<20xf32>
  return %4 : tensor<20xf32>
}

// -----

// Nests of different loops become one: those of the reader, refined. The operand that both read is there once.
// CHECK-LABEL: func.func @nests
// CHECK: nest.reduce "add" ins(%[[X:.*]], %[[B:.*]] : tensor<24xf32>, tensor<4xf32>) outs({{.*}}) #nest.loops<[6(4, 0, 0), 4(1, 1, 1)], from = [0, 0, 0]> {
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %[[Q:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[P]], %[[Q]]
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[S]], %[[P]]
// CHECK-NEXT: nest.yield %[[T]]
func.func @nests(%x: tensor<24xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tensor.empty() : tensor<24xf32>
  %1 = nest.map ins(%x, %b : tensor<24xf32>, tensor<4xf32>) outs(%0 : tensor<24xf32>)
         #nest.loops<[6(4, 0, 4), 4(1, 1, 1)], from = [0, 0, 0]> {
  ^bb0(%p: f32, %q: f32):
    %2 = arith.mulf %p, %q : f32
    nest.yield %2 : f32
  } -> tensor<24xf32>
  %3 = tensor.empty() : tensor<24xf32>
  %4 = nest.map ins(%1, %x : tensor<24xf32>, tensor<24xf32>) outs(%3 : tensor<24xf32>)
         #nest.loops<[24(1, 1, 1)], from = [0, 0, 0]> {
  ^bb0(%p: f32, %q: f32):
    %5 = arith.addf %p, %q : f32
    nest.yield %5 : f32
  } -> tensor<24xf32>
  %6 = tensor.empty() : tensor<4xf32>
  %7 = nest.reduce "add" ins(%4 : tensor<24xf32>) outs(%6 : tensor<4xf32>) #nest.loops<[6(4, 0), 4(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    nest.yield %p : f32
  } -> tensor<4xf32>
  return %7 : tensor<4xf32>
}

// -----

// A bool holds 0 or 1, whatever was stored.
// CHECK-LABEL: func.func @bool
// CHECK: nest.map ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: %[[TRUE:.*]] = arith.cmpf une
// CHECK: %[[HELD:.*]] = arith.select %[[TRUE]]
// CHECK: arith.addf %[[HELD]], %[[HELD]]
func.func @bool(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xi1>
  %1 = nest.map ins(%x : tensor<8xf32>) outs(%0 : tensor<8xi1>) #nest.loops<[8(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    nest.yield %p : f32
  } -> tensor<8xi1>
  %2 = tensor.empty() : tensor<8xf32>
  %3 = nest.map ins(%1 : tensor<8xi1>) outs(%2 : tensor<8xf32>) #nest.loops<[8(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    %4 = arith.addf %p, %p : f32
    nest.yield %4 : f32
  } -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// What is an output is stored, and what lies in another order is not the epilogue's to write.
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-2: gemm.contract
// CHECK-COUNT-2: nest.map
func.func @stay(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<20xf32>) {
  %0 = tensor.empty() : tensor<4x5xf32>
  %1 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%0 : tensor<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
  %2 = tensor.empty() : tensor<4x5xf32>
  %3 = gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%2 : tensor<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]> -> tensor<4x5xf32>
  %4 = tensor.empty() : tensor<4x5xf32>
  // expected-remark @+1 {{nest.map is not computed with its operands: gemm.contract is read more than once, or is an output}}
  %5 = nest.map ins(%1 : tensor<4x5xf32>) outs(%4 : tensor<4x5xf32>) #nest.loops<[20(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    %6 = arith.addf %p, %p : f32
    nest.yield %6 : f32
  } -> tensor<4x5xf32>
  %7 = tensor.empty() : tensor<20xf32>
  // expected-remark @+1 {{nest.map is not computed with its operands: its result does not have the elements of gemm.contract in their order of memory}}
  %8 = nest.map ins(%3 : tensor<4x5xf32>) outs(%7 : tensor<20xf32>) #nest.loops<[5(1, 4), 4(5, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    nest.yield %p : f32
  } -> tensor<20xf32>
  return %1, %5, %8 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<20xf32>
}

// -----

// Strict rounding: a bf16 between is rounded to, an f32 is no rounding.
// CHECK-LABEL: func.func @strict
// CHECK: nest.map {{.*}} outs(%{{.*}} : tensor<8xbf16>)
// CHECK: nest.map {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: arith.addf
// CHECK: arith.mulf
func.func @strict(%x: tensor<8xf32>) -> tensor<8xf32> attributes {orzo.strict_rounding} {
  %0 = tensor.empty() : tensor<8xbf16>
  %1 = nest.map ins(%x : tensor<8xf32>) outs(%0 : tensor<8xbf16>) #nest.loops<[8(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    nest.yield %p : f32
  } -> tensor<8xbf16>
  %2 = tensor.empty() : tensor<8xf32>
  %3 = nest.map ins(%1 : tensor<8xbf16>) outs(%2 : tensor<8xf32>) #nest.loops<[8(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    %4 = arith.addf %p, %p : f32
    nest.yield %4 : f32
  } -> tensor<8xf32>
  %5 = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{nest.map is not computed with its operands: strict rounding makes nest.map a rounding point}}
  %6 = nest.map ins(%3 : tensor<8xf32>) outs(%5 : tensor<8xf32>) #nest.loops<[8(1, 1)], from = [0, 0]> {
  ^bb0(%p: f32):
    %7 = arith.mulf %p, %p : f32
    nest.yield %7 : f32
  } -> tensor<8xf32>
  return %6 : tensor<8xf32>
}
