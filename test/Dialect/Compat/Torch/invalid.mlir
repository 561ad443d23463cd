// RUN: orzo-opt %s --split-input-file --verify-diagnostics

func.func @unknown(%a: !torch.vtensor<[3],f32>) {
  // expected-error @+1 {{custom op 'torch.aten.frobnicate' is unknown}}
  %0 = torch.aten.frobnicate %a : !torch.vtensor<[3],f32> -> !torch.vtensor<[3],f32>
  return
}

// -----

// expected-error @+1 {{unknown torch type 'quux'}}
func.func @type(%a: !torch.quux) {
  return
}

// -----

// expected-error @+1 {{unknown torch type 'quux'}}
func.func @nested(%a: !torch.list<quux>) {
  return
}

// -----

// expected-error @+1 {{a size is at least 0, or ?; got -2}}
func.func @size(%a: !torch.vtensor<[-2],f32>) {
  return
}

// -----

func.func @types(%a: !torch.vtensor<[3],f32>) {
  // expected-error @+1 {{expected 2 operands, but found 1}}
  %0 = torch.aten.mm %a : !torch.vtensor<[3],f32> -> !torch.vtensor<[3],f32>
  return
}
