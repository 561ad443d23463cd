// NestKernel: one pointwise or reducing dispatch, written as scf, arith, vector and LLVM ops.
#pragma once

#include "Codegen/CPU/KernelEmitter.h"
#include "Codegen/Common/StridedNest.h"
#include "Runtime/CPU/Isa.h"

namespace orzo::cpu {

/// Appends to `kernels` the kernel `symbol` (with the signature that ArtifactStep gives) that walks `nest`, for a run
/// on about `threads` threads. Slots: the operands, the result, and, where KernelInfo asks for it, the shared scratch.
///
/// `body` has one block with an f32 argument for each operand and any terminator of one f32: the value that is stored,
/// or reduced. It computes in f32, as operands are widened exactly; a reduction adds up in f64. The result is rounded
/// once and stored as ElementType.h's storeElement says; a NaN of a float type stays one. The bits do not depend on
/// how units are dealt to threads, nor on `threads`. A map's result may be the memory of an operand whose offset and
/// strides are the same. No flops are counted: those of artifacts are multiply-adds of products, and there is none.
///
/// Unsupported: an op of the body that is not elementwise; an element type that f32 does not hold (operands: f64, i32,
/// i64; the result: f64, i64), naming the operand; a map with a loop in which the result does not move. Internal: lists
/// of different lengths.
Expected<KernelInfo> emitNest(mlir::ModuleOp kernels, const std::string &symbol, const StridedNest &nest,
                              mlir::Region &body, Isa isa, int threads);

} // namespace orzo::cpu
