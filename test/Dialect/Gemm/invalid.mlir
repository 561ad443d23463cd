// RUN: orzo-opt %s --split-input-file --verify-diagnostics

func.func @mixed(%x: tensor<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>) {
  // expected-error @+1 {{needs all operands to be tensors, or all to be memrefs, of static shape}}
  gemm.contract ins(%x, %w : tensor<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
  return
}

// -----

func.func @dynamic(%x: memref<?x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>) {
  // expected-error @+1 {{needs all operands to be tensors, or all to be memrefs, of static shape}}
  gemm.contract ins(%x, %w : memref<?x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
  return
}

// -----

func.func @type(%x: memref<4x3xf64>, %w: memref<5x3xf32>, %y: memref<4x5xf32>) {
  // expected-error @+1 {{element type f64 is none of f32, bf16, f16}}
  gemm.contract ins(%x, %w : memref<4x3xf64>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
  return
}

// -----

func.func @no_result(%x: tensor<4x3xf32>, %w: tensor<5x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+1 {{number of tensor results (0) to be equal to the number of output tensors (1)}}
  gemm.contract ins(%x, %w : tensor<4x3xf32>, tensor<5x3xf32>) outs(%y : tensor<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
  return
}

// -----

func.func @reach(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>) {
  // expected-error @+1 {{lhs has 12 elements, but the contraction reaches element 14}}
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(4, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
  return
}

// -----

func.func @overflow(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>) {
  // expected-error @+1 {{out has 20 elements, but the contraction reaches element 9223372036854775807}}
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 6148914691236517206)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
  return
}

// -----

func.func @negative(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>) {
  // expected-error @+1 {{has a negative extent or stride in its contraction}}
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(-1, 1, 0)]>
  return
}

// -----

func.func @epilogue_type(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>, %c: f32) {
  // expected-error @+1 {{epilogue takes the f32 accumulator and one f32 of every extra}}
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
    epilogue(%acc: bf16) {
      gemm.yield %c : f32
    }
  return
}

// -----

func.func @shape(%x: memref<1x5x5xf32>, %w: memref<3x3x4xf32>, %y: memref<1x3x3xf32>) {
  // expected-error @+1 {{lhs is 'memref<1x5x5xf32>', but the problem's x is 'tensor<1x5x4xf32>'}}
  gemm.implicit ins(%x, %w : memref<1x5x5xf32>, memref<3x3x4xf32>) outs(%y : memref<1x3x3xf32>)
    #conv.spec<"conv.v1 fprop n1 c4 k3 g1 in5 f3 out3 s2 d1 p1 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32">
  return
}

// -----

func.func @element(%x: memref<1x5x4xbf16>, %w: memref<3x3x4xf32>, %y: memref<1x3x3xf32>) {
  // expected-error @+1 {{lhs is 'memref<1x5x4xbf16>', but the problem's x is 'tensor<1x5x4xf32>'}}
  gemm.implicit ins(%x, %w : memref<1x5x4xbf16>, memref<3x3x4xf32>) outs(%y : memref<1x3x3xf32>)
    #conv.spec<"conv.v1 fprop n1 c4 k3 g1 in5 f3 out3 s2 d1 p1 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32">
  return
}

// -----

func.func @direction(%x: memref<1x5x4xf32>, %w: memref<3x3x4xf32>, %y: memref<1x3x3xf32>) {
  // expected-error @+1 {{does not compute a wgrad; gemm.wgrad does}}
  gemm.implicit ins(%x, %y : memref<1x5x4xf32>, memref<1x3x3xf32>) outs(%w : memref<3x3x4xf32>)
    #conv.spec<"conv.v1 wgrad n1 c4 k3 g1 in5 f3 out3 s2 d1 p1 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32">
  return
}

// -----

func.func @direction(%x: memref<1x5x4xf32>, %w: memref<3x3x4xf32>, %y: memref<1x3x3xf32>) {
  // expected-error @+1 {{does not compute a fprop; gemm.implicit does}}
  gemm.wgrad ins(%x, %w : memref<1x5x4xf32>, memref<3x3x4xf32>) outs(%y : memref<1x3x3xf32>)
    #conv.spec<"conv.v1 fprop n1 c4 k3 g1 in5 f3 out3 s2 d1 p1 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32">
  return
}

// -----

func.func @phases(%y: memref<1x3x3xf32>, %w: memref<3x3x4xf32>, %x: memref<1x5x4xf32>) {
  // expected-error @+1 {{the problem does not have 3 phases}}
  gemm.implicit ins(%y, %w : memref<1x3x3xf32>, memref<3x3x4xf32>) outs(%x : memref<1x5x4xf32>) phases(3)
    #conv.spec<"conv.v1 dgrad n1 c4 k3 g1 in5 f3 out3 s2 d1 p1 x:nhc:f32 w:krc:f32 y:npk:f32 acc:f32">
  return
}

// -----

func.func @role(%y: memref<1x3x3xf32>) {
  // expected-error @+1 {{expected x, w or y}}
  gemm.contract ins(%y, %y : memref<1x3x3xf32>, memref<1x3x3xf32>) outs(%y : memref<1x3x3xf32>) #gemm.contraction<z = x * w>
  return
}

// -----

func.func @operands(%y: memref<1x3x3xf32>) {
  // expected-error @+1 {{expected two operands in ins and one in outs}}
  gemm.contract ins(%y : memref<1x3x3xf32>) outs(%y : memref<1x3x3xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [], n = [], k = []>
  return
}

// -----

func.func @attribute(%y: memref<1x3x3xf32>) {
  // expected-error @+1 {{requires attribute 'problem'}}
  gemm.contract ins(%y, %y : memref<1x3x3xf32>, memref<1x3x3xf32>) outs(%y : memref<1x3x3xf32>) 7
  return
}
