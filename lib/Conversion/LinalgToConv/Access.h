// Access: how an element of a tensor value is found in the tensor it comes from.
//
// Between the arguments of a function and the op that multiplies and adds, front ends put transposes, flips,
// zero-inserting slices, pads, reshapes, casts and copies, each in several spellings. None of them computes anything:
// each says that element i of its result is element f(i) of its source, or zero. Walking from a value back to where it
// comes from, this file composes these f into one affine index per dim of the source (IndexExpr), and the interval of
// indices that are data; outside of it the value reads as zero.
//
//     worked example   %z = tensor.insert_slice %dy into %zeros[0, 1] [8, 4] [1, 2]  : 8x4 into 8x9
//                      %f = linalg.generic ... yields %z[d0, 8 - d1]
//     %f[n, q]   is    %z[n, 8 - q]   is   %dy[n, (8 - q - 1)/2],  present in 0 ... 3
//
// A reshape that cannot be undone index by index ends the walk where all that is left is a reshape of an argument: the
// argument is then taken in the new shape (the memory is the same).
#pragma once

#include "Conversion/LinalgToConv/Body.h"

namespace orzo {

/// One dim of a tensor, as a product reads it.
struct DimAccess {
  IndexExpr index;
  Interval present; ///< Indices outside read as zero. Within 0 ... extent-1.
};

struct Access {
  mlir::Value value;                 ///< Where the walk has arrived.
  llvm::SmallVector<int64_t> shape;  ///< Of `value`; another one of the same memory after a reshape.
  llvm::SmallVector<DimAccess> dims; ///< One per dim of `shape`.
  bool isZero = false;               ///< All of it reads as zero.
};

/// The loops of one product, and all accesses in terms of them.
struct IndexSystem {
  Loops loops;
  std::vector<Access> accesses;

  /// A new loop; its number.
  int add(Interval interval);
  /// Replaces `loop` in every index.
  void substitute(int loop, const IndexExpr &replacement);
  /// Replaces `loop`, which runs over 0 ... inner*outer-1, by outer*inner loops: loop = inner*first + second.
  void split(int loop, int64_t inner);
  bool overflowed() const;
};

/// What a walk may pass.
struct WalkOptions {
  /// Result side: a cast to a narrower type, at most once and after everything that widens; `type` is then the type
  /// before it.
  bool mayRound = false;
};

/// Walks access `number` of `system` back through every op that only moves data. It ends at a block argument, at an op
/// that computes (value.getDefiningOp() is then not one that moves data), or at zero.
std::optional<Refusal> walk(IndexSystem &system, int number, WalkOptions options);

/// Whether every element of `value` is zero.
bool isZeroTensor(mlir::Value value);

} // namespace orzo
