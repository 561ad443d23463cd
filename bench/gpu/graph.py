"""A graph's text evaluated by PyTorch, step by step in the type of its inputs, whatever its values' declared types are."""

import re

import torch

from bound import Guarded

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "u8": torch.uint8, "i8": torch.int8,
         "i16": torch.int16, "i32": torch.int32, "bool": torch.uint8}
MODES = {"add": torch.add, "mul": torch.mul, "sub": torch.sub, "relu_fwd": torch.relu, "identity": lambda x: x,
         "relu_bwd": lambda dy, x: torch.where(x > 0, dy, torch.zeros_like(dy)),
         "gelu_fwd": torch.nn.functional.gelu, "sigmoid_fwd": torch.sigmoid, "tanh_fwd": torch.tanh}
REDUCTIONS = {"add": torch.sum, "avg": torch.mean, "max": torch.amax, "min": torch.amin,
              "amax": lambda x, dims: x.abs().amax(dims), "norm1": lambda x, dims: x.abs().sum(dims),
              "norm2": lambda x, dims: (x * x).sum(dims).sqrt()}


class Graph:
    """Values by name ("%0"): inputs and outputs with their elements and types."""

    def __init__(self, text):
        self.inputs, self.steps, self.outputs, self.types, self.elements = [], [], [], {}, {}
        for line in text.strip().split("\n")[1:]:
            if found := re.match(r"(%\d+) = input (\d+):(\w+)$", line):
                self.inputs.append(found[1])
                self.elements[found[1]], self.types[found[1]] = int(found[2]), found[3]
            elif found := re.match(r"(%\d+) = conv\.v1 (.*) \((%\d+), (%\d+)\)$", line):
                self.steps.append((found[1], "conv", found[2], [found[3], found[4]]))
            elif found := re.match(r"(%\d+) = (\w+)\((.*?)\) (.*) ?:(\w+)$", line):
                loops = [[int(number) for number in loop.split(":")] for loop in found[4].split()]
                self.steps.append((found[1], found[2], loops, found[3].split(", ")))
                self.types[found[1]] = found[5]
                self.elements[found[1]] = 1 + sum((loop[0] - 1) * loop[-1] for loop in loops)
            elif line.startswith("output "):
                self.outputs += line.split()[1:]
            else:
                raise ValueError(f"line '{line}' of a graph")

    def is_exact(self):
        """On small integers."""
        return not any(what in ("reduce_avg", "reduce_norm2", "gelu_fwd", "sigmoid_fwd", "tanh_fwd")
                       for _, what, _, _ in self.steps)

    def evaluate(self, values):
        """`values`: flat tensors by name; returns those of the outputs."""
        values = dict(values)
        for result, what, how, operands in self.steps:
            given = [values[name] for name in operands]
            values[result] = convolve(how, *given) if what == "conv" else self.walk(result, what, how, given)
        return {name: values[name] for name in self.outputs}

    def walk(self, result, what, loops, given):
        extents = [loop[0] for loop in loops]
        views = [tensor.as_strided(extents, [loop[1 + index] for loop in loops]) for index, tensor in enumerate(given)]
        out = torch.zeros(self.elements[result], dtype=given[0].dtype, device=given[0].device)
        if what.startswith("reduce_"):
            dims = [dim for dim, loop in enumerate(loops) if loop[-1] == 0]
            kept = [loop for loop in loops if loop[-1] != 0]
            out.as_strided([loop[0] for loop in kept], [loop[-1] for loop in kept]).copy_(
                REDUCTIONS[what.removeprefix("reduce_")](views[0], dims))
        else:
            out.as_strided(extents, [loop[-1] for loop in loops]).copy_(MODES[what](*views))
        return out


def convolve(spec, first, second):
    """A two-dimensional convolution in channels-last memory, operands in role order."""
    direction, *words = spec.split()
    field = {re.match(r"[a-z]+", word)[0]: re.findall(r"\d+", word) for word in words if not word[1] == ":"}
    n, c, k = (int(field[key][0]) for key in "nck")
    size, window, out, stride, dilation, pad = ([int(value) for value in field[key]] for key in ("in", "f", "out", "s", "d", "p"))
    shapes = {"x": (n, *size, c), "w": (k, *window, c), "y": (n, *out, k)}
    names = {"fprop": "xw", "dgrad": "wy", "wgrad": "xy"}[direction]
    view = {name: tensor.view(shapes[name]).permute(0, 3, 1, 2) for name, tensor in zip(names, (first, second))}
    if direction == "fprop":
        result = torch.nn.functional.conv2d(view["x"], view["w"], None, stride, pad, dilation)
    else:
        blank = lambda name: torch.empty(shapes[name], dtype=first.dtype, device=first.device).permute(0, 3, 1, 2)
        result = torch.ops.aten.convolution_backward(
            view["y"], view.get("x", blank("x")), view.get("w", blank("w")), None, stride, pad, dilation, False, [0, 0], 1,
            [direction == "dgrad", direction == "wgrad", False])[0 if direction == "dgrad" else 1]
    return result.permute(0, 2, 3, 1).contiguous().view(-1)


def conforms(module, graph, seed):
    """"" where integer data give the bits of f64 rounded once (modes that are not exact: one unit in the last place), no
    zone is touched and two runs are equal; else what is wrong."""
    generator = torch.Generator("cuda").manual_seed(seed)
    values = {name: torch.randint(-2, 3, (graph.elements[name],), device="cuda", generator=generator).to(TYPES[graph.types[name]])
              for name in graph.inputs}
    expected = graph.evaluate({name: tensor.double() for name, tensor in values.items()})
    workspace = torch.empty(max(1, module.workspace_bytes()), dtype=torch.uint8, device="cuda")
    runs = []
    for _ in range(2):
        workspace.fill_(0xFF)
        results = {binding.name: Guarded(expected[binding.name].shape, TYPES[binding.type], "cuda")
                   for binding in module.bindings if binding.is_result}
        pointers = [(results[binding.name].tensor if binding.is_result else values[binding.name]).data_ptr()
                    for binding in module.bindings]
        size = module.workspace_bytes()
        module.bind(pointers, workspace.data_ptr() if size else 0, size).run(torch.cuda.current_stream().cuda_stream)
        torch.cuda.synchronize()
        runs.append(results)
    for name, result in runs[0].items():
        got, right = result.tensor, expected[name]
        if got.dtype == torch.uint8:
            right = right.clamp(0, 255)
        unit = 0 if graph.is_exact() else 2.0 ** (-8 if got.dtype.itemsize == 2 else -22)
        wrong = ~((got.double() - right.to(got.dtype).double()).abs() <= unit * right.abs())
        if count := int(wrong.sum()):
            at = int(wrong.nonzero()[0])
            return f"{count} of {wrong.numel()} elements of {name} wrong, first {at}: got {float(got[at])}, " \
                   f"expected {float(right[at])}"
        if not result.zones_intact():
            return f"a guard zone of {name} was overwritten"
        if not torch.equal(result.all, runs[1][name].all):
            return f"two runs differ in {name}"
    return ""
