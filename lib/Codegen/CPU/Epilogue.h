// Epilogue: a gemm op's epilogue region, inlined on scalars or vectors. Private to lib/Codegen/CPU.
#pragma once

#include "Codegen/CPU/Writer.h"
#include "orzo/Support/Status.h"

namespace orzo::cpu {

/// Unsupported, naming the op, when `epilogue` (which may be null) holds one that is not elementwise.
Status checkEpilogue(mlir::Region *epilogue);

/// The value that `epilogue` yields for `accumulator`, an f32 or a vector of them; the accumulator itself without one.
Value inlineEpilogue(Writer &writer, mlir::Region *epilogue, Value accumulator);

} // namespace orzo::cpu
