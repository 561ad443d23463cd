// Walker: one walk from a tensor value back to where it comes from (Access.h says what that means).
#pragma once

#include "Conversion/LinalgToConv/Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace orzo {

/// One walk.
class Walker {
public:
  Walker(IndexSystem &system, int number, WalkOptions options) : system(system), number(number), options(options) {}

  std::optional<Refusal> run() {
    for (int step = 0; step < 1000; ++step) {
      if (access().isZero)
        return std::nullopt;
      if (isZeroTensor(access().value)) {
        access().isZero = true;
        return std::nullopt;
      }
      mlir::Operation *from = access().value.getDefiningOp();
      if (!from || !isMove(from))
        return std::nullopt;
      if (std::optional<Refusal> refusal = through(from))
        return refusal;
      if (system.overflowed())
        return Refusal{from->getLoc(), "an index leaves 62 bits"};
      if (atReshapedArgument)
        return std::nullopt;
    }
    return Refusal{access().value.getLoc(), "the chain of ops is too long"};
  }

private:
  Access &access() { return system.accesses[number]; }

  bool isMove(mlir::Operation *op) {
    if (auto generic = mlir::dyn_cast<mlir::linalg::GenericOp>(op))
      return generic.getNumDpsInits() == 1 && !reduces(generic) &&
             generic.getNumLoops() == generic.getNumParallelLoops();
    return mlir::isa<mlir::linalg::TransposeOp, mlir::linalg::CopyOp, mlir::tensor::CastOp, mlir::tensor::InsertSliceOp,
                     mlir::tensor::ExtractSliceOp, mlir::tensor::PadOp, mlir::tensor::ExpandShapeOp,
                     mlir::tensor::CollapseShapeOp, mlir::arith::ExtFOp, mlir::arith::TruncFOp>(op);
  }

  /// Moves on to `source`, whose dims are read at `dims`.
  std::optional<Refusal> goTo(mlir::Value source, llvm::SmallVector<DimAccess> dims) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(source.getType());
    if (!type || !type.hasStaticShape())
      return Refusal{access().value.getLoc(), "a tensor has a dynamic shape"};
    access().value = source;
    access().shape.assign(type.getShape().begin(), type.getShape().end());
    access().dims = std::move(dims);
    return std::nullopt;
  }

  std::optional<Refusal> through(mlir::Operation *op);
  std::optional<Refusal> insertSlice(mlir::tensor::InsertSliceOp op);
  std::optional<Refusal> extractSlice(mlir::tensor::ExtractSliceOp op);
  std::optional<Refusal> pad(mlir::tensor::PadOp op);
  std::optional<Refusal> expand(mlir::tensor::ExpandShapeOp op);
  std::optional<Refusal> collapse(mlir::tensor::CollapseShapeOp op);
  std::optional<Refusal> generic(mlir::linalg::GenericOp op);
  std::optional<Refusal> cast(mlir::Operation *op, mlir::Type from, mlir::Type to);
  bool unflatten(DimAccess dim, llvm::ArrayRef<int64_t> shape, llvm::SmallVectorImpl<DimAccess> &dims);

  /// Whether every iteration's index is data.
  bool alwaysPresent(const DimAccess &dim) {
    return dim.index.divisor() == 1 && dim.present.contains(dim.index.range(system.loops));
  }

  IndexSystem &system;
  int number;
  WalkOptions options;
  bool rounded = false, atReshapedArgument = false;
};

} // namespace orzo
