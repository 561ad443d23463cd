// RUN: orzo-opt %s --split-input-file --verify-diagnostics

func.func @foreign(%x: tensor<4xf32>) {
  // expected-error @+1 {{yields what it does not compute, or yields it twice}}
  %0 = dispatch.region -> tensor<4xf32> {
    dispatch.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @unyielded(%x: tensor<4xf32>, %o: tensor<4xf32>) {
  dispatch.region {
    // expected-error @+1 {{computes what its dispatch.region does not yield}}
    %0 = nest.map ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) #nest.loops<[4(1, 1)], from = [0, 0]> {
    ^bb0(%a: f32):
      nest.yield %a : f32
    } -> tensor<4xf32>
    dispatch.yield
  }
  return
}

// -----

func.func @region(%x: tensor<4xf32>) {
  // expected-error @+1 {{does not yield values of its result types}}
  %0 = dispatch.region -> tensor<5xf32> {
    dispatch.yield %x : tensor<4xf32>
  }
  return
}

// -----

// expected-error @+1 {{has no results: a kernel writes its slots}}
dispatch.func @kernel(%x: memref<4xf32>) -> memref<4xf32> {
  dispatch.return
}

// -----

// expected-error @+1 {{takes memrefs of static shape, not 'tensor<4xf32>'}}
dispatch.func @kernel(%x: tensor<4xf32>) {
  dispatch.return
}

// -----

// expected-error @+1 {{takes memrefs of static shape, not 'memref<?xf32>'}}
dispatch.func @kernel(%x: memref<?xf32>) {
  dispatch.return
}

// -----

// expected-error @+1 {{holds the ops of a kernel and dispatch.return}}
dispatch.func @kernel(%x: memref<4xf32>) {
  dispatch.return
}

// -----

// expected-error @+1 {{has a slot that no op uses, number 1}}
dispatch.func @kernel(%x: memref<4x3xf32>, %v: memref<4xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>) {
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
  dispatch.return
}

// -----

dispatch.program @problem lowering "contract" because "it is one"
    of "conv.v1 fprop n4 c3 k5 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32" {
  %c = "dispatch.binding"() <{name = "x", layout = "nc"}> : () -> memref<4x3xf32>
  // expected-error @+1 {{is no slot or step of a dispatch.program}}
  %0 = arith.constant 1.0 : f32
}

// -----

dispatch.program @problem lowering "contract" because "it is one"
    of "conv.v1 fprop n4 c3 k5 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32" {
  // expected-error @+1 {{ends at byte 48 of a workspace of 0 bytes}}
  %t = dispatch.workspace offset 0 : memref<4x3xf32>
}

// -----

dispatch.program @problem lowering "contract" because "it is one"
    of "conv.v1 fprop n4 c3 k5 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32" workspace 256 {
  // expected-error @+1 {{offset 32 is no multiple of 64}}
  %x = dispatch.workspace offset 32 : memref<4x3xf32>
}

// -----

dispatch.program @problem lowering "contract" because "it is one"
    of "conv.v1 fprop n4 c3 k5 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32" workspace 256 {
  // expected-error @+1 {{offset -64 is no multiple of 64}}
  %x = dispatch.workspace offset -64 : memref<4x3xf32>
}

// -----

func.func @run(%x: memref<4x3xf32>) {
  // expected-error @+1 {{names no dispatch.func: @kernel}}
  dispatch.run @kernel ins() outs(%x : memref<4x3xf32>)
  return
}

// -----

dispatch.func @kernel(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>) {
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
  dispatch.return
}

func.func @run(%x: memref<4x3xf32>) {
  // expected-error @+1 {{passes 1 slots to @kernel, which takes 3}}
  dispatch.run @kernel ins() outs(%x : memref<4x3xf32>)
  return
}

// -----

dispatch.func @kernel(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>) {
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
  dispatch.return
}

func.func @run(%x: memref<4x3xf32>, %y: memref<4x5xf32>) {
  // expected-error @+1 {{passes 'memref<4x3xf32>' to @kernel, which takes 'memref<5x3xf32>'}}
  dispatch.run @kernel ins(%x, %x : memref<4x3xf32>, memref<4x3xf32>) outs(%y : memref<4x5xf32>)
  return
}

// -----

func.func @copy(%a: memref<5x3xf32>, %b: memref<5x3xbf16>) {
  // expected-error @+1 {{copies between different element types}}
  dispatch.copy "copy" ins(%a : memref<5x3xf32>) outs(%b : memref<5x3xbf16>) extents [5, 3] from 0 [3, 1] to 0 [3, 1]
  return
}

// -----

func.func @copy(%a: memref<5x3xf32>, %b: memref<5x3xf32>) {
  // expected-error @+1 {{needs one source and one target stride per extent}}
  dispatch.copy "copy" ins(%a : memref<5x3xf32>) outs(%b : memref<5x3xf32>) extents [5, 3] from 0 [3] to 0 [3, 1]
  return
}

// -----

func.func @copy(%a: memref<5x3xf32>, %b: memref<5x3xf32>) {
  // expected-error @+1 {{has a negative extent}}
  dispatch.copy "copy" ins(%a : memref<5x3xf32>) outs(%b : memref<5x3xf32>) extents [-5, 3] from 0 [3, 1] to 0 [3, 1]
  return
}

// -----

func.func @copy(%a: memref<5x3xf32>, %b: memref<5x3xf32>) {
  // expected-error @+1 {{reads or writes outside of its source, which has 15 elements}}
  dispatch.copy "copy" ins(%a : memref<5x3xf32>) outs(%b : memref<5x3xf32>) extents [5, 3] from 1 [3, 1] to 0 [3, 1]
  return
}

// -----

func.func @copy(%a: memref<5x3xf32>, %b: memref<5x3xf32>) {
  // expected-error @+1 {{reads or writes outside of its source, which has 15 elements}}
  dispatch.copy "copy" ins(%a : memref<5x3xf32>) outs(%b : memref<5x3xf32>) extents [5, 3] from 0 [-3, 1] to 0 [3, 1]
  return
}

// -----

func.func @copy(%a: memref<5x3xf32>, %b: memref<5x3xf32>) {
  // expected-error @+1 {{reads or writes outside of its target, which has 15 elements}}
  dispatch.copy "copy" ins(%a : memref<5x3xf32>) outs(%b : memref<5x3xf32>) extents [5, 3] from 0 [3, 1] to 0 [4, 1]
  return
}

// -----

func.func @copy(%a: memref<5x3xf32>, %b: memref<5x3xf32>) {
  // expected-error @+1 {{reads or writes outside of its source, which has 15 elements}}
  dispatch.copy "copy" ins(%a : memref<5x3xf32>) outs(%b : memref<5x3xf32>) extents [5, 4611686018427387904] from 0 [3, 1] to 0 [3, 4]
  return
}

// -----

func.func @fill(%a: memref<4xf32>) {
  // expected-error @+1 {{attribute 'byte' failed to satisfy constraint}}
  dispatch.fill "fill" outs(%a : memref<4xf32>) byte 256
  return
}
