// SharedObject: from a module of emitted kernels in the LLVM dialect to an ELF shared object for one ISA level.
#pragma once

#include "Runtime/CPU/Isa.h"
#include "orzo/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orzo::cpu {

/// What buildSharedObject leaves besides the code, on request.
struct TargetListing {
  std::string llvm;     ///< Optimised LLVM IR.
  std::string assembly; ///< AT&T syntax.
};

/// Compiles `kernels` (LLVM dialect only; it is not changed) for `isa` and links a shared object without undefined
/// symbols. Thread-safe (lld is run one link at a time). Internal on a failure of LLVM or lld, Unavailable when no
/// temporary file can be written. `listing` may be null.
Expected<std::vector<uint8_t>> buildSharedObject(mlir::ModuleOp kernels, Isa isa, TargetListing *listing = nullptr);

/// SHA-256 in hex over the object's bytes. Kernels have symbols that say only their number, so equal code and constants
/// give equal bytes.
std::string kernelHash(const std::vector<uint8_t> &sharedObject);

} // namespace orzo::cpu
