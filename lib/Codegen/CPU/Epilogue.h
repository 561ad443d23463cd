// Epilogue: a region of pointwise arithmetic on f32, inlined on scalars or vectors: a gemm op's epilogue, a nest's
// body. Private to lib/Codegen/CPU.
#pragma once

#include "Codegen/CPU/Writer.h"
#include "orzo/Support/Status.h"

namespace orzo::cpu {

/// Unsupported, naming the op, when `body` (which may be null) holds one that is not elementwise.
Status checkBody(mlir::Region *body);

/// The value that `body` (one block, whose terminator of whatever kind yields one value) computes of `arguments`, one
/// for each argument of the block: f32 scalars, or vectors of one shape, beside which scalars are broadcast, as
/// constants in the body are. A vector when an argument is one. Without a body (null), the first argument itself.
Value inlineBody(Writer &writer, mlir::Region *body, ValueRange arguments);

} // namespace orzo::cpu
