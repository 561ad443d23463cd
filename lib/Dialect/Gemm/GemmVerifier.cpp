#include "Dialect/Gemm/GemmDialect.h"

namespace orzo::gemm {

/// The furthest element, all dims at their last index, must be one of `type`.
static mlir::LogicalResult verifyReach(mlir::Operation *op, const Contraction &contraction, llvm::StringRef operand,
                                       mlir::ShapedType type, int64_t ContractionDim::*stride) {
  __int128 last = 0; // The attribute may hold any numbers.
  bool empty = false;
  for (const auto *dims : {&contraction.batch, &contraction.m, &contraction.n, &contraction.k})
    for (const ContractionDim &dim : *dims) {
      empty |= dim.extent == 0;
      if (dim.extent < 0 || dim.*stride < 0)
        return op->emitOpError("has a negative extent or stride in its contraction");
      last += __int128(dim.extent - 1) * (dim.*stride);
    }
  if (!empty && last >= type.getNumElements())
    return op->emitOpError() << operand << " has " << type.getNumElements()
                             << " elements, but the contraction reaches element "
                             << int64_t(std::min<__int128>(last, INT64_MAX));
  return mlir::success();
}

static mlir::LogicalResult verifyTensor(mlir::Operation *op, const ConvSpec &spec, llvm::StringRef operand, Role role,
                                        mlir::ShapedType type) {
  mlir::RankedTensorType expected = conv::tensorType(op->getContext(), spec, role);
  if (type.getShape() == expected.getShape() && type.getElementType() == expected.getElementType())
    return mlir::success();
  return op->emitOpError() << operand << " is " << type << ", but the problem's " << name(role).data() << " is "
                           << expected;
}

static mlir::LogicalResult verifyEpilogue(mlir::Operation *op, mlir::Region &epilogue) {
  mlir::Block &block = epilogue.front();
  if (block.getNumArguments() != 1 || !block.getArgument(0).getType().isF32())
    return op->emitOpError("epilogue takes one argument, the f32 accumulator");
  if (block.empty() || !mlir::isa<YieldOp>(block.back()))
    return op->emitOpError("epilogue ends with gemm.yield");
  return mlir::success();
}

mlir::LogicalResult verifyGemmOp(mlir::Operation *op) {
  auto gemm = mlir::cast<GemmOpInterface>(op);
  std::array<mlir::Value, 3> operands = {gemm.getLhsValue(), gemm.getRhsValue(), gemm.getOutValue()};
  bool onTensors = mlir::isa<mlir::RankedTensorType>(operands[2].getType());
  for (mlir::Value operand : operands) {
    auto type = mlir::cast<mlir::ShapedType>(operand.getType());
    if (!mlir::isa<mlir::RankedTensorType, mlir::MemRefType>(type) || !type.hasStaticShape() ||
        mlir::isa<mlir::RankedTensorType>(type) != onTensors)
      return op->emitOpError("needs all operands to be tensors, or all to be memrefs, of static shape");
    if (Expected<DataType> element = conv::dataType(type.getElementType()); !element)
      return op->emitOpError(element.status().message());
  }
  if (mlir::failed(verifyEpilogue(op, gemm.getEpilogueRegion())))
    return mlir::failure();

  const std::array<llvm::StringRef, 3> names = {"lhs", "rhs", "out"};
  Problem problem = gemm.problem();
  if (const auto *contraction = std::get_if<Contraction>(&problem)) {
    const std::array<int64_t ContractionDim::*, 3> strides = {&ContractionDim::lhs, &ContractionDim::rhs,
                                                              &ContractionDim::out};
    for (size_t i = 0; i < 3; ++i)
      if (mlir::failed(
              verifyReach(op, *contraction, names[i], mlir::cast<mlir::ShapedType>(operands[i].getType()), strides[i])))
        return mlir::failure();
    return mlir::success();
  }
  const ConvSpec &spec = std::get<ConvSpec>(problem);
  if (mlir::isa<WgradOp>(op) != (spec.direction == Direction::WGrad))
    return op->emitOpError() << "does not compute a " << name(spec.direction).data() << "; gemm."
                             << (mlir::isa<WgradOp>(op) ? "implicit" : "wgrad") << " does";
  std::array<Role, 3> roles = operandRoles(problem);
  for (size_t i = 0; i < 3; ++i)
    if (mlir::failed(verifyTensor(op, spec, names[i], roles[i], mlir::cast<mlir::ShapedType>(operands[i].getType()))))
      return mlir::failure();
  return mlir::success();
}

} // namespace orzo::gemm
