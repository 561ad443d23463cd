util.func public @product(%a: !hal.buffer_view, %b: !hal.buffer_view) -> !hal.buffer_view {
  %0 = hal.tensor.import %a "input0" : !hal.buffer_view -> tensor<3x5xf32>
  %1 = hal.tensor.import %b "input1" : !hal.buffer_view -> tensor<5x4xf32>
  %init = arith.constant dense<0.0> : tensor<3x4xf32>
  %2 = linalg.matmul ins(%0, %1 : tensor<3x5xf32>, tensor<5x4xf32>) outs(%init : tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = hal.tensor.export %2 "output0" : tensor<3x4xf32> -> !hal.buffer_view
  util.return %3 : !hal.buffer_view
}
