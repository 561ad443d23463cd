// RUN: orzo-opt %s --split-input-file --verify-diagnostics

// A layout with a letter that x does not have.
func.func @problem(%x: tensor<8x3xf32>, %w: tensor<4x3xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{has the letter 'k'; it may have}}
  %y = conv.fprop %x, %w : (tensor<8x3xf32>, tensor<4x3xf32>) -> tensor<8x4xf32>
    #conv.geometry<x = "nk", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<8x4xf32>
}

// -----

// A layout with a letter twice (C9 is met by the parser of layouts).
func.func @problem(%x: tensor<8x3xf32>, %w: tensor<4x3xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{has the letter 'n' twice}}
  %y = conv.fprop %x, %w : (tensor<8x3xf32>, tensor<4x3xf32>) -> tensor<8x4xf32>
    #conv.geometry<x = "nn", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<8x4xf32>
}

// -----

// A tensor of another rank than its layout.
func.func @problem(%x: tensor<8x3x1xf32>, %w: tensor<4x3xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{x has 3 dims, but its layout "nc" has 2}}
  %y = conv.fprop %x, %w : (tensor<8x3x1xf32>, tensor<4x3xf32>) -> tensor<8x4xf32>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<8x4xf32>
}

// -----

// An element type that is none of ours.
func.func @problem(%x: tensor<8x3xf64>, %w: tensor<4x3xf64>) -> tensor<8x4xf64> {
  // expected-error @+1 {{x: element type f64 is none of f32, bf16, f16}}
  %y = conv.fprop %x, %w : (tensor<8x3xf64>, tensor<4x3xf64>) -> tensor<8x4xf64>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<8x4xf64>
}

// -----

// An accumulate type that is none of ours.
func.func @problem(%x: tensor<8x3xf32>, %w: tensor<4x3xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{acc: element type f64 is none of f32, bf16, f16}}
  %y = conv.fprop %x, %w : (tensor<8x3xf32>, tensor<4x3xf32>) -> tensor<8x4xf32>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f64>
  return %y : tensor<8x4xf32>
}

// -----

// Tensors that disagree on the channels.
func.func @problem(%x: tensor<8x3xf32>, %w: tensor<4x5xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{w is 4x5, but the other tensors and groups make it 4x3 in layout "kc"}}
  %y = conv.fprop %x, %w : (tensor<8x3xf32>, tensor<4x5xf32>) -> tensor<8x4xf32>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<8x4xf32>
}

// -----

// Tensors that disagree on the batch.
func.func @problem(%x: tensor<8x3xf32>, %w: tensor<4x3xf32>) -> tensor<9x4xf32> {
  // expected-error @+1 {{y is 9x4, but the other tensors and groups make it 8x4 in layout "nk"}}
  %y = conv.fprop %x, %w : (tensor<8x3xf32>, tensor<4x3xf32>) -> tensor<9x4xf32>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<9x4xf32>
}

// -----

// C2: no channels.
func.func @problem(%x: tensor<8x0xf32>, %w: tensor<4x0xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{C2: c must be at least 1; got 0}}
  %y = conv.fprop %x, %w : (tensor<8x0xf32>, tensor<4x0xf32>) -> tensor<8x4xf32>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<8x4xf32>
}

// -----

// C3: no groups.
func.func @problem(%x: tensor<8x3xf32>, %w: tensor<4x3xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{C3: groups must be at least 1; got 0}}
  %y = conv.fprop %x, %w : (tensor<8x3xf32>, tensor<4x3xf32>) -> tensor<8x4xf32>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 0, acc = f32>
  return %y : tensor<8x4xf32>
}

// -----

// C5: too many spatial dims.
func.func @problem(%x: tensor<1xf32>, %w: tensor<1xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{geometry has 4 spatial dims; at most 3 work}}
  %y = conv.fprop %x, %w : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    #conv.geometry<x = "h", w = "r", y = "p", stride = [1, 1, 1, 1], dilation = [1, 1, 1, 1], pad_low = [0, 0, 0, 0], flip = [false, false, false, false], groups = 1, acc = f32>
  return %y : tensor<1xf32>
}

// -----

// C6: an empty spatial extent.
func.func @problem(%x: tensor<1x4x3xf32>, %w: tensor<2x2x3xf32>) -> tensor<1x0x2xf32> {
  // expected-error @+1 {{C6: the extent of y along p must be at least 1; got 0}}
  %y = conv.fprop %x, %w : (tensor<1x4x3xf32>, tensor<2x2x3xf32>) -> tensor<1x0x2xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [1], dilation = [1], pad_low = [0], flip = [false], groups = 1, acc = f32>
  return %y : tensor<1x0x2xf32>
}

// -----

// C7: stride 0.
func.func @problem(%x: tensor<1x4x3xf32>, %w: tensor<2x2x3xf32>) -> tensor<1x2x2xf32> {
  // expected-error @+1 {{C7: the stride along h must be at least 1; got 0}}
  %y = conv.fprop %x, %w : (tensor<1x4x3xf32>, tensor<2x2x3xf32>) -> tensor<1x2x2xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [0], dilation = [1], pad_low = [0], flip = [false], groups = 1, acc = f32>
  return %y : tensor<1x2x2xf32>
}

// -----

