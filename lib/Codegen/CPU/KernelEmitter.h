// KernelEmitter: one dispatch's packed matrix product, written as scf, vector, memref and LLVM ops.
#pragma once

#include "Codegen/CPU/Plan.h"
#include "Codegen/Common/Nest.h"
#include "orzo/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orzo::cpu {

/// What the runtime must know of an emitted kernel (see ArtifactStep).
struct KernelInfo {
  std::string symbol;
  std::vector<int64_t> unitRanges;
  int64_t scratchBytes = 0;
  int64_t flopsExecuted = 0;
  int64_t flopsTile = 0;
};

/// Appends to `kernels` the kernel `symbol` that computes `nest` by `plan`:
///   extern "C" void symbol(void *const *slots, int64_t begin, int64_t end, void *scratch)
/// with slots {lhs, rhs, out} and, when `countMultiplyAdds`, a fourth of int64_t[2]. `epilogue` is the region of the gemm
/// op (one block, argument f32 accumulator, terminator yielding one f32), or null for the identity; its ops must be
/// elementwise. Unsupported names an epilogue op that is not.
Expected<KernelInfo> emitKernel(mlir::ModuleOp kernels, const std::string &symbol, const Nest &nest, const Plan &plan,
                                mlir::Region *epilogue, bool countMultiplyAdds);

} // namespace orzo::cpu
