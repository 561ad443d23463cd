#include "Dialect/Dispatch/DispatchDialect.h"
#include "Dialect/Gemm/GemmDialect.h"
#include "Dialect/Nest/NestDialect.h"

namespace orzo::dispatch {

mlir::LogicalResult RegionOp::verify() {
  auto yield = mlir::dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield->getOperandTypes() != getResultTypes())
    return emitOpError("does not yield values of its result types");
  llvm::SmallPtrSet<mlir::Operation *, 4> yielded;
  for (mlir::Value value : yield->getOperands())
    if (mlir::Operation *maker = value.getDefiningOp();
        !maker || maker->getParentRegion() != &getBody() || !yielded.insert(maker).second)
      return emitOpError("yields what it does not compute, or yields it twice");
  for (mlir::Operation &op : getBody().front().without_terminator())
    if (!yielded.contains(&op))
      return op.emitOpError("computes what its dispatch.region does not yield: every result of a launch has memory");
  return mlir::success();
}

mlir::LogicalResult FuncOp::verify() {
  if (!getFunctionType().getResults().empty())
    return emitOpError("has no results: a kernel writes its slots");
  for (mlir::Type type : getArgumentTypes())
    if (auto slot = mlir::dyn_cast<mlir::MemRefType>(type); !slot || !slot.hasStaticShape())
      return emitOpError() << "takes memrefs of static shape, not " << type;
  mlir::Block &block = getBody().front();
  if (!llvm::hasNItemsOrMore(block, 2) || !mlir::isa<ReturnOp>(block.back()))
    return emitOpError("holds the ops of a kernel and dispatch.return");
  if (getLoops())
    return mlir::success();
  for (mlir::Operation &op : block.without_terminator())
    if (!mlir::isa<gemm::GemmOpInterface, nest::MapOp, nest::ReduceOp>(op))
      return op.emitOpError("is no op of a kernel: gemm and nest ops are");
  for (mlir::BlockArgument argument : block.getArguments())
    if (argument.use_empty())
      return emitOpError() << "has a slot that no op uses, number " << argument.getArgNumber();
  return mlir::success();
}

llvm::SmallVector<unsigned> FuncOp::argumentsOf(mlir::Operation *kernel) {
  return llvm::map_to_vector(kernel->getOperands(), [](mlir::Value operand) {
    return mlir::cast<mlir::BlockArgument>(operand).getArgNumber();
  });
}

mlir::LogicalResult ProgramOp::verifyRegions() {
  for (mlir::Operation &op : getBody().front()) {
    if (!mlir::isa<BindingOp, WorkspaceOp, RunOp, FillOp, CopyOp>(op))
      return op.emitOpError("is no slot or step of a dispatch.program");
    for (mlir::Value operand : op.getOperands())
      if (!mlir::isa<mlir::MemRefType>(operand.getType()))
        return op.emitOpError("works on tensors; the steps of a dispatch.program work on memrefs");
    if (auto piece = mlir::dyn_cast<WorkspaceOp>(op)) {
      mlir::MemRefType type = piece.getSlot().getType();
      int64_t end = int64_t(piece.getOffset()) + type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
      if (end > int64_t(getWorkspaceBytes()))
        return op.emitOpError() << "ends at byte " << end << " of a workspace of " << getWorkspaceBytes() << " bytes";
    }
  }
  return mlir::success();
}

mlir::LogicalResult WorkspaceOp::verify() {
  if (int64_t(getOffset()) < 0 || getOffset() % 64 != 0)
    return emitOpError() << "offset " << int64_t(getOffset()) << " is no multiple of 64";
  return mlir::success();
}

mlir::LogicalResult RunOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "names no dispatch.func: " << getCalleeAttr();
  llvm::ArrayRef<mlir::Type> slots = callee.getArgumentTypes();
  if (slots.size() != getNumOperands())
    return emitOpError() << "passes " << getNumOperands() << " slots to " << getCalleeAttr() << ", which takes "
                         << slots.size();
  for (auto [operand, slot] : llvm::zip_equal(getOperands(), slots)) {
    auto passed = mlir::cast<mlir::ShapedType>(operand.getType());
    auto taken = mlir::cast<mlir::MemRefType>(slot);
    // A slot is memory: the same elements may have another shape.
    if (passed.getNumElements() != taken.getNumElements() || passed.getElementType() != taken.getElementType())
      return emitOpError() << "passes " << passed << " to " << getCalleeAttr() << ", which takes " << taken;
  }
  return mlir::success();
}

/// First and last element that a strided box touches.
static std::pair<__int128, __int128> reach(int64_t offset, llvm::ArrayRef<int64_t> extents,
                                           llvm::ArrayRef<int64_t> strides) {
  __int128 first = offset, last = offset; // The attributes may hold any numbers.
  for (auto [extent, stride] : llvm::zip_equal(extents, strides))
    (stride < 0 ? first : last) += __int128(extent - 1) * stride;
  return {first, last};
}

mlir::LogicalResult CopyOp::verify() {
  auto source = mlir::cast<mlir::ShapedType>(getIns().getType());
  auto target = mlir::cast<mlir::ShapedType>(getOuts().getType());
  if (source.getElementType() != target.getElementType())
    return emitOpError("copies between different element types");
  if (getSourceStrides().size() != getExtents().size() || getTargetStrides().size() != getExtents().size())
    return emitOpError("needs one source and one target stride per extent");
  if (llvm::any_of(getExtents(), [](int64_t extent) { return extent < 0; }))
    return emitOpError("has a negative extent");
  if (llvm::is_contained(getExtents(), 0))
    return mlir::success();
  auto check = [&](llvm::StringRef side, mlir::ShapedType type, int64_t offset,
                   llvm::ArrayRef<int64_t> strides) -> mlir::LogicalResult {
    auto [first, last] = reach(offset, getExtents(), strides);
    if (first < 0 || last >= type.getNumElements())
      return emitOpError() << "reads or writes outside of its " << side << ", which has " << type.getNumElements()
                           << " elements";
    return mlir::success();
  };
  if (mlir::failed(check("source", source, getSourceOffset(), getSourceStrides())))
    return mlir::failure();
  return check("target", target, getTargetOffset(), getTargetStrides());
}

} // namespace orzo::dispatch
