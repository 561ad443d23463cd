// KernelEmitter: one dispatch's packed matrix product, written as scf, arith, vector and LLVM ops.
//
// The kernel walks work units (Plan.h). For a unit it writes small offset tables of the unit's rows and columns and of
// the depth block's k, packs the operands through them - which is where gathering, padding, and widening happen - and
// runs the register tile over the packed panels. The tables are what makes one emitter serve every phase of a strided
// dgrad, any layout, and wgrad: phases, taps and strides are data, not code.
#pragma once

#include "Codegen/CPU/Plan.h"
#include "Codegen/Common/Epilogue.h"
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
  std::vector<int32_t> stageRanges = {}; ///< Of the unit ranges, how many each stage has; empty: all are one stage.
  int64_t scratchBytes = 0;              ///< Of one thread.
  int64_t sharedScratchBytes = 0;        ///< Of one further slot, the last, which the threads of a run share.
  int64_t flopsExecuted = 0; ///< Two per multiply-add of a valid row, column and k, over all phases and batches.
  int64_t flopsTile = 0;     ///< Further ones spent on rows, columns and k that only fill up register tiles.
};

/// Appends to `kernels` the kernel `symbol` that computes `nest` by `plan`:
///   extern "C" void symbol(void *const *slots, int64_t begin, int64_t end, void *scratch)
/// with slots {lhs, rhs, out}, one of each extra and, when `countMultiplyAdds`, a further one of int64_t[2]: valid and
/// tile multiply-adds, counted while it runs. Unsupported names an op of the epilogue that is not elementwise, or an
/// extra of a type that has no way to f32.
Expected<KernelInfo> emitKernel(mlir::ModuleOp kernels, const std::string &symbol, const Nest &nest, const Plan &plan,
                                const Epilogue &epilogue, bool countMultiplyAdds);

} // namespace orzo::cpu
