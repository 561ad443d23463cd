// Ptx: from a module of emitted kernels in the LLVM dialect to PTX text for sm_90a, by LLVM's NVPTX in this process.
#pragma once

#include "orzo/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace orzo::cuda {

/// Compiles `kernels` (LLVM dialect and NVVM ops; it is not changed). No CUDA toolkit is used. Thread-safe. Internal on
/// a failure of LLVM. With `llvm` not null, the optimised LLVM IR is left there.
Expected<std::string> buildPtx(mlir::ModuleOp kernels, std::string *llvm = nullptr);

/// SHA-256 in hex over the text. Kernels have symbols that say only their number, so equal kernels have equal text.
std::string kernelHash(const std::string &ptx);

} // namespace orzo::cuda
