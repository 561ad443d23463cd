module @module {
  util.func public @backward_graph$async(%v0: !hal.buffer_view, %v1: !hal.buffer_view, %v2: !hal.buffer_view, %wait: !hal.fence, %done: !hal.fence) attributes {inlining_policy = #util.inline.never, iree.abi.model = "coarse-fences", iree.abi.stub} {
    %dy = hal.tensor.import wait(%wait) => %v1 : !hal.buffer_view -> tensor<2x8x1x16xbf16>
    %w = hal.tensor.import wait(%wait) => %v2 : !hal.buffer_view -> tensor<16x2x1x12xbf16>
    %dy_nchw_empty = tensor.empty() : tensor<2x16x1x8xbf16>
    %dy_nchw = linalg.transpose ins(%dy : tensor<2x8x1x16xbf16>) outs(%dy_nchw_empty : tensor<2x16x1x8xbf16>) permutation = [0, 3, 2, 1]
    %w_nchw_empty = tensor.empty() : tensor<16x12x1x2xbf16>
    %w_nchw = linalg.transpose ins(%w : tensor<16x2x1x12xbf16>) outs(%w_nchw_empty : tensor<16x12x1x2xbf16>) permutation = [0, 3, 2, 1]
    %none = arith.constant 0.0 : bf16
    %space = tensor.empty() : tensor<2x16x1x17xbf16>
    %zeros = linalg.fill ins(%none : bf16) outs(%space : tensor<2x16x1x17xbf16>) -> tensor<2x16x1x17xbf16>
    %spread = tensor.insert_slice %dy_nchw into %zeros[0, 0, 0, 1] [2, 16, 1, 8] [1, 1, 1, 2] : tensor<2x16x1x8xbf16> into tensor<2x16x1x17xbf16>
    %mirror_zero = arith.constant 0.0 : bf16
    %mirror_empty = tensor.empty() : tensor<16x12x1x2xbf16>
    %mirror_start = linalg.fill ins(%mirror_zero : bf16) outs(%mirror_empty : tensor<16x12x1x2xbf16>) -> tensor<16x12x1x2xbf16>
    %mirrored = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w_nchw : tensor<16x12x1x2xbf16>) outs(%mirror_start : tensor<16x12x1x2xbf16>) {
    ^bb0(%one: bf16, %two: bf16):
      %i0 = linalg.index 0 : index
 %i1 = linalg.index 1 : index
 %i2 = linalg.index 2 : index
 %i3 = linalg.index 3 : index
      %last = arith.constant 1 : index
      %far = arith.subi %last, %i3 : index
      %element = tensor.extract %w_nchw[%i0, %i1, %i2, %far] : tensor<16x12x1x2xbf16>
      linalg.yield %element : bf16
    } -> tensor<16x12x1x2xbf16>
    %nothing = arith.constant 0.0 : f32
    %wide = tensor.empty() : tensor<2x12x1x16xf32>
    %start = linalg.fill ins(%nothing : f32) outs(%wide : tensor<2x12x1x16xf32>) -> tensor<2x12x1x16xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(n, c, h, w, k, r, s) -> (n, k, h + r, w + s)>, affine_map<(n, c, h, w, k, r, s) -> (k, c, r, s)>, affine_map<(n, c, h, w, k, r, s) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%spread, %mirrored : tensor<2x16x1x17xbf16>, tensor<16x12x1x2xbf16>) outs(%start : tensor<2x12x1x16xf32>) {
    ^bb0(%a: bf16, %b: bf16, %s: f32):
      %wide_a = arith.extf %a : bf16 to f32
      %wide_b = arith.extf %b : bf16 to f32
      %product = arith.mulf %wide_a, %wide_b : f32
      %total = arith.addf %s, %product : f32
      linalg.yield %total : f32
    } -> tensor<2x12x1x16xf32>
    %narrow = tensor.empty() : tensor<2x12x1x16xbf16>
    %dx_nchw = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sum : tensor<2x12x1x16xf32>) outs(%narrow : tensor<2x12x1x16xbf16>) {
    ^bb0(%from: f32, %to: bf16):
      %rounded = arith.truncf %from : f32 to bf16
      linalg.yield %rounded : bf16
    } -> tensor<2x12x1x16xbf16>
    %dx_empty = tensor.empty() : tensor<2x16x1x12xbf16>
    %dx = linalg.transpose ins(%dx_nchw : tensor<2x12x1x16xbf16>) outs(%dx_empty : tensor<2x16x1x12xbf16>) permutation = [0, 3, 2, 1]
    %there = hal.tensor.alias wait(%wait) => %dx : tensor<2x16x1x12xbf16> to %v0 : !hal.buffer_view
    %joined = hal.tensor.barrier join(%there : tensor<2x16x1x12xbf16>) => %done : !hal.fence
    util.return
  }
  util.func public @backward_graph(%v0: !hal.buffer_view, %v1: !hal.buffer_view, %v2: !hal.buffer_view) attributes {iree.abi.stub} {
    %before = util.null : !hal.fence
    %forever = arith.constant -1 : i32
    %zero = arith.constant 0 : index
    %device = hal.devices.get %zero : !hal.device
    %after = hal.fence.create device(%device : !hal.device) flags("None") : !hal.fence
    util.call @backward_graph$async(%v0, %v1, %v2, %before, %after) : (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.fence, !hal.fence) -> ()
    %status = hal.fence.await until([%after]) timeout_millis(%forever) flags("None") : i32
    util.return
  }
}
