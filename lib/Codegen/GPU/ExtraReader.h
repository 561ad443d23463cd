// ExtraReader: a consumer's extras in registers. Private to lib/Codegen/GPU.
#pragma once

#include "Codegen/GPU/KernelParts.h"

namespace orzo::gpu {

class ExtraReader {
public:
  ExtraReader(Writer &w, const Kernel &kernel, Value consumer);

  /// To be called before the wait for a tile's last products, which hides the loads of what its columns need.
  void beginTile(const Position<Writer> &position);

  /// The 32 sums that a thread has of piece `piece` of a tile, through the epilogue. All threads of the warpgroup call
  /// it, for each piece in order; `stage` moves past the stages of which all pieces have been read.
  void apply(mlir::SmallVector<Value> &sums, int64_t piece, Value barrier, Stage &stage);

private:
  /// What a thread needs of a column extra for two neighbouring columns: a word of both or two f32.
  struct Pair {
    Value word, first, second;
  };

  int64_t registersOfColumns() const;
  mlir::SmallVector<Pair> loadColumns(size_t extra, int64_t part);
  Pair loadPair(const ExtraAccess &access, size_t extra, Value column);
  mlir::SmallVector<Value> loadPiece(int64_t pair, Value barrier, Stage &stage);

  Writer &w;
  const Kernel &kernel;
  Value consumer;
  int64_t parts; ///< Pieces of 64 columns.
  StagedPieces staged;
  bool isEager; ///< Columns are loaded once a tile, not once a piece.
  Position<Writer> position;
  std::vector<std::vector<mlir::SmallVector<Pair>>> columns; ///< By extra and part; a scalar has one part and pair.
};

} // namespace orzo::gpu
