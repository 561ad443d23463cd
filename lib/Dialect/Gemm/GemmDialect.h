// The gemm dialect: gemm.contract, gemm.implicit, gemm.wgrad, and what they mean as plain data.
#pragma once

#include "Dialect/Conv/ConvDialect.h"
#include "Spec/ElementMap.h"
#include "orzo/Spec/Contraction.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

#include <array>
#include <variant>

namespace orzo::gemm {
/// A contraction (gemm.contract), or the convolution that gemm.implicit and gemm.wgrad gather from memory.
using Problem = std::variant<Contraction, ConvSpec>;

/// Which tensor of the op's problem each operand is: {lhs, rhs, out}.
std::array<Role, 3> operandRoles(const Problem &problem);

/// The maps of the op's extras; empty where it has none.
std::vector<ElementMap> elementMapsOf(mlir::Operation *op);

/// Whether an epilogue region yields its argument unchanged.
bool isIdentity(mlir::Region &epilogue);

/// Verifies one of the dialect's three gemm ops: operands are all tensors (one result, of out's type) or all memrefs
/// (no result), their shapes and element types are the problem's (but for the element type of out), the direction is
/// one that the op does, every extra has a map over the elements of out that stays inside of it, and the epilogue takes
/// the f32 accumulator and one f32 of every extra.
mlir::LogicalResult verifyGemmOp(mlir::Operation *op);

// The common parts of the three ops.
void buildGemmOp(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::Value lhs, mlir::Value rhs,
                 mlir::Value out);
mlir::ParseResult parseGemmOp(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printGemmOp(mlir::OpAsmPrinter &printer, mlir::Operation *op);
void collectEffects(mlir::Operation *op,
                    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);
} // namespace orzo::gemm

#include "Dialect/Gemm/GemmDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Gemm/GemmAttrs.h.inc"

#include "Dialect/Gemm/GemmInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Gemm/GemmOps.h.inc"
