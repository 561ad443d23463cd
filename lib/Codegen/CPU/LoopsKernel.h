// LoopsKernel: a dispatch.func of plain code over memory as a kernel.
#pragma once

#include "Codegen/CPU/KernelEmitter.h"
#include "Dialect/Dispatch/DispatchDialect.h"

namespace orzo::cpu {

/// Appends to `kernels` the kernel `symbol` that runs the body of `function`, which is marked `loops`, as it is
/// written: one work unit, whose slots are the function's arguments. It counts no FLOPs.
KernelInfo emitLoops(mlir::ModuleOp kernels, const std::string &symbol, dispatch::FuncOp function);

} // namespace orzo::cpu
