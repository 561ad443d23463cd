// From modules of linalg on tensors to @problem: borders of IREE's input modules are taken off and kept as a Binding.
#pragma once

#include "Import/Binding/Binding.h"
#include "orzo/Support/Status.h"

namespace orzo {

/// The function of `source` that computes on tensors, as `func.func @problem` from tensors to tensors, in a new module
/// of the same context.
///
/// The function is a `util.func` or `func.func` with tensor arguments, or with `!hal.buffer_view` and `!hal.fence`
/// ones: hal.tensor.import makes an argument of @problem, hal.tensor.export a result, hal.tensor.alias one that is
/// written into an argument; hal.tensor.barrier passes its tensors on. A function of IREE's coarse-fences ABI is called
/// through a wrapper that makes and awaits the fence: the wrapper's is the entry's name.
///
/// Errors are MLIR errors at the op that stands in the way, which say "unsupported: "; the result is then null: no such
/// function or several, another op of util or hal, a buffer that is imported under two types, a dynamic shape.
mlir::FailureOr<ImportedModule> importLinalg(mlir::ModuleOp source);

} // namespace orzo
