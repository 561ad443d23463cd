// GridKernel: the frame of a kernel that is a plain grid of blocks over pointers.
#pragma once

#include "Codegen/GPU/KernelEmitter.h"
#include "Codegen/GPU/Writer.h"

#include <functional>

namespace orzo::gpu {

/// Appends `symbol` with a pointer to each of `slots` slots: `body` writes what a thread does, given the pointers.
KernelInfo emitGridKernel(mlir::ModuleOp kernels, const std::string &symbol, size_t slots, int64_t blocks,
                          int64_t threads, const std::function<void(Writer &, const std::vector<Value> &)> &body);

/// The shared memory of a kernel: how much there is, its launch says. One symbol in a module.
Value sharedMemory(Writer &w, mlir::ModuleOp kernels);

} // namespace orzo::gpu
