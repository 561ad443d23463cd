"""A loaded artifact on tensors of PyTorch, between guard zones, and the check of its results."""

import math

import torch

ZONE = 32768  # Words of poison on either side of a result.
POISON = 0x7FDA  # A NaN in bf16 and f16.


class Guarded:
    """A tensor with zones of poison before and after it."""

    def __init__(self, shape, dtype, device):
        size = math.prod(shape) * dtype.itemsize
        self.count = (size + 1) // 2  # In words of 16 bits.
        self.all = torch.empty(self.count + 2 * ZONE, dtype=torch.int16, device=device)
        self.tensor = self.all[ZONE:ZONE + self.count].view(torch.uint8)[:size].view(dtype).view(shape)
        self.poison()

    def poison(self):
        self.all.fill_(POISON)

    def zones_intact(self):
        return bool((self.all[:ZONE] == POISON).all() and (self.all[ZONE + self.count:] == POISON).all())

    def poison_left(self):
        return int((self.all[ZONE:ZONE + self.count] == POISON).sum())


def random_tensor(problem, name, kind, generator):
    """"integer": in [-2, 2], or [-1, 1] where sums of products up to 4 could reach 2^24; "random": uniform."""
    shape, device = problem.shapes[name], "cuda"
    if kind == "integer":
        most = 2 if 4 * problem.reduction() < 1 << 24 else 1
        values = torch.randint(-most, most + 1, shape, device=device, generator=generator)
    else:
        values = torch.rand(shape, device=device, generator=generator) * 2 - 1
    return values.to(problem.type)


class Bound:
    """A module's calls on a problem's tensors. The canonical problem may have renamed the operands: `order` says which of
    the problem's tensors each binding is."""

    def __init__(self, module, problem):
        self.module, self.problem, self.order = module, problem, None
        # The runtime wants its workspace at a multiple of 256; PyTorch's allocator gives 512.
        self.workspace_bytes = module.workspace_bytes()
        self.workspace = torch.empty(max(1, self.workspace_bytes), dtype=torch.uint8, device="cuda")

    def call(self, tensors, order=None):
        pointers = [tensors[name].data_ptr() for name in order or self.order]
        return self.module.bind(pointers, self.workspace.data_ptr() if self.workspace_bytes else 0, self.workspace_bytes)


def bounds(problem, wide, reference):
    """How far each element may be from the reference: one rounding, and f32 sums of that many products in any order."""
    squares = problem.sum_of_squares(wide)
    unit = 2.0 ** -8 if problem.type == torch.bfloat16 else 2.0 ** -11
    smallest = 2.0 ** -134 if problem.type == torch.bfloat16 else 2.0 ** -25
    spread = (problem.reduction() * squares.clamp_min(0)).sqrt()
    return unit * reference.abs() + 8 * 2.0 ** -24 * spread + smallest


def compare(problem, kind, tensors, result):
    """"" where `result` is right, else what is wrong."""
    wide = {name: tensors[name].double() for name in problem.operands}
    reference = problem.evaluate(wide)
    if kind == "integer":
        wrong = result.double() != reference.to(problem.type).double()
    else:
        # A NaN compares as wrong.
        wrong = ~((result.double() - reference).abs() <= bounds(problem, wide, reference))
    count = int(wrong.sum())
    if not count:
        return ""
    at = tuple(int(i) for i in wrong.nonzero()[0])
    return f"{count} of {wrong.numel()} elements wrong on {kind} data, first {at}: got {float(result[at])}, " \
           f"expected {float(reference[at])}"


def conforms(bound, seed):
    """"" where integer data match to the bit, random data within the bound, no zone is touched, every element is written
    and two runs are equal; else what is wrong. Settles bound.order."""
    problem = bound.problem
    generator = torch.Generator("cuda").manual_seed(seed)
    for kind in ("integer", "random"):
        tensors = {name: random_tensor(problem, name, kind, generator) for name in problem.operands}
        orders = [bound.order] if bound.order else list(problem.orders(bound.module.bindings))
        if not orders:
            return "the artifact's bindings do not have the problem's sizes"
        for order in orders:
            results = []
            for _ in range(2):
                guarded = Guarded(problem.shapes[problem.result], problem.type, "cuda")
                bound.workspace.fill_(0xFF)
                bound.call({**tensors, problem.result: guarded.tensor}, order).run(torch.cuda.current_stream().cuda_stream)
                torch.cuda.synchronize()
                if not guarded.zones_intact():
                    return f"a guard zone of {problem.result} was overwritten on {kind} data"
                results.append(guarded)
            fault = compare(problem, kind, tensors, results[0].tensor)
            if not fault and results[0].poison_left():
                fault = f"{results[0].poison_left()} elements were not written"
            if not fault and not torch.equal(results[0].all, results[1].all):
                fault = f"two runs differ on {kind} data"
            if not fault:
                bound.order = order
                break
        if fault:
            return fault
    return ""
