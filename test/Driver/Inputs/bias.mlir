func.func @bias(%x: tensor<4x8xf32>, %b: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %0 = tensor.empty() : tensor<4x8xbf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
       ins(%x, %b : tensor<4x8xf32>, tensor<8xbf16>) outs(%0 : tensor<4x8xbf16>) {
  ^bb0(%p: f32, %q: bf16, %o: bf16):
    %2 = arith.extf %q : bf16 to f32
    %3 = arith.addf %p, %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<4x8xbf16>
  return %1 : tensor<4x8xbf16>
}
