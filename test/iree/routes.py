"""One strided input backward as two front ends lower it: a driver-command route and a graph route, IREE's ABI and all.

Both insert zeros between the elements of dy and mirror the filter, with other layouts, argument orders, zeros and wrappers;
the graph route may forget the mirror, as one front end once did.
"""


def _shape(*extents, element="bf16"):
    return "tensor<" + "x".join(map(str, extents)) + f"x{element}>"


def _fenced(name, parameters, returns, body):
    views = ", ".join(f"%v{i}: !hal.buffer_view" for i in range(parameters))
    values = ", ".join(f"%v{i}" for i in range(parameters))
    types = ", ".join(["!hal.buffer_view"] * parameters + ["!hal.fence"] * 2)
    result = " -> !hal.buffer_view" if returns else ""
    return f"""
  util.func public @{name}$async({views}, %wait: !hal.fence, %done: !hal.fence){result} attributes {{inlining_policy = #util.inline.never, iree.abi.model = "coarse-fences", iree.abi.stub}} {{
{body}
  }}
  util.func public @{name}({views}){result} attributes {{iree.abi.stub}} {{
    %before = util.null : !hal.fence
    %forever = arith.constant -1 : i32
    %zero = arith.constant 0 : index
    %device = hal.devices.get %zero : !hal.device
    %after = hal.fence.create device(%device : !hal.device) flags("None") : !hal.fence
    {"%out = " if returns else ""}util.call @{name}$async({values}, %before, %after) : ({types}) -> {"!hal.buffer_view" if returns else "()"}
    %status = hal.fence.await until([%after]) timeout_millis(%forever) flags("None") : i32
    util.return{" %out : !hal.buffer_view" if returns else ""}
  }}
"""


def _convolution(image, filter_, out, maps, types, loops):
    """The product and its rounding; `types` are those of image, filter and out without element."""
    extended = f"""
    ^bb0(%a: bf16, %b: bf16, %s: f32):
      %wide_a = arith.extf %a : bf16 to f32
      %wide_b = arith.extf %b : bf16 to f32
      %product = arith.mulf %wide_a, %wide_b : f32
      %total = arith.addf %s, %product : f32
      linalg.yield %total : f32"""
    wide, narrow = _shape(*types[2], element="f32"), _shape(*types[2])
    return f"""
    %nothing = arith.constant 0.0 : f32
    %wide = tensor.empty() : {wide}
    %start = linalg.fill ins(%nothing : f32) outs(%wide : {wide}) -> {wide}
    %sum = linalg.generic {{indexing_maps = [{", ".join(f"affine_map<({loops}) -> ({m})>" for m in maps)}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}} ins({image}, {filter_} : {_shape(*types[0])}, {_shape(*types[1])}) outs(%start : {wide}) {{{extended}
    }} -> {wide}
    %narrow = tensor.empty() : {narrow}
    {out} = linalg.generic {{indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}} ins(%sum : {wide}) outs(%narrow : {narrow}) {{
    ^bb0(%from: f32, %to: bf16):
      %rounded = arith.truncf %from : f32 to bf16
      linalg.yield %rounded : bf16
    }} -> {narrow}"""


def _mirror(value, into, shape, dim):
    """`value` from the far end of `dim`, in the way that reads by tensor.extract."""
    tensor, last = _shape(*shape), shape[dim] - 1
    indices = ", ".join(f"%i{d}" if d != dim else "%far" for d in range(4))
    return f"""
    %mirror_zero = arith.constant 0.0 : bf16
    %mirror_empty = tensor.empty() : {tensor}
    %mirror_start = linalg.fill ins(%mirror_zero : bf16) outs(%mirror_empty : {tensor}) -> {tensor}
    {into} = linalg.generic {{indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}} ins({value} : {tensor}) outs(%mirror_start : {tensor}) {{
    ^bb0(%one: bf16, %two: bf16):
      {" ".join(f"%i{d} = linalg.index {d} : index" + chr(10) for d in range(4))}
      %last = arith.constant {last} : index
      %far = arith.subi %last, %i{dim} : index
      %element = tensor.extract {value}[{indices}] : {tensor}
      linalg.yield %element : bf16
    }} -> {tensor}"""


