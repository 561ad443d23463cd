module {
  func.func @grad(%dx: !torch.tensor<[2,10,1,4],f32>, %y: !torch.vtensor<[2,5,1,6],f32>, %w: !torch.vtensor<[6,2,1,4],f32>) {
    %zero = torch.constant.int 0
    %one = torch.constant.int 1
    %two = torch.constant.int 2
    %three = torch.constant.int 3
    %four = torch.constant.int 4
    %ten = torch.constant.int 10
    %float = torch.constant.int 6
    %none = torch.constant.none
    %yes = torch.constant.bool true
    %no = torch.constant.bool false
    %perm = torch.prim.ListConstruct %zero, %three, %two, %one : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %stride = torch.prim.ListConstruct %one, %two : (!torch.int, !torch.int) -> !torch.list<int>
    %pad = torch.prim.ListConstruct %zero, %zero : (!torch.int, !torch.int) -> !torch.list<int>
    %ones = torch.prim.ListConstruct %one : (!torch.int) -> !torch.list<int>
    %empty = torch.prim.ListConstruct : () -> !torch.list<int>
    %mask = torch.prim.ListConstruct %yes, %no, %no : (!torch.bool, !torch.bool, !torch.bool) -> !torch.list<bool>
    %sizes = torch.prim.ListConstruct %two, %four, %one, %ten : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %y0 = torch.aten.permute %y, %perm : !torch.vtensor<[2,5,1,6],f32>, !torch.list<int> -> !torch.vtensor<[2,6,1,5],f32>
    %w0 = torch.aten.permute %w, %perm : !torch.vtensor<[6,2,1,4],f32>, !torch.list<int> -> !torch.vtensor<[6,4,1,2],f32>
    %x0 = torch.aten.empty.memory_format %sizes, %float, %none, %none, %none, %none : !torch.list<int>, !torch.int, !torch.none, !torch.none, !torch.none, !torch.none -> !torch.vtensor<[2,4,1,10],f32>
    %g0, %g1, %g2 = torch.aten.convolution_backward %y0, %x0, %w0, %none, %stride, %pad, %ones, %no, %empty, %one, %mask : !torch.vtensor<[2,6,1,5],f32>, !torch.vtensor<[2,4,1,10],f32>, !torch.vtensor<[6,4,1,2],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int, !torch.list<bool> -> !torch.vtensor<[2,4,1,10],f32>, !torch.none, !torch.none
    %g = torch.aten.permute %g0, %perm : !torch.vtensor<[2,4,1,10],f32>, !torch.list<int> -> !torch.vtensor<[2,10,1,4],f32>
    torch.overwrite.tensor.contents %g overwrites %dx : !torch.vtensor<[2,10,1,4],f32>, !torch.tensor<[2,10,1,4],f32>
    return
  }
}
