// RUN: orzo-opt %s > %t.once
// RUN: orzo-opt %t.once | diff %t.once -
// RUN: FileCheck %s < %t.once

// CHECK: util.func private @callee(tensor<4xf32>) -> tensor<4xf32>
util.func private @callee(tensor<4xf32>) -> tensor<4xf32>

// CHECK-LABEL: util.func public @f(%{{.*}}: tensor<4xf32> {iree.abi.name = "x"}) -> tensor<4xf32> attributes {inlining_policy = #util.inline.always}
util.func public @f(%a: tensor<4xf32> {iree.abi.name = "x"}) -> tensor<4xf32> attributes {inlining_policy = #util.inline.always} {
  // CHECK: util.call @callee(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = util.call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: util.optimization_barrier %{{.*}} : tensor<4xf32>
  %1 = util.optimization_barrier %0 : tensor<4xf32>
  // CHECK: util.return %{{.*}} : tensor<4xf32>
  util.return %1 : tensor<4xf32>
}
