"""The problems that the GPU bench and its conformance run are made of, as driver commands."""

import random

DIRECTIONS = {"F": 1, "D": 2, "W": 4}


def command(direction, n, c, size, k, window, stride=(1, 1), pad=(0, 0), dilation=(1, 1), type="convbfp16"):
    """One driver command; size, window, stride, pad and dilation are (height, width)."""
    flags = {"-n": n, "-c": c, "-H": size[0], "-W": size[1], "-k": k, "-y": window[0], "-x": window[1], "-p": pad[0],
             "-q": pad[1], "-u": stride[0], "-v": stride[1], "-l": dilation[0], "-j": dilation[1], "-m": "conv", "-g": 1,
             "-F": DIRECTIONS[direction], "--in_layout": "NHWC", "--fil_layout": "NHWC", "--out_layout": "NHWC"}
    return type + " " + " ".join(f"{flag} {value}" for flag, value in flags.items())


def square(n, c, size, k, window, stride=1, pad=None, dilation=1):
    """Keyword arguments of command() for square images; pad None keeps the size at stride 1."""
    pad = (window - 1) // 2 * dilation if pad is None else pad
    return dict(n=n, c=c, size=(size, size), k=k, window=(window, window), stride=(stride, stride), pad=(pad, pad),
                dilation=(dilation, dilation))


def row(n, c, length, k, window, stride=1, pad=0, dilation=1):
    """The same for images of one row."""
    return dict(n=n, c=c, size=(1, length), k=k, window=(1, window), stride=(1, stride), pad=(0, pad),
                dilation=(1, dilation))


# Name, family, problem. Families decide which bar of the verdict a row counts under.
LAYERS = [
    ("seed", "seed", row(16, 2048, 512, 2048, 2, stride=2)),
    ("half the seed's channels", "1xN", row(16, 1024, 512, 1024, 2, stride=2)),
    ("speech 1x3 s2 512", "1xN", row(32, 512, 3000, 512, 3, stride=2)),
    ("speech 1x3 s2 p1 1024", "1xN", row(16, 1024, 3000, 1024, 3, stride=2, pad=1)),
    ("speech 1x3 p1 1024", "1xN", row(16, 1024, 1500, 1024, 3, pad=1)),
    ("rn50 3x3 64@56", "dense3x3", square(128, 64, 56, 64, 3)),
    ("rn50 3x3 128@28", "dense3x3", square(128, 128, 28, 128, 3)),
    ("rn50 3x3 256@14", "dense3x3", square(128, 256, 14, 256, 3)),
    ("rn50 3x3 512@7", "dense3x3", square(128, 512, 7, 512, 3)),
    ("rn50 3x3 s2 128@56", "3x3s2", square(128, 128, 56, 128, 3, stride=2)),
    ("rn50 3x3 s2 256@28", "3x3s2", square(128, 256, 28, 256, 3, stride=2)),
    ("rn50 3x3 s2 512@14", "3x3s2", square(128, 512, 14, 512, 3, stride=2)),
    ("rn50 1x1 s2 256-512@56", "1x1s2", square(128, 256, 56, 512, 1, stride=2)),
    ("rn50 1x1 s2 512-1024@28", "1x1s2", square(128, 512, 28, 1024, 1, stride=2)),
    ("rn50 1x1 s2 1024-2048@14", "1x1s2", square(128, 1024, 14, 2048, 1, stride=2)),
    ("rn50 1x1 256-64@56", "1x1", square(128, 256, 56, 64, 1)),
    ("rn50 1x1 64-256@56", "1x1", square(128, 64, 56, 256, 1)),
    ("rn50 1x1 512-128@28", "1x1", square(128, 512, 28, 128, 1)),
    ("rn50 1x1 128-512@28", "1x1", square(128, 128, 28, 512, 1)),
    ("rn50 1x1 1024-256@14", "1x1", square(128, 1024, 14, 256, 1)),
    ("rn50 1x1 256-1024@14", "1x1", square(128, 256, 14, 1024, 1)),
    ("rn50 1x1 2048-512@7", "1x1", square(128, 2048, 7, 512, 1)),
    ("rn50 1x1 512-2048@7", "1x1", square(128, 512, 7, 2048, 1)),
    ("rn50 1x1 64-64@56", "1x1", square(128, 64, 56, 64, 1)),
    ("rn50 1x1 256-128@56", "1x1", square(128, 256, 56, 128, 1)),
    ("rn50 1x1 512-256@28", "1x1", square(128, 512, 28, 256, 1)),
    ("rn50 1x1 1024-512@14", "1x1", square(128, 1024, 14, 512, 1)),
    ("down 2x2 s2 128-256@56", "2x2s2", square(64, 128, 56, 256, 2, stride=2, pad=0)),
    ("down 2x2 s2 256-512@28", "2x2s2", square(64, 256, 28, 512, 2, stride=2, pad=0)),
    ("down 2x2 s2 512-1024@14", "2x2s2", square(64, 512, 14, 1024, 2, stride=2, pad=0)),
    ("unet 3x3 320@64", "dense3x3", square(4, 320, 64, 320, 3)),
    ("unet 3x3 640@32", "dense3x3", square(4, 640, 32, 640, 3)),
    ("unet 3x3 1280@16", "dense3x3", square(4, 1280, 16, 1280, 3)),
    ("unet 3x3 s2 320@64", "3x3s2", square(4, 320, 64, 320, 3, stride=2)),
    ("vae 3x3 512@64", "dense3x3", square(4, 512, 64, 512, 3)),
    ("vae 3x3 256@256", "dense3x3", square(1, 256, 256, 256, 3)),
    ("vae 3x3 128@512", "dense3x3", square(1, 128, 512, 128, 3)),
    ("dilated 3x3 d2 256@64", "dilated", square(8, 256, 64, 256, 3, dilation=2)),
    ("aspp 3x3 d12 2048-256@33", "dilated", square(4, 2048, 33, 256, 3, dilation=12)),
    # Channels that are no multiples of 8: operands are gathered. No bar is set for them.
    ("stem 7x7 s2 3-64@224", "gathered", square(16, 3, 224, 64, 7, stride=2)),
    ("3x3 12-20@56", "gathered", square(32, 12, 56, 20, 3)),
    ("3x3 70-132@28", "gathered", square(32, 70, 28, 132, 3)),
    ("3x3 255-255@14", "gathered", square(64, 255, 14, 255, 3)),
]


