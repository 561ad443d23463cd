// KernelEmitter: one dispatch's tiled matrix product, written as nvvm, llvm, arith and scf ops for sm_90a.
//
//     producer warpgroup (one thread)          two consumer warpgroups
//     for each tile of this block              for each tile of this block
//       for each depth block                     for each depth block
//         wait until the stage is empty            wait until the stage is full
//         announce its bytes                       4 products of k16 into the accumulators
//         load lhs and rhs boxes                   one group later: the stage before is empty
//                                                epilogue on the accumulators, round, stage, store
//
// With a lead, the second consumer stops that many blocks before a tile's end until the first has issued all its
// products: one then stores while the other keeps the tensor cores busy.
//
// Where an operand is gathered, all threads of the producer do the loop: thread 0 announces and loads what comes by
// map, each loads its share of the rest, stores it swizzled, fences it for the asynchronous proxy that wgmma reads
// through, and arrives.
//
// Rules for the accumulators, without which the assembler serialises the products: they live in one struct per 64 rows
// that nothing but products defines and nothing else touches in the loop, which follows a first block apart; products
// are fenced, committed and waited for one group late; what reads them passes through the last wait.
#pragma once

#include "Codegen/Common/Epilogue.h"
#include "Codegen/GPU/Plan.h"
#include "Codegen/GPU/Tables.h"
#include "Runtime/Core/CudaLaunch.h"
#include "orzo/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace orzo::gpu {

/// What the launch of an emitted kernel needs. Slots are {lhs, rhs, target} and then the extras of the epilogue; the
/// target of a kernel with splits is the partial sums, f32, splits x rows x (columns in whole blocks of 64), and it has
/// no extras.
struct KernelInfo {
  std::string symbol;
  CudaLaunch launch;
  int64_t flopsExecuted = 0; ///< Two per multiply-add of a valid row, column and depth, over all phases.
  int64_t flopsTile = 0;     ///< Further ones spent in tile tails.
};

/// Appends the kernel `symbol` to `kernels`. `tables` have their tile set (setTile). With splits the epilogue is left
/// to the ordered sum. Unsupported names an op in its body that is not elementwise, a type of an extra or of the result
/// that f32 does not hold, or a broken rule of the target.
Expected<KernelInfo> emitKernel(mlir::ModuleOp kernels, const std::string &symbol, const Tables &tables,
                                const Plan &plan, const Epilogue &epilogue);

/// Appends the kernel that adds the partial sums of a plan with splits, in order, and writes the result through the
/// epilogue. Slots are {partial sums, out} and then the extras.
Expected<KernelInfo> emitOrderedSum(mlir::ModuleOp kernels, const std::string &symbol, const Tables &tables,
                                    const Plan &plan, const Epilogue &epilogue);

/// Bytes of the partial sums.
int64_t partialBytes(const Tables &tables, const Plan &plan);

} // namespace orzo::gpu
