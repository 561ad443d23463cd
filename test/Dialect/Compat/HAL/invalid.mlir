// RUN: orzo-opt %s --split-input-file --verify-diagnostics

func.func @source(%a: i32) {
  // expected-error @+1 {{operand #0 must be}}
  %0 = hal.tensor.import %a : i32 -> tensor<4xf32>
  return
}

// -----

func.func @barrier(%a: tensor<4xf32>, %f: !hal.fence) {
  // expected-error @+1 {{has results of other types than its sources}}
  %0 = "hal.tensor.barrier"(%a, %f) : (tensor<4xf32>, !hal.fence) -> tensor<5xf32>
  return
}

// -----

func.func @unknown(%a: !hal.buffer_view) {
  // expected-error @+1 {{custom op 'hal.buffer_view.dim' is unknown}}
  %0 = hal.buffer_view.dim %a : index
  return
}
