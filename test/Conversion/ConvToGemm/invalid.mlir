// RUN: orzo-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(orzo-conv-to-gemm{lowering=contract}))'

func.func @problem(%x: tensor<2x7x4xf32>, %w: tensor<3x3x4xf32>) -> tensor<2x4x3xf32> {
  // expected-error @+1 {{lowering 'contract' cannot compute this problem: taps, padding, dilation, flips or groups keep it from being one strided matrix product; 'implicit' can}}
  %y = conv.fprop %x, %w : (tensor<2x7x4xf32>, tensor<3x3x4xf32>) -> tensor<2x4x3xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [1], flip = [false],
                   groups = 1, acc = f32>
  return %y : tensor<2x4x3xf32>
}

// -----

func.func @problem(%w: tensor<3x1x4xf32>, %y: tensor<1x3x3xf32>) -> tensor<1x5x4xf32> {
  // expected-error @+1 {{lowering 'contract' cannot compute this problem}}
  %x = conv.dgrad %w, %y : (tensor<3x1x4xf32>, tensor<1x3x3xf32>) -> tensor<1x5x4xf32>
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0], flip = [false],
                   groups = 1, acc = f32>
  return %x : tensor<1x5x4xf32>
}
