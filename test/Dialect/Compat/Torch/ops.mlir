// RUN: orzo-opt %s > %t.once
// RUN: orzo-opt %t.once | diff %t.once -
// RUN: FileCheck %s < %t.once

// CHECK-LABEL: func.func @types(
// CHECK-SAME: !torch.vtensor<[16,?,1],bf16>, %{{.*}}: !torch.tensor<[2],f32>, %{{.*}}: !torch.vtensor, %{{.*}}: !torch.vtensor,
func.func @types(%a: !torch.vtensor<[16,?,1],bf16>, %b: !torch.tensor<[2],f32>, %c: !torch.vtensor<*,unk>,
                 %d: !torch.vtensor, %e: !torch.tensor, %f: !torch.vtensor<[],si64>, %g: !torch.vtensor<*,f32>,
                 %h: !torch.list<optional<vtensor<[1],f32>>>, %i: !torch.optional<list<int>>, %j: !torch.number,
                 %k: !torch.Device) attributes {torch.assume_strict_symbolic_shapes} {
  return
}

// CHECK-LABEL: func.func @constants(
func.func @constants() {
  // CHECK: torch.constant.int -3
  %0 = torch.constant.int -3
  // CHECK: torch.constant.float 1.500000e+00
  %1 = torch.constant.float 1.5
  // CHECK: torch.constant.bool true
  %2 = torch.constant.bool true
  // CHECK: torch.constant.none
  %3 = torch.constant.none
  // CHECK: torch.constant.str "same"
  %4 = torch.constant.str "same"
  // CHECK: torch.constant.device "x"
  %5 = torch.constant.device "x"
  // CHECK: torch.prim.ListConstruct %{{.*}}, %{{.*}} : (!torch.int, !torch.int) -> !torch.list<int>
  %6 = torch.prim.ListConstruct %0, %0 : (!torch.int, !torch.int) -> !torch.list<int>
  // CHECK: torch.prim.ListConstruct : () -> !torch.list<int>
  %7 = torch.prim.ListConstruct  : () -> !torch.list<int>
  // CHECK: torch.vtensor.literal(dense<1.000000e+00> : tensor<1xf32>) : !torch.vtensor<[1],f32>
  %8 = torch.vtensor.literal(dense<0x3F800000> : tensor<1xf32>) : !torch.vtensor<[1],f32>
  return
}

// CHECK-LABEL: func.func @aten(
func.func @aten(%out: !torch.tensor<[3,4],f32>, %a: !torch.vtensor<[3,5],f32>, %b: !torch.vtensor<[5,4],f32>) {
  // CHECK: torch.aten.mm %{{.*}}, %{{.*}} : !torch.vtensor<[3,5],f32>, !torch.vtensor<[5,4],f32> -> !torch.vtensor<[3,4],f32>
  %0 = torch.aten.mm %a, %b : !torch.vtensor<[3,5],f32>, !torch.vtensor<[5,4],f32> -> !torch.vtensor<[3,4],f32>
  // CHECK: torch.aten.relu
  %1 = torch.aten.relu %0 : !torch.vtensor<[3,4],f32> -> !torch.vtensor<[3,4],f32>
  %one = torch.constant.int 1
  // CHECK: torch.aten.add.Tensor
  %2 = torch.aten.add.Tensor %0, %1, %one : !torch.vtensor<[3,4],f32>, !torch.vtensor<[3,4],f32>, !torch.int -> !torch.vtensor<[3,4],f32>
  %dims = torch.prim.ListConstruct %one : (!torch.int) -> !torch.list<int>
  %keep = torch.constant.bool true
  %none = torch.constant.none
  // CHECK: torch.aten.sum.dim_IntList
  %3 = torch.aten.sum.dim_IntList %2, %dims, %keep, %none : !torch.vtensor<[3,4],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[3,1],f32>
  // CHECK: torch.copy.to_vtensor %{{.*}} : !torch.vtensor<[3,4],f32>
  %4 = torch.copy.to_vtensor %out : !torch.vtensor<[3,4],f32>
  // CHECK: torch.overwrite.tensor.contents %{{.*}} overwrites %{{.*}} : !torch.vtensor<[3,4],f32>, !torch.tensor<[3,4],f32>
  torch.overwrite.tensor.contents %2 overwrites %out : !torch.vtensor<[3,4],f32>, !torch.tensor<[3,4],f32>
  return
}
