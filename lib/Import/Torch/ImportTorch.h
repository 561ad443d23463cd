// From torch modules to conv ops.
#pragma once

#include "Import/Binding/Binding.h"

#include "mlir/Support/LLVM.h"

namespace orzo {

/// Whether `source` has a function that takes or makes torch tensors.
bool isTorchModule(mlir::ModuleOp source);

/// Each convolution that `source` writes or returns, as a function @problem, @problem_1, ... of one conv op (a
/// convolution_backward with several outputs is several), with the Binding. What is never used is not computed.
///
/// Read as convolutions: aten.convolution and its 1d, 2d, 3d, padding, transposed forms, convolution_backward, mm, bmm,
/// matmul, linear. Read as views of memory: permute, transpose, t, unsqueeze, squeeze, view and reshape and flatten
/// (where only dims of extent 1 come or go, or an argument's memory is read in another shape), expand to the same
/// sizes, clone, contiguous, casts to the same type. `empty` says a shape. Writing: overwrite.tensor.contents and
/// return.
///
/// Errors are MLIR errors at the op that stands in the way and say "unsupported: " where the input is legal; the result
/// is then null. A pointwise op, reduction or bias that takes part is one of those: graphs are another reader's work.
mlir::FailureOr<ImportedModule> importTorch(mlir::ModuleOp source);

} // namespace orzo
