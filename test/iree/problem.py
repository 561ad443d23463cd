"""Convolutions as the tests of handed-back modules make them: a driver command, data, and the right numbers.

Everything is kept as arrays in the order of the letters of a layout: "nhwc" or "nchw" and their like of other ranks.
"""

import dataclasses
import itertools

import numpy

LETTERS = {1: "w", 2: "hw", 3: "dhw"}


@dataclasses.dataclass
class Problem:
    direction: str  # "fprop", "dgrad", "wgrad"
    n: int
    c: int
    k: int
    size: tuple  # Per spatial dim, as all that follow.
    filter: tuple
    stride: tuple
    pad: tuple
    dilation: tuple
    groups: int = 1
    last: bool = True  # Channels last.
    element: str = "f32"

    @property
    def rank(self):
        return len(self.size)

    @property
    def out(self):
        return tuple((i + 2 * p - d * (f - 1) - 1) // s + 1
                     for i, f, s, p, d in zip(self.size, self.filter, self.stride, self.pad, self.dilation))

    def command(self):
        base = {"f32": "conv", "f16": "convfp16", "bf16": "convbfp16"}[self.element]
        words = [base, f"-F {dict(fprop=1, dgrad=2, wgrad=4)[self.direction]}", f"-n {self.n} -c {self.c} -k {self.k}",
                 f"-g {self.groups} --spatial_dim {self.rank}"]
        names = ["--in_d", "-H", "-W"], ["--fil_d", "-y", "-x"], ["--conv_stride_d", "-u", "-v"], \
                ["--pad_d", "-p", "-q"], ["--dilation_d", "-l", "-j"]
        for flags, values in zip(names, (self.size, self.filter, self.stride, self.pad, self.dilation)):
            flags = flags[1:2] if self.rank == 1 else flags[3 - self.rank:]
            words += [f"{flag} {value}" for flag, value in zip(flags, values)]
        spatial = {1: "H", 2: "HW", 3: "DHW"}[self.rank]
        layout = "N" + spatial + "C" if self.last else "NC" + spatial
        words.append(f"--in_layout {layout} --fil_layout {layout} --out_layout {layout}")
        return " ".join(words)

    def lay(self, array):
        """From batch, channels, spatial to memory order."""
        return numpy.moveaxis(array, 1, -1) if self.last else array

    def unlay(self, array):
        return numpy.moveaxis(array, -1, 1) if self.last else array

    def data(self, random):
        """The three tensors in batch, channels, spatial order: small integers, exact in every type and sum."""
        shapes = {"x": (self.n, self.c, *self.size), "w": (self.k, self.c // self.groups, *self.filter),
                  "y": (self.n, self.k, *self.out)}
        return {name: random.integers(-2, 3, shape).astype(numpy.float32) for name, shape in shapes.items()}

    def expected(self, data):
        """The result in batch, channels, spatial order, in double."""
        g = self.groups
        x, w, y = (data[name].astype(numpy.float64) for name in "xwy")
        split = lambda array: array.reshape(array.shape[0], g, array.shape[1] // g, *array.shape[2:])
        w = w.reshape(g, self.k // g, *w.shape[1:])
        spatial = LETTERS[self.rank]
        padded = numpy.zeros((self.n, self.c, *(max(i + 2 * p, (o - 1) * s + d * (f - 1) + 1) for i, p, o, s, d, f in
                                                zip(self.size, self.pad, self.out, self.stride, self.dilation,
                                                    self.filter))))
        inside = (slice(None), slice(None), *(slice(p, p + i) for p, i in zip(self.pad, self.size)))
        if self.direction != "dgrad":
            padded[inside] = x
        padded, y = split(padded), split(y)
        result = {"fprop": numpy.zeros_like(y), "dgrad": padded, "wgrad": numpy.zeros_like(w)}[self.direction]
        for tap in itertools.product(*(range(f) for f in self.filter)):
            window = (slice(None), slice(None), slice(None),
                      *(slice(t * d, t * d + (o - 1) * s + 1, s)
                        for t, d, o, s in zip(tap, self.dilation, self.out, self.stride)))
            taps = (slice(None), slice(None), slice(None), *tap)
            if self.direction == "fprop":
                result += numpy.einsum(f"ngc{spatial},gkc->ngk{spatial}", padded[window], w[taps])
            elif self.direction == "dgrad":
                result[window] += numpy.einsum(f"ngk{spatial},gkc->ngc{spatial}", y, w[taps])
            else:
                result[taps] += numpy.einsum(f"ngk{spatial},ngc{spatial}->gkc", y, padded[window])
        if self.direction == "wgrad":
            return result.reshape(self.k, self.c // g, *self.filter)
        result = result.reshape(self.n, -1, *result.shape[3:])
        return result[inside] if self.direction == "dgrad" else result

    def arguments(self):
        """The operands of a handed-back func.func @main, in order."""
        return {"fprop": ("x", "w"), "dgrad": ("y", "w"), "wgrad": ("y", "x")}[self.direction]

    def torch_arguments(self):
        """Those of a torch module, behind the result: sorted by name (dy, w; dy, x; w, x)."""
        return {"fprop": ("w", "x"), "dgrad": ("y", "w"), "wgrad": ("y", "x")}[self.direction]

    def result(self):
        return {"fprop": "y", "dgrad": "x", "wgrad": "w"}[self.direction]


def small_problems():
    """One of each kind that is written in a way of its own."""
    make = Problem
    yield make("dgrad", 2, 32, 24, (1, 16), (1, 2), (1, 2), (0, 0), (1, 1), element="bf16")  # The report's, smaller.
    yield make("dgrad", 2, 8, 6, (9, 11), (3, 3), (2, 2), (1, 1), (1, 1))
    yield make("dgrad", 1, 5, 7, (10, 9), (3, 2), (3, 2), (1, 0), (1, 1), last=False)
    yield make("dgrad", 2, 4, 4, (13,), (4,), (2,), (2,), (3,))
    yield make("dgrad", 2, 8, 8, (8, 8), (1, 1), (2, 2), (0, 0), (1, 1), element="f16")  # Phases without taps.
    yield make("dgrad", 2, 8, 12, (9, 9), (3, 3), (2, 2), (1, 1), (1, 1), groups=4)
    yield make("dgrad", 1, 3, 4, (5, 6, 7), (2, 3, 1), (2, 1, 2), (0, 1, 0), (1, 1, 1))
    yield make("dgrad", 2, 6, 5, (8, 8), (3, 3), (1, 1), (1, 1), (1, 1), element="bf16")
    yield make("dgrad", 2, 6, 5, (8,), (3,), (1,), (0,), (2,), last=False)
    yield make("fprop", 2, 6, 5, (8, 8), (3, 3), (2, 1), (1, 1), (1, 2))
    yield make("fprop", 2, 6, 4, (8, 7), (3, 3), (1, 1), (1, 0), (1, 1), groups=2, last=False)
    yield make("fprop", 2, 16, 8, (6, 6), (1, 1), (1, 1), (0, 0), (1, 1), element="bf16")
    yield make("fprop", 1, 4, 4, (4, 4, 4), (2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1))
    yield make("wgrad", 2, 6, 5, (8, 8), (3, 3), (2, 1), (1, 1), (1, 1))
    yield make("wgrad", 2, 4, 6, (9,), (3,), (1,), (1,), (1,), groups=2, element="f16")
    yield make("wgrad", 2, 8, 8, (6, 6), (1, 1), (1, 1), (0, 0), (1, 1), last=False)


def strided_dgrads():
    """Twenty input backwards whose stride is longer than 1 and that are no single matrix product."""
    make = lambda *rest, **more: Problem("dgrad", *rest, **more)
    yield make(4, 128, 128, (28, 28), (3, 3), (2, 2), (1, 1), (1, 1))
    yield make(2, 64, 64, (56, 56), (3, 3), (2, 2), (1, 1), (1, 1))
    yield make(2, 128, 256, (28, 28), (1, 1), (2, 2), (0, 0), (1, 1))
    yield make(8, 256, 256, (14, 14), (3, 3), (2, 2), (1, 1), (1, 1))
    yield make(2, 3, 64, (64, 64), (7, 7), (2, 2), (3, 3), (1, 1))
    yield make(2, 16, 32, (32, 32), (5, 5), (2, 2), (2, 2), (1, 1))
    yield make(4, 64, 64, (1, 256), (1, 3), (1, 2), (0, 1), (1, 1))
    yield make(4, 128, 64, (1, 256), (1, 4), (1, 2), (0, 1), (1, 1))
    yield make(2, 64, 96, (30, 30), (3, 3), (3, 3), (1, 1), (1, 1))
    yield make(2, 64, 64, (28, 28), (3, 3), (2, 1), (1, 1), (1, 1))
    yield make(2, 64, 64, (28, 28), (3, 3), (2, 2), (2, 2), (2, 2))
    yield make(2, 64, 64, (28, 28), (2, 2), (2, 2), (0, 0), (1, 1), last=False)
    yield make(2, 64, 64, (28, 28), (3, 3), (2, 2), (1, 1), (1, 1), last=False)
    yield make(2, 64, 64, (28, 28), (3, 3), (2, 2), (1, 1), (1, 1), groups=4)
    yield make(2, 64, 64, (28, 28), (3, 3), (2, 2), (1, 1), (1, 1), groups=64)
    yield make(1, 16, 32, (8, 16, 16), (3, 3, 3), (2, 2, 2), (1, 1, 1), (1, 1, 1))
    yield make(4, 64, 64, (512,), (5,), (4,), (2,), (1,))
    yield make(2, 64, 128, (28, 28), (3, 3), (2, 2), (1, 1), (1, 1), element="bf16")
    yield make(2, 64, 64, (28, 28), (4, 4), (4, 4), (0, 0), (1, 1), element="bf16")
    yield make(2, 8, 8, (64, 64), (3, 3), (2, 2), (1, 1), (1, 1))
