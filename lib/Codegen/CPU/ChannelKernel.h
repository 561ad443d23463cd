// ChannelKernel: the depthwise family - many small independent products, one a vector lane. Private to lib/Codegen/CPU.
//
// Where the innermost batch dim (the groups of a depthwise convolution) is contiguous in memory and each of its
// products is thin, packing would move more than it computes. Here a vector register holds the same element of `lanes`
// neighbouring products, and a register tile holds tileRows x tileColumns elements of laneVectors registers each:
//
//     for a unit (phase, outer batch, lane block, column block, row block):
//       write the offset tables of its rows, columns and k (LinearForm.h)
//       gather the operand whose lanes are apart (a depthwise filter: g r s), once, to [index][lane]
//       for each tile, for each k:  accumulator[m, n, lane] += lhs[m, k, lane] * rhs[k, n, lane]
//
// A k whose coordinate is outside is skipped, not multiplied by zero.
#pragma once

#include "Codegen/CPU/KernelEmitter.h"
#include "Codegen/CPU/Writer.h"

namespace orzo::cpu {

/// Emits the kernel of a plan with `channels` set into `module`; returns the scratch bytes of one thread.
int64_t emitChannelKernel(Writer &writer, mlir::ModuleOp module, const std::string &symbol, const Nest &nest,
                          const Plan &plan, const Epilogue &epilogue, bool countMultiplyAdds);

} // namespace orzo::cpu
