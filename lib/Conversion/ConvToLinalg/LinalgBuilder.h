// LinalgBuilder: the few tensor and linalg ops that a convolution is written with, on tensors whose dims are axes.
#pragma once

#include "Dialect/Conv/ConvDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

#include <vector>

namespace orzo {

/// A range of one dim: `size` elements from `offset` on, `stride` apart.
struct DimRange {
  int64_t offset = 0, size = 0, stride = 1;
};

/// Everything is static; element types are those of the tensors.
class LinalgBuilder {
public:
  LinalgBuilder(mlir::OpBuilder &builder, mlir::Location location) : builder(builder), location(location) {}

  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  /// A tensor of zeros: a constant (`constant`), which others fold, or a fill, as the init of a sum.
  mlir::Value zeros(llvm::ArrayRef<int64_t> shape, mlir::Type type, bool constant);
  /// Zeros before and behind each dim (not negative); the value itself where there are none.
  mlir::Value pad(mlir::Value value, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high);
  /// The value itself where `ranges` are all of it. Dims that `drop` marks (of size 1) are left out of the result.
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<DimRange> ranges, llvm::ArrayRef<bool> drop = {});
  mlir::Value insert(mlir::Value value, mlir::Value into, llvm::ArrayRef<DimRange> ranges);
  /// Mirrored along the dims that `mirror` marks: a generic that reads the far end.
  mlir::Value mirror(mlir::Value value, llvm::ArrayRef<bool> mirrored);
  /// The same elements in the same order under another shape.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// init[..] += lhs[..] * rhs[..] in init's type, operands widened to it.
  mlir::Value multiplyAdd(mlir::Value lhs, mlir::Value rhs, mlir::Value init, llvm::ArrayRef<mlir::AffineMap> maps,
                          llvm::ArrayRef<mlir::utils::IteratorType> iterators);
  /// Rounded to `type`; the value itself where it has it.
  mlir::Value round(mlir::Value value, mlir::Type type);

  static mlir::RankedTensorType typeOf(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  mlir::OpBuilder &builder;
  mlir::Location location;
};

} // namespace orzo
