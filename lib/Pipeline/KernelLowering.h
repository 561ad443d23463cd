// KernelLowering: from emitted kernels (scf, arith, vector, func, LLVM) to the LLVM dialect alone.
#pragma once

#include "mlir/Pass/PassManager.h"

namespace orzo {

/// Appends the lowering to `passes`, a pass manager on a module of kernels.
void addKernelLowering(mlir::OpPassManager &passes);

/// Appends what kernels of plain loops (a dispatch.func marked `loops`) need before that: linalg, memrefs and
/// arithmetic on 16-bit floats are gone after it.
void addLoopsLowering(mlir::OpPassManager &passes);

/// The same for kernels of a CUDA device, which have NVVM ops.
void addCudaKernelLowering(mlir::OpPassManager &passes);

/// Registers the dialects that emitted kernels and their lowering use.
void registerKernelDialects(mlir::DialectRegistry &registry);

} // namespace orzo
