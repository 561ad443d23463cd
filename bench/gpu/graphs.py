"""Small graphs that are checked, not timed: what epilogues, maps and reductions have ways for."""


class _Text:
    """A graph's text, line by line."""

    def __init__(self):
        self.lines, self.count = [], 0

    def add(self, what):
        self.lines.append(f"%{self.count} = {what}")
        self.count += 1
        return f"%{self.count - 1}"

    def input(self, elements, type="bf16"):
        return self.add(f"input {elements}:{type}")

    def convolution(self, direction, n, c, k, size, out, window, stride=1, pad=0, type="bf16"):
        """The result, and how many elements it has; operands are inputs."""
        pair = lambda values: f"{values[0]}x{values[1]}"
        elements = {"x": n * size[0] * size[1] * c, "w": k * window[0] * window[1] * c, "y": n * out[0] * out[1] * k}
        result = {"fprop": "y", "dgrad": "x", "wgrad": "w"}[direction]
        operands = [self.input(elements[name], type) for name in "xwy" if name != result]
        return self.add(f"conv.v1 {direction} n{n} c{c} k{k} g1 in{pair(size)} f{pair(window)} out{pair(out)} "
                        f"s{stride}x{stride} d1x1 p{pad}x{pad} x:nhwc:{type} w:krsc:{type} y:npqk:{type} acc:f32 "
                        f"({operands[0]}, {operands[1]})"), elements[result]

    def map(self, mode, elements, *operands, type="bf16"):
        strides = ":".join("1" for _ in range(len(operands) + 1))
        return self.add(f"{mode}({', '.join(operands)}) {elements}:{strides} :{type}")

    def bias(self, value, elements, channels, type="bf16", of="bf16"):
        bias = self.input(channels, of)
        return self.add(f"add({value}, {bias}) {elements // channels}:{channels}:0:{channels} {channels}:1:1:1 :{type}")

    def end(self, *outputs):
        return "\n".join(["graph.v1", *self.lines, "output " + " ".join(outputs)]) + "\n"


def _with_bias_and_residual(direction, *shape, channels, type="bf16", last="relu_fwd", **more):
    text = _Text()
    value, elements = text.convolution(direction, *shape, type=type, **more)
    value = text.bias(value, elements, channels, type)
    residual = text.input(elements, type)
    if last == "relu_bwd":
        return text.end(text.map("relu_bwd", elements, value, residual, type=type))
    value = text.map("add", elements, value, residual, type=type)
    return text.end(text.map("relu_fwd", elements, value, type=type))


def _two_residuals():
    text = _Text()
    value, elements = text.convolution("fprop", 4, 64, 320, (20, 20), (20, 20), (3, 3), pad=1)
    value = text.bias(value, elements, 320, of="f32")
    value = text.map("mul", elements, value, text.input(elements))
    return text.end(text.map("add", elements, value, text.input(elements)))


def _other_layout(channels):
    """The residual has its channels outermost, and the result is f32."""
    text = _Text()
    value, elements = text.convolution("fprop", 2, 40, channels, (9, 10), (9, 10), (3, 3), pad=1)
    value = text.bias(value, elements, channels)
    residual, area = text.input(elements, "f32"), 90
    return text.end(text.add(f"add({value}, {residual}) 2:{area * channels}:{area * channels}:{area * channels} "
                             f"{area}:{channels}:1:{channels} {channels}:1:{area}:1 :f32"))


def _accumulated_wgrad():
    text = _Text()
    value, elements = text.convolution("wgrad", 8, 64, 64, (28, 28), (28, 28), (3, 3), pad=1)
    return text.end(text.map("add", elements, value, text.input(elements, "f32"), type="f32"))


def _sum_beside():
    """Few summands: a sum over the stored result must not depend on how that is rounded."""
    text = _Text()
    value, elements = text.convolution("fprop", 2, 8, 64, (15, 14), (13, 14), (3, 1))
    value = text.map("relu_fwd", elements, value)
    sums = text.add(f"reduce_add({value}) {elements // 64}:64:0 64:1:1 :f32")
    return text.end(value, sums)


def _steps(inputs, *steps):
    text = _Text()
    for elements, type in inputs:
        text.input(elements, type)
    for step in steps:
        last = text.add(step)
    return text.end(last)


GRAPHS = {
    "bias residual f16": _with_bias_and_residual("fprop", 3, 72, 80, (13, 11), (13, 11), (3, 3), pad=1, channels=80,
                                                 type="f16"),
    "two residuals": _two_residuals(),
    "other layout": _other_layout(80),
    "other layout odd channels": _other_layout(45),
    "dgrad phases without taps": _with_bias_and_residual("dgrad", 2, 64, 72, (15, 16), (8, 8), (1, 1), stride=2, channels=64,
                                                         last="relu_bwd"),
    "dgrad phases": _with_bias_and_residual("dgrad", 2, 128, 72, (15, 15), (8, 8), (3, 3), stride=2, pad=1, channels=128,
                                            last="relu_bwd"),
    "wgrad accumulated": _accumulated_wgrad(),
    "sum beside": _sum_beside(),
    "map wide": _steps([(1048576, "bf16"), (256, "f32")], "add(%0, %1) 4096:256:0:256 256:1:1:1 :bf16",
                       "relu_fwd(%2) 1048576:1:1 :f16"),
    "map transposed": _steps([(60060, "bf16")], "add(%0, %0) 77:780:780:1 780:1:1:77 :f32"),
    "map of integers": _steps([(1001, "i8"), (1001, "i16")], "mul(%0, %1) 1001:1:1:1 :u8"),
    "sum of channels": _steps([(6422528, "bf16")], "reduce_add(%0) 25088:256:0 256:1:1 :f32"),
    "norm of all": _steps([(3211264, "bf16")], "reduce_norm2(%0) 3211264:1:0 :f32"),
    "maxima of rows": _steps([(6422528, "bf16")], "reduce_max(%0) 25088:256:1 256:1:0 :bf16"),
    "short averages": _steps([(49000, "f32")], "reduce_avg(%0) 7000:7:1 7:1:0 :f32"),
    "amax in the middle": _steps([(403200, "bf16")], "reduce_amax(%0) 12:33600:40 840:40:0 40:1:1 :bf16"),
}


def graphs():
    for name, text in GRAPHS.items():
        yield {"name": f"graph {name}", "family": "graph", "direction": "", "graph": text, "check": "device", "time": False}
