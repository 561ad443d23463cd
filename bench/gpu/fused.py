"""relu(x * w + bias [+ residual]) beside PyTorch: eager, compiled, and cuDNN's fused op."""

import torch

from problem import Problem


class FusedProblem(Problem):
    """A Problem of direction F with a bias b [K] and, where there is one, a residual r [N,P,Q,K]."""

    def __init__(self, command, tensors):
        super().__init__(command)
        self.tensors = tensors  # By the artifact's names.
        self.shapes["b"] = (self.k,)
        if "r" in tensors.values():
            self.shapes["r"] = self.shapes["y"]
        self.operands = [name for name in tensors.values() if name != self.result]

    def bytes(self):
        return sum(self.elements(name) for name in self.shapes) * 2

    def orders(self, bindings):
        yield [self.tensors[binding.name] for binding in bindings]

    def finish(self, sums, tensors):
        """What comes after the product, on tensors channels last in memory."""
        sums = sums + tensors["b"]
        return torch.relu(sums + tensors["r"] if "r" in tensors else sums)

    def evaluate(self, tensors):
        return self.finish(self.convolve(tensors), tensors)

    def sum_of_squares(self, tensors):
        """Of the products of each element, for bounds; the bias and the residual are two more summands."""
        squares = {name: tensor * tensor for name, tensor in tensors.items()}
        sums = self.convolve(squares) + squares["b"]
        return sums + squares["r"] if "r" in squares else sums

    def matmul(self):
        return None

    def views(self, tensors):
        """In PyTorch's order of dims: x, w, b and r or None."""
        view = {name: tensors[name] if name == "b" else tensors[name].permute(0, 3, 1, 2) for name in self.operands}
        return view["x"], view["w"], view["b"], view.get("r")

    def eager(self, x, w, b, r):
        out = torch.nn.functional.conv2d(x, w, b, self.stride, self.pad, self.dilation)
        return torch.relu(out if r is None else out + r)

    def compiled(self, **options):
        return torch.compile(self.eager, dynamic=False, fullgraph=True, **options)

    def cudnn_fused(self, x, w, b, r):
        if r is None:
            return torch.ops.aten.cudnn_convolution_relu(x, w, b, self.stride, self.pad, self.dilation, 1)
        return torch.ops.aten.cudnn_convolution_add_relu(x, w, r, 1.0, b, self.stride, self.pad, self.dilation, 1)

    def peers(self, sets):
        """By name, functions of a buffer set's index. Compiling happens here, on the first set."""
        torch._dynamo.reset()
        torch.backends.cudnn.benchmark = True
        found = {"eager": self.eager, "cudnn_fused": self.cudnn_fused, "inductor": self.compiled(),
                 "inductor_max": self.compiled(mode="max-autotune-no-cudagraphs")}
        views = [self.views(tensors) for tensors in sets]
        return {name: (lambda index, function=function: function(*views[index])) for name, function in found.items()}
