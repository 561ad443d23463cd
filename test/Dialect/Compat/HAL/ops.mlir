// RUN: orzo-opt %s > %t.once
// RUN: orzo-opt %t.once | diff %t.once -
// RUN: FileCheck %s < %t.once

// CHECK-LABEL: util.func public @f$async(
// CHECK-SAME: attributes {inlining_policy = #util.inline.never, iree.abi.model = "coarse-fences", iree.abi.stub}
util.func public @f$async(%a: !hal.buffer_view, %out: !hal.buffer_view, %wait: !hal.fence, %signal: !hal.fence)
    -> !hal.buffer_view attributes {inlining_policy = #util.inline.never, iree.abi.model = "coarse-fences", iree.abi.stub} {
  // CHECK: hal.tensor.import wait(%{{.*}}) => %{{.*}} : !hal.buffer_view -> tensor<4xf32>
  %0 = hal.tensor.import wait(%wait) => %a : !hal.buffer_view -> tensor<4xf32>
  // CHECK: hal.tensor.import %{{.*}} "x" : !hal.buffer_view -> tensor<4xf32>
  %1 = hal.tensor.import %a "x" : !hal.buffer_view -> tensor<4xf32>
  %n = arith.constant 4 : index
  // CHECK: hal.tensor.import %{{.*}} : !hal.buffer_view -> tensor<?xf32>{%{{.*}}}
  %2 = hal.tensor.import %a : !hal.buffer_view -> tensor<?xf32>{%n}
  // CHECK: hal.tensor.alias wait(%{{.*}}) => %{{.*}} : tensor<4xf32> to %{{.*}} : !hal.buffer_view
  %3 = hal.tensor.alias wait(%wait) => %0 : tensor<4xf32> to %out : !hal.buffer_view
  // CHECK: hal.tensor.barrier join(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>) => %{{.*}} : !hal.fence
  %4:2 = hal.tensor.barrier join(%3, %1 : tensor<4xf32>, tensor<4xf32>) => %signal : !hal.fence
  // CHECK: hal.tensor.export %{{.*}} "y" : tensor<4xf32> -> !hal.buffer_view
  %5 = hal.tensor.export %4#1 "y" : tensor<4xf32> -> !hal.buffer_view
  util.return %5 : !hal.buffer_view
}

// CHECK-LABEL: util.func public @f(
util.func public @f(%a: !hal.buffer_view, %out: !hal.buffer_view) attributes {iree.abi.stub} {
  // CHECK: util.null : !hal.fence
  %null = util.null : !hal.fence
  %forever = arith.constant -1 : i32
  %zero = arith.constant 0 : index
  // CHECK: hal.devices.get %{{.*}} : !hal.device
  %device = hal.devices.get %zero : !hal.device
  // CHECK: hal.fence.create device(%{{.*}} : !hal.device) flags("None") : !hal.fence
  %fence = hal.fence.create device(%device : !hal.device) flags("None") : !hal.fence
  // CHECK: util.call @f$async(
  %0 = util.call @f$async(%a, %out, %null, %fence) : (!hal.buffer_view, !hal.buffer_view, !hal.fence, !hal.fence) -> !hal.buffer_view
  // CHECK: hal.fence.await until([%{{.*}}]) timeout_millis(%{{.*}}) flags("None") : i32
  %status = hal.fence.await until([%fence]) timeout_millis(%forever) flags("None") : i32
  util.return
}