def driver_route(n, c, k, out, filter_, stride):
    """(dy, not used, w) -> dx, in N H W C with H = 1; zeros are a constant."""
    size = (out - 1) * stride + filter_
    spread = size + filter_ - 1
    name = "backward_driver"
    body = f"""
    %dy = hal.tensor.import wait(%wait) => %v0 : !hal.buffer_view -> {_shape(n, 1, out, k)}
    %w = hal.tensor.import wait(%wait) => %v2 : !hal.buffer_view -> {_shape(k, 1, filter_, c)}
    %zeros = arith.constant dense<0.0> : {_shape(n, 1, spread, k)}
    %spread = tensor.insert_slice %dy into %zeros[0, 0, {filter_ - 1}, 0] [{n}, 1, {out}, {k}] [1, 1, {stride}, 1] : {_shape(n, 1, out, k)} into {_shape(n, 1, spread, k)}
    {_mirror("%w", "%mirrored", (k, 1, filter_, c), 2)}
    {_convolution("%spread", "%mirrored", "%dx",
                  ("n, h + r, w + s, k", "k, r, s, c", "n, h, w, c"),
                  ((n, 1, spread, k), (k, 1, filter_, c), (n, 1, size, c)), "n, h, w, c, k, r, s")}
    %joined = hal.tensor.barrier join(%dx : {_shape(n, 1, size, c)}) => %done : !hal.fence
    %view = hal.tensor.export %joined : {_shape(n, 1, size, c)} -> !hal.buffer_view
    util.return %view : !hal.buffer_view"""
    return name, "module {" + _fenced(name, 3, True, body) + "}\n"


def graph_route(n, c, k, out, filter_, stride, mirrors):
    """(dx, dy, w) -> (), in N W H C with H = 1, computed in N C H W; zeros are a fill."""
    size = (out - 1) * stride + filter_
    spread = size + filter_ - 1
    name = "backward_graph"
    flip = _mirror("%w_nchw", "%mirrored", (k, c, 1, filter_), 3) if mirrors else ""

    def transpose(value, into, source, target):
        return f"""
    {into}_empty = tensor.empty() : {_shape(*target)}
    {into} = linalg.transpose ins({value} : {_shape(*source)}) outs({into}_empty : {_shape(*target)}) permutation = [0, 3, 2, 1]"""
    body = f"""
    %dy = hal.tensor.import wait(%wait) => %v1 : !hal.buffer_view -> {_shape(n, out, 1, k)}
    %w = hal.tensor.import wait(%wait) => %v2 : !hal.buffer_view -> {_shape(k, filter_, 1, c)}
    {transpose("%dy", "%dy_nchw", (n, out, 1, k), (n, k, 1, out))}
    {transpose("%w", "%w_nchw", (k, filter_, 1, c), (k, c, 1, filter_))}
    %none = arith.constant 0.0 : bf16
    %space = tensor.empty() : {_shape(n, k, 1, spread)}
    %zeros = linalg.fill ins(%none : bf16) outs(%space : {_shape(n, k, 1, spread)}) -> {_shape(n, k, 1, spread)}
    %spread = tensor.insert_slice %dy_nchw into %zeros[0, 0, 0, {filter_ - 1}] [{n}, {k}, 1, {out}] [1, 1, 1, {stride}] : {_shape(n, k, 1, out)} into {_shape(n, k, 1, spread)}
    {flip}
    {_convolution("%spread", "%mirrored" if mirrors else "%w_nchw", "%dx_nchw",
                  ("n, k, h + r, w + s", "k, c, r, s", "n, c, h, w"),
                  ((n, k, 1, spread), (k, c, 1, filter_), (n, c, 1, size)), "n, c, h, w, k, r, s")}
    {transpose("%dx_nchw", "%dx", (n, c, 1, size), (n, size, 1, c))}
    %there = hal.tensor.alias wait(%wait) => %dx : {_shape(n, size, 1, c)} to %v0 : !hal.buffer_view
    %joined = hal.tensor.barrier join(%there : {_shape(n, size, 1, c)}) => %done : !hal.fence
    util.return"""
    return name, "module @module {" + _fenced(name, 3, False, body) + "}\n"
