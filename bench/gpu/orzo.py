"""The runtime's C interface (include/orzo/Runtime/orzo.h) through ctypes."""

import ctypes
import os

_P, _I, _L, _S = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_char_p


class _Binding(ctypes.Structure):
    _fields_ = [("name", _S), ("layout", _S), ("role", _I), ("type", _I), ("is_result", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("shape", ctypes.POINTER(_L)), ("bytes", _L)]


class Counters(ctypes.Structure):
    _fields_ = [(name, _L) for name in ("dispatches", "fills", "copies", "flops_executed", "flops_tile")]


class Binding:
    """A tensor that a call takes."""

    def __init__(self, raw):
        self.name, self.layout = raw.name.decode(), raw.layout.decode()
        self.role = "xwy"[raw.role] if raw.role < 3 else ""  # A graph's tensors have none.
        self.type = ("f32", "bf16", "f16", "f64", "u8", "i8", "i16", "i32", "i64", "bool")[raw.type]
        self.is_result, self.bytes = bool(raw.is_result), raw.bytes
        self.shape = tuple(raw.shape[i] for i in range(raw.rank))


class Error(RuntimeError):
    """What orzo_last_error says; `status` is the OrzoStatus."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def _open(path):
    library = ctypes.CDLL(path)
    signatures = {
        "orzo_abi_version": (_I, []), "orzo_last_error": (_S, []),
        "orzo_load_file": (_I, [_S, _S, ctypes.POINTER(_P)]), "orzo_module_destroy": (None, [_P]),
        "orzo_problem": (_S, [_P]), "orzo_lowering": (_S, [_P]), "orzo_isa": (_S, [_P]), "orzo_plan": (_S, [_P]),
        "orzo_kernel_hash": (_S, [_P]), "orzo_device": (_I, [_P]), "orzo_counters": (Counters, [_P]),
        "orzo_binding_count": (_I, [_P]), "orzo_binding": (_I, [_P, _I, ctypes.POINTER(_Binding)]),
        "orzo_workspace_bytes": (_L, [_P, _I]),
        "orzo_bind": (_I, [_P, ctypes.POINTER(_P), _I, _P, _L, _I, ctypes.POINTER(_P)]),
        "orzo_run": (_I, [_P, _P]), "orzo_call_destroy": (None, [_P]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    if library.orzo_abi_version() != 1:
        raise Error(3, f"{path} has ABI version {library.orzo_abi_version()}; this script is for version 1")
    return library


class Runtime:
    """liborzo-runtime.so, by default the one that ORZO_RUNTIME names."""

    def __init__(self, path=None):
        self.library = _open(path or os.environ.get("ORZO_RUNTIME", "liborzo-runtime.so"))

    def check(self, status):
        if status:
            raise Error(status, self.library.orzo_last_error().decode())

    def load(self, path, isa=""):
        return Module(self, path, isa)


class Module:
    def __init__(self, runtime, path, isa):
        self.runtime, self.handle = runtime, _P()
        library = runtime.library
        runtime.check(library.orzo_load_file(path.encode(), isa.encode(), ctypes.byref(self.handle)))
        self.problem, self.isa = library.orzo_problem(self.handle).decode(), library.orzo_isa(self.handle).decode()
        self.plan, self.lowering = library.orzo_plan(self.handle).decode(), library.orzo_lowering(self.handle).decode()
        self.is_cuda = library.orzo_device(self.handle) == 1
        self.counters = library.orzo_counters(self.handle)
        self.bindings = []
        for index in range(library.orzo_binding_count(self.handle)):
            raw = _Binding()
            runtime.check(library.orzo_binding(self.handle, index, ctypes.byref(raw)))
            self.bindings.append(Binding(raw))

    def workspace_bytes(self, threads=0):
        return self.runtime.library.orzo_workspace_bytes(self.handle, threads)

    def bind(self, pointers, workspace=0, workspace_bytes=0, threads=0):
        """`pointers`: addresses in the order of the bindings. Whoever owns the memory must keep it."""
        return Call(self, pointers, workspace, workspace_bytes, threads)

    def __del__(self):
        if self.handle:
            self.runtime.library.orzo_module_destroy(self.handle)


class Call:
    def __init__(self, module, pointers, workspace, workspace_bytes, threads):
        self.runtime, self.handle = module.runtime, _P()
        array = (_P * len(pointers))(*pointers)
        self.runtime.check(self.runtime.library.orzo_bind(module.handle, array, len(pointers), workspace or None,
                                                          workspace_bytes, threads, ctypes.byref(self.handle)))

    def run(self, stream=None):
        """On a CUDA device: puts the program on `stream` (an integer handle)."""
        status = self.runtime.library.orzo_run(self.handle, stream)
        if status:
            self.runtime.check(status)

    def __del__(self):
        if self.handle:
            self.runtime.library.orzo_call_destroy(self.handle)
