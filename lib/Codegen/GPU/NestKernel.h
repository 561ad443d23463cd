// NestKernel: one pointwise or reducing dispatch as a plain grid.
#pragma once

#include "Codegen/Common/StridedNest.h"
#include "Codegen/GPU/KernelEmitter.h"

#include <functional>
#include <optional>

namespace orzo::gpu {

struct NestKernels {
  std::optional<KernelInfo>
      main; ///< Slots: the operands, then the result or the partial results. None: an empty result.
  std::optional<KernelInfo> sum; ///< Slots: the partial results, the result. Where the reduction has splits.
  int64_t partialBytes = 0;      ///< Of the partial results.
};

/// Appends to `kernels` the kernel, or both, that walk `nest`; `nextSymbol` names them. `body` has one block with an
/// f32 argument for each operand and any terminator of one f32: the value that is stored, or reduced. It computes in
/// f32, as operands are widened exactly; sums and products of a reduction are f64. The result is rounded once and
/// stored as ElementType.h's storeElement says. The order of a sum follows from the nest alone (NestPlan.h).
///
/// Unsupported: an op of the body that is not elementwise, an element type that f32 does not hold (naming the operand),
/// what planNest() refuses.
Expected<NestKernels> emitNest(mlir::ModuleOp kernels, const std::function<std::string()> &nextSymbol,
                               const StridedNest &nest, mlir::Region &body);

} // namespace orzo::gpu
