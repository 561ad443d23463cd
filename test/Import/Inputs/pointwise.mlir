func.func @f(%a: !torch.vtensor<[3,5],f32>, %b: !torch.vtensor<[5,4],f32>) -> !torch.vtensor<[3,4],f32> {
    %0 = torch.aten.mm %a, %b : !torch.vtensor<[3,5],f32>, !torch.vtensor<[5,4],f32> -> !torch.vtensor<[3,4],f32>
    %1 = torch.aten.relu %0 : !torch.vtensor<[3,4],f32> -> !torch.vtensor<[3,4],f32>
    return %1 : !torch.vtensor<[3,4],f32>
}
