module {
  util.func public @backward_driver$async(%v0: !hal.buffer_view, %v1: !hal.buffer_view, %v2: !hal.buffer_view, %wait: !hal.fence, %done: !hal.fence) -> !hal.buffer_view attributes {inlining_policy = #util.inline.never, iree.abi.model = "coarse-fences", iree.abi.stub} {
    %dy = hal.tensor.import wait(%wait) => %v0 : !hal.buffer_view -> tensor<2x1x8x16xbf16>
    %w = hal.tensor.import wait(%wait) => %v2 : !hal.buffer_view -> tensor<16x1x2x12xbf16>
    %zeros = arith.constant dense<0.0> : tensor<2x1x17x16xbf16>
    %spread = tensor.insert_slice %dy into %zeros[0, 0, 1, 0] [2, 1, 8, 16] [1, 1, 2, 1] : tensor<2x1x8x16xbf16> into tensor<2x1x17x16xbf16>
    %mirror_zero = arith.constant 0.0 : bf16
    %mirror_empty = tensor.empty() : tensor<16x1x2x12xbf16>
    %mirror_start = linalg.fill ins(%mirror_zero : bf16) outs(%mirror_empty : tensor<16x1x2x12xbf16>) -> tensor<16x1x2x12xbf16>
    %mirrored = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w : tensor<16x1x2x12xbf16>) outs(%mirror_start : tensor<16x1x2x12xbf16>) {
    ^bb0(%one: bf16, %two: bf16):
      %i0 = linalg.index 0 : index
 %i1 = linalg.index 1 : index
 %i2 = linalg.index 2 : index
 %i3 = linalg.index 3 : index
      %last = arith.constant 1 : index
      %far = arith.subi %last, %i2 : index
      %element = tensor.extract %w[%i0, %i1, %far, %i3] : tensor<16x1x2x12xbf16>
      linalg.yield %element : bf16
    } -> tensor<16x1x2x12xbf16>
    %nothing = arith.constant 0.0 : f32
    %wide = tensor.empty() : tensor<2x1x16x12xf32>
    %start = linalg.fill ins(%nothing : f32) outs(%wide : tensor<2x1x16x12xf32>) -> tensor<2x1x16x12xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, k, r, s) -> (n, h + r, w + s, k)>, affine_map<(n, h, w, c, k, r, s) -> (k, r, s, c)>, affine_map<(n, h, w, c, k, r, s) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%spread, %mirrored : tensor<2x1x17x16xbf16>, tensor<16x1x2x12xbf16>) outs(%start : tensor<2x1x16x12xf32>) {
    ^bb0(%a: bf16, %b: bf16, %s: f32):
      %wide_a = arith.extf %a : bf16 to f32
      %wide_b = arith.extf %b : bf16 to f32
      %product = arith.mulf %wide_a, %wide_b : f32
      %total = arith.addf %s, %product : f32
      linalg.yield %total : f32
    } -> tensor<2x1x16x12xf32>
    %narrow = tensor.empty() : tensor<2x1x16x12xbf16>
    %dx = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%sum : tensor<2x1x16x12xf32>) outs(%narrow : tensor<2x1x16x12xbf16>) {
    ^bb0(%from: f32, %to: bf16):
      %rounded = arith.truncf %from : f32 to bf16
      linalg.yield %rounded : bf16
    } -> tensor<2x1x16x12xbf16>
    %joined = hal.tensor.barrier join(%dx : tensor<2x1x16x12xbf16>) => %done : !hal.fence
    %view = hal.tensor.export %joined : tensor<2x1x16x12xbf16> -> !hal.buffer_view
    util.return %view : !hal.buffer_view
  }
  util.func public @backward_driver(%v0: !hal.buffer_view, %v1: !hal.buffer_view, %v2: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub} {
    %before = util.null : !hal.fence
    %forever = arith.constant -1 : i32
    %zero = arith.constant 0 : index
    %device = hal.devices.get %zero : !hal.device
    %after = hal.fence.create device(%device : !hal.device) flags("None") : !hal.fence
    %out = util.call @backward_driver$async(%v0, %v1, %v2, %before, %after) : (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.fence, !hal.fence) -> !hal.buffer_view
    %status = hal.fence.await until([%after]) timeout_millis(%forever) flags("None") : i32
    util.return %out : !hal.buffer_view
  }
}
