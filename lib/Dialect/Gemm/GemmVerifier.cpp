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
  // The epilogue may store another type than the problem says.
  if (type.getShape() == expected.getShape() &&
      (type.getElementType() == expected.getElementType() || operand == "out"))
    return mlir::success();
  return op->emitOpError() << operand << " is " << type << ", but the problem's " << name(role).data() << " is "
                           << expected;
}

static mlir::LogicalResult verifyEpilogue(mlir::Operation *op, mlir::Region &epilogue) {
  mlir::Block &block = epilogue.front();
  if (block.getNumArguments() != op->getNumOperands() - 2 ||
      !llvm::all_of(block.getArgumentTypes(), [](mlir::Type type) { return type.isF32(); }))
    return op->emitOpError("epilogue takes the f32 accumulator and one f32 of every extra");
  if (block.empty() || !mlir::isa<YieldOp>(block.back()))
    return op->emitOpError("epilogue ends with gemm.yield");
  return mlir::success();
}

static mlir::LogicalResult verifyExtras(mlir::Operation *op, mlir::OperandRange extras, int64_t elements) {
  auto maps = op->getAttrOfType<mlir::ArrayAttr>("extra_maps");
  if ((maps ? maps.size() : 0) != extras.size() ||
      (maps && !llvm::all_of(maps, [](mlir::Attribute map) { return mlir::isa<ElementMapAttr>(map); })))
    return op->emitOpError() << "has " << extras.size() << " extras; extra_maps needs one #gemm.elements for each";
  for (auto [index, extra] : llvm::enumerate(extras)) {
    ElementMap map = mlir::cast<ElementMapAttr>(maps[index]).getMap();
    __int128 count = 1, last = map.offset; // The attribute may hold any numbers.
    for (const ElementMap::Digit &digit : map.digits) {
      if (digit.extent < 0 || digit.stride < 0 || map.offset < 0)
        return op->emitOpError() << "extra " << index << " has a map with a negative number";
      count = std::min<__int128>(count * digit.extent, INT64_MAX);
      last = std::min<__int128>(last + __int128(std::max<int64_t>(digit.extent - 1, 0)) * digit.stride, INT64_MAX);
    }
    if (count != elements)
      return op->emitOpError() << "extra " << index << " has a map of " << int64_t(count) << " elements, out has "
                               << elements;
    int64_t available = mlir::cast<mlir::ShapedType>(extra.getType()).getNumElements();
    if (elements > 0 && last >= available)
      return op->emitOpError() << "extra " << index << " has " << available << " elements, but its map reaches element "
                               << int64_t(last);
  }
  return mlir::success();
}

mlir::LogicalResult verifyGemmOp(mlir::Operation *op) {
  auto gemm = mlir::cast<GemmOpInterface>(op);
  std::array<mlir::Value, 3> operands = {gemm.getLhsValue(), gemm.getRhsValue(), gemm.getOutValue()};
  bool onTensors = mlir::isa<mlir::RankedTensorType>(operands[2].getType());
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    auto type = mlir::cast<mlir::ShapedType>(operand.getType());
    if (!mlir::isa<mlir::RankedTensorType, mlir::MemRefType>(type) || !type.hasStaticShape() ||
        mlir::isa<mlir::RankedTensorType>(type) != onTensors)
      return op->emitOpError("needs all operands to be tensors, or all to be memrefs, of static shape");
    if (number >= operands.size() && type.getElementType().isInteger(1))
      continue; // An extra may be a mask.
    if (Expected<DataType> element = conv::dataType(type.getElementType()); !element)
      return op->emitOpError(element.status().message());
  }
  int64_t elements = mlir::cast<mlir::ShapedType>(operands[2].getType()).getNumElements();
  if (mlir::failed(verifyExtras(op, gemm.getExtraValues(), elements)) ||
      mlir::failed(verifyEpilogue(op, gemm.getEpilogueRegion())))
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
