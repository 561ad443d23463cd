"""IREE's compiler and runtime, as the tests of handed-back modules use them.

iree-compile is looked for in PATH and beside the Python that runs this; iree.runtime and numpy are imported. `missing()`
says what is not there; nothing else here works then.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import iree.runtime as runtime
except ImportError as error:
    numpy = runtime = None
    import_error = error

COMPILE_FLAGS = ["--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"]


def compiler():
    return shutil.which("iree-compile") or shutil.which("iree-compile", path=os.path.dirname(sys.executable))


def missing():
    """Why the tests cannot run here, or None."""
    if runtime is None:
        return f"{import_error.name} is not installed for {sys.executable}"
    if compiler() is None:
        return f"no iree-compile in PATH or beside {sys.executable}"
    return None


def compile_module(text, extra=()):
    """The compiled module's bytes. RuntimeError with iree-compile's message where it refuses."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "in.mlir"), os.path.join(folder, "out.vmfb")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        result = subprocess.run([compiler(), source, "-o", target, *COMPILE_FLAGS, *extra], capture_output=True,
                                text=True, check=False)
        if result.returncode != 0:
            raise RuntimeError(f"iree-compile failed:\n{result.stderr[:4000]}\n{text[:4000]}")
        with open(target, "rb") as file:
            return file.read()


def lower_to_input(text):
    """`text` after iree-compile's input phase: torch as linalg."""
    result = subprocess.run([compiler(), "-", "--compile-to=input", *COMPILE_FLAGS], input=text, capture_output=True,
                            text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"iree-compile failed:\n{result.stderr[:4000]}")
    return result.stdout


_device = None


def device(threads=2):
    global _device
    if _device is None:
        runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
        _device = runtime.get_device("local-task")
    return _device


ELEMENTS = {"f32": ("FLOAT_32", "float32", 4), "f16": ("FLOAT_16", "float16", 2), "bf16": ("BFLOAT_16", "uint16", 2)}


def to_bits(values, element):
    """float32 values as the array whose bytes a buffer of `element` has (bf16: its bits as uint16)."""
    values = numpy.ascontiguousarray(values, dtype=numpy.float32)
    if element == "bf16":
        bits = values.view(numpy.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    return values.astype(ELEMENTS[element][1])


def from_bits(bits, element):
    if element == "bf16":
        return (bits.astype(numpy.uint32) << 16).view(numpy.float32)
    return bits.astype(numpy.float32)


class Function:
    """A function of a compiled module, called with buffer views."""

    def __init__(self, module, name):
        instance = runtime.VmInstance()
        hal = runtime.create_hal_module(instance, device())
        vm = runtime.VmModule.copy_buffer(instance, module)
        self.keep = (instance, hal, vm)
        self.context = runtime.VmContext(instance, [hal, vm])
        self.function = vm.lookup_function(name)
        if self.function is None:
            raise RuntimeError(f"the module has no function {name}")

    @staticmethod
    def view(values, element):
        """A buffer view of float32 `values`, rounded to `element`."""
        return device().allocator.allocate_buffer_copy(
            memory_type=int(runtime.MemoryType.DEVICE_LOCAL | runtime.MemoryType.HOST_VISIBLE),
            allowed_usage=int(runtime.BufferUsage.DEFAULT | runtime.BufferUsage.MAPPING), device=device(),
            buffer=to_bits(values, element), element_type=getattr(runtime.HalElementType, ELEMENTS[element][0]))

    @staticmethod
    def values(view, element):
        """The float32 values of a buffer view."""
        return from_bits(view.map().asarray(view.shape, numpy.dtype(ELEMENTS[element][1])).copy(), element)

    def __call__(self, *views):
        """Runs to completion; the returned buffer view, or None."""
        arguments, results = runtime.VmVariantList(len(views)), runtime.VmVariantList(1)
        for view in views:
            arguments.push_ref(view)
        self.context.invoke(self.function, arguments, results)
        return results.get_as_object(0, runtime.HalBufferView) if results.size else None


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def ratio(first, second, rounds, budget):
    """Times both in turns, at most `rounds` times and about `budget` seconds: (median of first, median of second, their
    ratio, low, high), the last two a 95 % bootstrap interval over rounds."""
    seconds(first), seconds(second)
    pairs, begin = [], time.perf_counter()
    while len(pairs) < 3 or (len(pairs) < rounds and time.perf_counter() - begin < budget):
        order = (first, second) if len(pairs) % 2 == 0 else (second, first)
        times = [seconds(order[0]), seconds(order[1])]
        pairs.append(times if len(pairs) % 2 == 0 else times[::-1])
    pairs = numpy.array(pairs)
    random = numpy.random.default_rng(1)
    picks = random.integers(0, len(pairs), (1000, len(pairs)))
    ratios = numpy.median(pairs[picks, 0], axis=1) / numpy.median(pairs[picks, 1], axis=1)
    a, b = numpy.median(pairs, axis=0)
    return a, b, a / b, numpy.quantile(ratios, 0.025), numpy.quantile(ratios, 0.975)
