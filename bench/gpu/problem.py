"""A driver command as tensors of PyTorch, and the peers that compute it."""

import itertools

import torch

TYPES = {"convbfp16": torch.bfloat16, "convfp16": torch.float16}


def with_autotuner(on, function):
    """cuDNN chooses when it is called, also while a graph is captured."""
    def run(index):
        torch.backends.cudnn.benchmark = on
        return function(index)
    return run


class Problem:
    """One convolution in channels-last memory: x [N,H,W,C], w [K,R,S,C], y [N,P,Q,K]."""

    def __init__(self, command):
        words = command.split()
        flags = dict(zip(words[1::2], words[2::2]))
        number = lambda *names: tuple(int(flags[name]) for name in names)
        self.type = TYPES[words[0]]
        self.n, self.c, self.k = number("-n", "-c", "-k")
        self.size, self.window = number("-H", "-W"), number("-y", "-x")
        self.stride, self.pad, self.dilation = number("-u", "-v"), number("-p", "-q"), number("-l", "-j")
        self.out = tuple((h + 2 * p - d * (r - 1) - 1) // s + 1
                         for h, p, d, r, s in zip(self.size, self.pad, self.dilation, self.window, self.stride))
        self.direction = {1: "F", 2: "D", 4: "W"}[int(flags["-F"])]
        self.shapes = {"x": (self.n, *self.size, self.c), "w": (self.k, *self.window, self.c),
                       "y": (self.n, *self.out, self.k)}
        self.result = {"F": "y", "D": "x", "W": "w"}[self.direction]
        self.operands = [name for name in "xwy" if name != self.result]

    def taps(self, axis):
        """Pairs of output and tap that read inside the image, along one axis."""
        h, r, s, p, d, q = (values[axis] for values in
                            (self.size, self.window, self.stride, self.pad, self.dilation, self.out))
        return sum(0 <= o * s + t * d - p < h for o in range(q) for t in range(r))

    def flops(self):
        """2 per multiply-add whose input lies inside."""
        return 2 * self.n * self.c * self.k * self.taps(0) * self.taps(1)

    def bytes(self):
        return sum(self.elements(name) for name in "xwy") * 2

    def elements(self, name):
        total = 1
        for extent in self.shapes[name]:
            total *= extent
        return total

    def reduction(self):
        """Products in one element of the result, at most."""
        area = self.window[0] * self.window[1]
        return {"F": self.c * area, "D": self.k * area, "W": self.n * self.out[0] * self.out[1]}[self.direction]

    def floor_us(self):
        """What no kernel beats here: 790 TFLOP/s on random bf16, 4.3 TB/s for mixed traffic."""
        return max(self.flops() / 790e12, self.bytes() / 4.3e12) * 1e6

    def convolve(self, tensors, result=None):
        """The result of `tensors` (by name, channels last in memory) by PyTorch; views in its own order."""
        view = {name: tensor.permute(0, 3, 1, 2) for name, tensor in tensors.items() if name in "xwy"}
        if self.direction == "F":
            out = torch.nn.functional.conv2d(view["x"], view["w"], None, self.stride, self.pad, self.dilation)
        else:
            mask = [self.direction == "D", self.direction == "W", False]
            x = view["x"] if "x" in view else self.blank("x", tensors)
            w = view["w"] if "w" in view else self.blank("w", tensors)
            out = torch.ops.aten.convolution_backward(view["y"], x, w, None, self.stride, self.pad, self.dilation, False,
                                                      [0, 0], 1, mask)[0 if self.direction == "D" else 1]
        return out.permute(0, 2, 3, 1)

    def evaluate(self, tensors):
        return self.convolve(tensors)

    def sum_of_squares(self, tensors):
        """Of the products that each element of the result sums up."""
        return self.convolve({name: tensor * tensor for name, tensor in tensors.items()})

    def orders(self, bindings):
        """Which tensor each binding may be: the result is known, and operands must have the bindings' sizes."""
        for operands in itertools.permutations(self.operands):
            rest = iter(operands)
            order = [self.result if binding.is_result else next(rest) for binding in bindings]
            if all(self.elements(name) * 2 == binding.bytes for name, binding in zip(order, bindings)):
                yield order

    def peers(self, sets):
        """By name, functions of a buffer set's index."""
        def cudnn(index):
            return self.convolve({name: sets[index][name] for name in self.operands})

        found = {"cudnn_on": with_autotuner(True, cudnn), "cudnn_off": with_autotuner(False, cudnn)}
        if matmul := self.matmul():
            found["cublas"] = lambda index: (matmul(sets[index], sets[index][self.result]), None)[1]
        return found

    def blank(self, name, tensors):
        """A tensor that only lends its shape; made once, so that no allocation is timed."""
        like = next(iter(tensors.values()))
        key = (name, like.dtype)
        cache = self.__dict__.setdefault("blanks", {})
        if key not in cache:
            cache[key] = torch.empty(self.shapes[name], device=like.device, dtype=like.dtype).permute(0, 3, 1, 2)
        return cache[key]

    def matmul(self):
        """The one GEMM this problem is, as f(tensors, out) with `out` the result's tensor; None where it is not one."""
        (h, width), (r, s) = self.size, self.window
        is_point = self.window == (1, 1) and self.stride == (1, 1)
        is_patch = r == 1 and self.stride == (1, s) and self.dilation == (1, 1) and width == self.out[1] * s
        if self.pad != (0, 0) or not (is_point or is_patch):
            return None
        rows, inner = self.n * self.out[0] * self.out[1], s * self.c
        flat = {"x": (rows, inner), "w": (self.k, inner), "y": (rows, self.k)}
        view = lambda tensors, name: tensors[name].view(flat[name])
        return {
            "F": lambda t, out: torch.mm(view(t, "x"), view(t, "w").t(), out=out.view(flat["y"])),
            "D": lambda t, out: torch.mm(view(t, "y"), view(t, "w"), out=out.view(flat["x"])),
            "W": lambda t, out: torch.mm(view(t, "y").t(), view(t, "x"), out=out.view(flat["w"])),
        }[self.direction]
