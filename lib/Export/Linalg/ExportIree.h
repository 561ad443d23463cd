// ExportIree: a module with its convolution written anew, at the same border: a drop-in for the compiler it was made
// for.
//
// Public functions, their names, the order and types of arguments, attributes, fences and wrappers stay as they are. In
// the function that computes, what leads from the imported tensors to the exported one is replaced:
//
//     before   import dy, w;  transposes, fill, insert_slice, generic, truncf, transpose;  alias or export
//     after    import dy, w;  reshapes, one linalg.matmul, truncf, reshape;                alias or export
#pragma once

#include "Conversion/ConvToLinalg/ConvToLinalg.h"
#include "Dialect/Conv/Binding.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace orzo {

/// Rewrites the convolution `problem` of `module` (linalg on tensors, in util.func or func.func) in place, in lowered
/// form. Unsupported: its tensors are not found where the binding says, named.
Expected<LinalgChoice> rewriteConvolution(mlir::ModuleOp module, const conv::BoundProblem &problem);

/// The function that tensors are bound to, by what it holds: the first with a linalg op. Null where there is none.
mlir::FunctionOpInterface computingFunction(mlir::ModuleOp module);

/// For a module of torch IR: the border that its own compiler gives its function `name` of `arguments` arguments, with
/// nothing between: buffer views and fences in @name$async, a wrapper @name that waits. `problem` says which arguments
/// are tensors; a result that is an argument is computed into it, another one is returned.
mlir::OwningOpRef<mlir::ModuleOp> fencedBorder(mlir::MLIRContext &context, const std::string &name, int arguments,
                                               const conv::BoundProblem &problem);

} // namespace orzo