# Convolutions with the pointwise work after them in one graph: name, problem, whether a residual is added.
FUSED = [
    ("rn50 3x3 256@14 bias relu", square(128, 256, 14, 256, 3), False),
    ("rn50 1x1 64-256@56 bias residual relu", square(128, 64, 56, 256, 1), True),
    ("rn50 1x1 512-2048@7 bias residual relu", square(128, 512, 7, 2048, 1), True),
    ("unet 3x3 320@64 bias relu", square(4, 320, 64, 320, 3), False),
    ("vae 3x3 512@64 bias residual relu", square(4, 512, 64, 512, 3), True),
]


def fused_graph(n, c, size, k, window, stride, pad, dilation, residual):
    """relu(x * w + bias [+ residual]) as a graph's text, and which tensor each of its values is."""
    out = tuple((h + 2 * p - d * (r - 1) - 1) // s + 1 for h, p, d, r, s in zip(size, pad, dilation, window, stride))
    pair = lambda values: f"{values[0]}x{values[1]}"
    rows = n * out[0] * out[1]
    text = ["graph.v1", f"%0 = input {n * size[0] * size[1] * c}:bf16", f"%1 = input {k * window[0] * window[1] * c}:bf16",
            f"%2 = conv.v1 fprop n{n} c{c} k{k} g1 in{pair(size)} f{pair(window)} out{pair(out)} s{pair(stride)} "
            f"d{pair(dilation)} p{pair(pad)} x:nhwc:bf16 w:krsc:bf16 y:npqk:bf16 acc:f32 (%0, %1)",
            f"%3 = input {k}:bf16", f"%4 = add(%2, %3) {rows}:{k}:0:{k} {k}:1:1:1 :bf16"]
    tensors = {"%0": "x", "%1": "w", "%3": "b"}
    if residual:
        text += [f"%5 = input {rows * k}:bf16", f"%6 = add(%4, %5) {rows * k}:1:1:1 :bf16"]
        tensors["%5"] = "r"
    last = 6 if residual else 4
    text += [f"%{last + 1} = relu_fwd(%{last}) {rows * k}:1:1 :bf16", f"output %{last + 1}"]
    return "\n".join(text) + "\n", tensors | {f"%{last + 1}": "y"}


def fused():
    """The rows of FUSED: as layers(), with the graph's text and the names of its tensors."""
    for name, problem, residual in FUSED:
        graph, tensors = fused_graph(**problem, residual=residual)
        yield {"name": f"fused {name}", "family": "fused", "direction": "F", "command": command("F", **problem),
               "graph": graph, "tensors": tensors, "check": "device", "time": True}


def layers():
    """The timed rows: dicts of name, family, direction, command, check."""
    for name, family, problem in LAYERS:
        for direction in "FDW":
            yield {"name": f"{name} {direction}", "family": family, "direction": direction,
                   "command": command(direction, **problem), "check": "device", "time": True}


def small(count):
    """`count` small problems, the same ones every time: any stride, dilation and padding, sizes that do not divide."""
    return _random("small", count, random.Random(4), lambda chance: 8 * chance.randint(1, 20))


def odd(count):
    """The same with any number of channels: operands that no tensor map describes."""
    return _random("odd", count, random.Random(5), lambda chance: chance.randint(2, 80))


def _random(name, count, chance, channels):
    for index in range(count):
        spatial = chance.choice((1, 2, 2))
        axes = []
        for axis in range(2):
            if spatial == 1 and axis == 0:
                axes.append((1, 1, 1, 0, 1))
                continue
            window, stride, dilation = chance.choice((1, 2, 3, 3, 5)), chance.choice((1, 1, 2, 2, 3)), chance.choice((1, 1, 2))
            pad = chance.randint(0, dilation * (window - 1))
            least = max(1, dilation * (window - 1) + 1 - 2 * pad)
            axes.append((chance.randint(least, least + 20), window, stride, pad, dilation))
        size, window, stride, pad, dilation = zip(*axes)
        direction = "FDW"[index % 3]
        problem = dict(n=chance.choice((1, 2, 5)), c=channels(chance), size=size, k=channels(chance),
                       window=window, stride=stride, pad=pad, dilation=dilation)
        yield {"name": f"{name} {index:03d} {direction}", "family": "small", "direction": direction, "check": "oracle",
               "time": False, "command": command(direction, **problem, type=chance.choice(("convbfp16", "convfp16")))}
