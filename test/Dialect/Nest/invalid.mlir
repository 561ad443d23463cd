// RUN: orzo-opt %s --split-input-file --verify-diagnostics

func.func @columns(%x: memref<4xf32>, %o: memref<4xf32>) {
  // expected-error @+1 {{has 2 operands, but strides of 1}}
  nest.map ins(%x : memref<4xf32>) outs(%o : memref<4xf32>) #nest.loops<[4(1)], from = [0]> {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  return
}

// -----

func.func @strides(%o: memref<4xf32>) {
  // expected-error @+1 {{every loop needs as many strides as there are numbers in `from`}}
  nest.map outs(%o : memref<4xf32>) #nest.loops<[4(1, 1)], from = [0]> {
    %0 = arith.constant 1.0 : f32
    nest.yield %0 : f32
  }
  return
}

// -----

func.func @outside(%x: memref<4xf32>, %o: memref<4xf32>) {
  // expected-error @+1 {{operand 0 has 4 elements, but the loops leave it}}
  nest.map ins(%x : memref<4xf32>) outs(%o : memref<4xf32>) #nest.loops<[4(1, 1)], from = [1, 0]> {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  return
}

// -----

func.func @before(%x: memref<4xf32>, %o: memref<4xf32>) {
  // expected-error @+1 {{operand 0 has 4 elements, but the loops leave it}}
  nest.map ins(%x : memref<4xf32>) outs(%o : memref<4xf32>) #nest.loops<[4(-1, 1)], from = [0, 0]> {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  return
}

// -----

func.func @type(%x: memref<4xi64>, %o: memref<4xui64>) {
  // expected-error @+1 {{has no use for elements of type 'ui64'}}
  nest.map ins(%x : memref<4xi64>) outs(%o : memref<4xui64>) #nest.loops<[4(1, 1)], from = [0, 0]> {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  return
}

// -----

func.func @body(%x: memref<4xf32>, %o: memref<4xf32>) {
  // expected-error @+1 {{body takes one f32 of every input}}
  nest.map ins(%x : memref<4xf32>) outs(%o : memref<4xf32>) #nest.loops<[4(1, 1)], from = [0, 0]> {
    %0 = arith.constant 1.0 : f32
    nest.yield %0 : f32
  }
  return
}

// -----

func.func @mode(%x: memref<4xf32>, %o: memref<1xf32>) {
  // expected-error @+1 {{mode "median" is no reduction}}
  nest.reduce "median" ins(%x : memref<4xf32>) outs(%o : memref<1xf32>) #nest.loops<[4(1, 0)], from = [0, 0]> {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  return
}

// -----

func.func @map(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>, %b: memref<5xf32>) {
  // expected-error @+1 {{extra 0 has a map of 10 elements, out has 20}}
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    extras(%b : memref<5xf32> by [#gemm.elements<[2(0), 5(1)], from = 0>])
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
    epilogue(%a: f32, %c: f32) {
      gemm.yield %c : f32
    }
  return
}

// -----

func.func @reach(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>, %b: memref<5xf32>) {
  // expected-error @+1 {{extra 0 has 5 elements, but its map reaches element 7}}
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    extras(%b : memref<5xf32> by [#gemm.elements<[4(1), 5(1)], from = 0>])
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
    epilogue(%a: f32, %c: f32) {
      gemm.yield %c : f32
    }
  return
}

// -----

func.func @arguments(%x: memref<4x3xf32>, %w: memref<5x3xf32>, %y: memref<4x5xf32>, %b: memref<5xf32>) {
  // expected-error @+1 {{epilogue takes the f32 accumulator and one f32 of every extra}}
  gemm.contract ins(%x, %w : memref<4x3xf32>, memref<5x3xf32>) outs(%y : memref<4x5xf32>)
    extras(%b : memref<5xf32> by [#gemm.elements<[4(0), 5(1)], from = 0>])
    #gemm.contraction<y = x * w, batch = [], m = [4(3, 0, 5)], n = [5(0, 3, 1)], k = [3(1, 1, 0)]>
    epilogue(%a: f32) {
      gemm.yield %a : f32
    }
  return
}

// -----

// A reduction of nothing still writes what it keeps.
func.func @kept(%x: memref<0xf32>, %o: memref<1xf32>) {
  // expected-error @+1 {{operand 1 has 1 elements, but the loops leave it}}
  nest.reduce "add" ins(%x : memref<0xf32>) outs(%o : memref<1xf32>) #nest.loops<[0(1, 0), 100(0, 1)], from = [0, 0]> {
  ^bb0(%a: f32):
    nest.yield %a : f32
  }
  return
}