// C7: dilation 0.
func.func @problem(%x: tensor<1x4x3xf32>, %w: tensor<2x2x3xf32>) -> tensor<1x2x2xf32> {
  // expected-error @+1 {{C7: the dilation along h must be at least 1; got 0}}
  %y = conv.fprop %x, %w : (tensor<1x4x3xf32>, tensor<2x2x3xf32>) -> tensor<1x2x2xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [1], dilation = [0], pad_low = [0], flip = [false], groups = 1, acc = f32>
  return %y : tensor<1x2x2xf32>
}

// -----

// C10: a layout without a letter whose extent is not 1.
func.func @problem(%x: tensor<1x4x3xf32>, %w: tensor<2x2x3xf32>) -> tensor<1x3x2xf32> {
  // expected-error @+1 {{C10: the layout of x lacks 'g', whose extent is 2}}
  %y = conv.fprop %x, %w : (tensor<1x4x3xf32>, tensor<2x2x3xf32>) -> tensor<1x3x2xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [1], dilation = [1], pad_low = [0], flip = [false], groups = 2, acc = f32>
  return %y : tensor<1x3x2xf32>
}

// -----

// C11: operands of two types.
func.func @problem(%x: tensor<8x3xf32>, %w: tensor<4x3xbf16>) -> tensor<8x4xf32> {
  // expected-error @+1 {{C11: the operands of fprop must have one element type; got x f32 and w bf16}}
  %y = conv.fprop %x, %w : (tensor<8x3xf32>, tensor<4x3xbf16>) -> tensor<8x4xf32>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<8x4xf32>
}

// -----

// C12: an accumulate type other than f32.
func.func @problem(%x: tensor<8x3xbf16>, %w: tensor<4x3xbf16>) -> tensor<8x4xbf16> {
  // expected-error @+1 {{C12: the accumulate type must be f32; got bf16}}
  %y = conv.fprop %x, %w : (tensor<8x3xbf16>, tensor<4x3xbf16>) -> tensor<8x4xbf16>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = bf16>
  return %y : tensor<8x4xbf16>
}

// -----

// C13: a tensor of more than 2^62 bytes.
func.func @problem(%x: tensor<4611686018427387904x3xf32>, %w: tensor<4x3xf32>) -> tensor<4611686018427387904x4xf32> {
  // expected-error @+1 {{C13: x must have at most 2^62 bytes}}
  %y = conv.fprop %x, %w : (tensor<4611686018427387904x3xf32>, tensor<4x3xf32>) -> tensor<4611686018427387904x4xf32>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<4611686018427387904x4xf32>
}

// -----

// C14: positions that do not fit.
func.func @problem(%x: tensor<1x4x3xf32>, %w: tensor<2x2x3xf32>) -> tensor<1x2x2xf32> {
  // expected-error @+1 {{C14: positions along h must stay within 2^62}}
  %y = conv.fprop %x, %w : (tensor<1x4x3xf32>, tensor<2x2x3xf32>) -> tensor<1x2x2xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [1], dilation = [1], pad_low = [4611686018427387904], flip = [false], groups = 1, acc = f32>
  return %y : tensor<1x2x2xf32>
}

// -----

// C15: more work than can be counted.
func.func @problem(%x: tensor<1000000000x100000xf32>, %w: tensor<1000000x100000xf32>) -> tensor<1000000000x1000000xf32> {
  // expected-error @+1 {{C15: the problem must have at most 2^62 floating-point operations}}
  %y = conv.fprop %x, %w : (tensor<1000000000x100000xf32>, tensor<1000000x100000xf32>) -> tensor<1000000000x1000000xf32>
    #conv.geometry<x = "nc", w = "kc", y = "nk", groups = 1, acc = f32>
  return %y : tensor<1000000000x1000000xf32>
}

// -----

// Channels that do not fit 64 bits.
func.func @problem(%x: tensor<1x4x3xf32>, %w: tensor<2x2x3xf32>) -> tensor<1x3x2xf32> {
  // expected-error @+1 {{groups times the channels of one group must fit 64 bits}}
  %y = conv.fprop %x, %w : (tensor<1x4x3xf32>, tensor<2x2x3xf32>) -> tensor<1x3x2xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [1], dilation = [1], pad_low = [0], flip = [false], groups = 4611686018427387904, acc = f32>
  return %y : tensor<1x3x2xf32>
}

// -----

// The lists of the geometry have one length.
// expected-error @+1 {{stride, dilation, pad_low and flip need one entry per spatial dim each; got 1, 1, 2 and 1}}
func.func private @problem() attributes {geometry = #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0, 0], flip = [false], groups = 1, acc = f32>}

// -----

// expected-error @+1 {{expected true or false}}
func.func private @problem() attributes {geometry = #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0], flip = [maybe], groups = 1, acc = f32>}

// -----

// A text that is no problem.
// expected-error @+1 {{conv.v1}}
func.func private @problem() attributes {problem = #conv.spec<"conv.v9 fprop">}

// -----

// A text of a problem that breaks a constraint.
// expected-error @+1 {{C7: the stride along h must be at least 1; got 0}}
func.func private @problem() attributes {problem = #conv.spec<"conv.v1 fprop n1 c1 k1 g1 in4 f2 out3 s0 d1 p0 x:h:f32 w:r:f32 y:p:f32 acc:f32">}
