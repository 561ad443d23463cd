// From a conv op to the zero-insert baseline: fills, copies and a dense gemm op.
#pragma once

#include "Conversion/ConvToGemm/ZeroInsert.h"
#include "Dialect/Conv/ConvDialect.h"

#include "mlir/IR/Builders.h"

namespace orzo {

/// The value of `conv`, computed by what is built before it: for each operand that `insertion` rewrites, a fill of a
/// new tensor (where some of it stays zero) and a copy into it; then gemm.implicit or gemm.wgrad of the dense problem.
mlir::Value buildZeroInsert(mlir::OpBuilder &builder, conv::ConvOpInterface conv, const ZeroInsertion &insertion);

} // namespace orzo
