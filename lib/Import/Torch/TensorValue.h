// TensorValue: what a torch tensor value is, as far as convolutions care: a view of an argument's or of a result's
// memory.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace orzo::torch {

struct TensorValue {
  enum class Kind : uint8_t {
    Argument,  ///< The memory of argument `index`.
    Result,    ///< What problem `index` computes; its memory is not decided yet.
    ShapeOnly, ///< Uninitialised: only its sizes mean something.
    Other,     ///< Computed by an op that is not read, or from one: `culprit` and `reason`.
  };
  Kind kind = Kind::Other;
  int index = 0;
  /// Extents of the memory, outermost first: the argument's, or those of the result as the convolution makes it.
  llvm::SmallVector<int64_t> memory;
  llvm::SmallVector<int64_t> shape; ///< Of the view.
  llvm::SmallVector<int> dims; ///< For each dim of the view its dim in `memory`; -1: of extent 1, in no memory dim.
  mlir::Type elementType;
  mlir::Operation *culprit = nullptr;
  std::string reason;

  static TensorValue ofMemory(Kind kind, int index, llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  static TensorValue other(mlir::Operation *culprit, std::string reason);

  /// The view with dims in the order `order`, a permutation.
  TensorValue permuted(llvm::ArrayRef<int64_t> order) const;
  /// The view in another shape of as many elements. Dims of extent 1 may come and go; anything else only where the view
  /// is the memory in its own order. nullopt otherwise.
  std::optional<TensorValue> reshaped(llvm::ArrayRef<int64_t> newShape) const;
};

/// Sizes and element type of a torch tensor type; nullopt where either is not fully known.
std::optional<std::pair<llvm::SmallVector<int64_t>, mlir::Type>> staticTensor(mlir::Type type);

/// "16x512x1x2048".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace orzo::torch
