// KernelParts: the pieces a kernel is written from, shared by the files of the emitter. Private to lib/Codegen/CPU.
#pragma once

#include "Codegen/CPU/ExtraAccess.h"
#include "Codegen/CPU/Plan.h"
#include "Codegen/CPU/Writer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <array>
#include <string>
#include <vector>

namespace orzo::cpu {

/// How one operand's panels are filled.
enum class Packing : uint8_t {
  Rows,    ///< k is contiguous in memory: runs of k are copied lane by lane.
  Columns, ///< A panel's lanes are contiguous and move through padding together: one vector per k.
  Segments ///< Anything: per k, runs of lanes along the innermost lane dim.
};

/// One operand as the packer sees it. "Lane" is a row of lhs or a column of rhs.
struct Operand {
  bool isLhs = true;
  DataType type = DataType::F32;
  Packing packing = Packing::Segments;
  int64_t panelLanes = 1; ///< tileRows or tileColumns.
  int64_t blockLanes = 1; ///< blockRows or blockColumns.
  int coordinates = 0;    ///< How many coordinates bound it; 0 where it is not the padded operand.
  int runDims = 0;        ///< Rows: how many of the innermost k dims make up one contiguous run.
  int64_t laneStride = 1; ///< Elements between neighbours along the innermost lane dim.
  std::array<int64_t, 3> laneGrowth = {0, 0, 0}; ///< Its coefficient in each coordinate.

  // Where word (lane, step) of a panel lies: 32-bit words, a word being pair() elements of k.
  int64_t laneWords = 1, stepWords = 1, panelWords = 1;
};

/// Byte offsets into a thread's scratch.
struct Scratch {
  int64_t lhsBlock = 0, rhsBlock = 0, staging = 0, accumulators = 0;
  int64_t lhsLanes = 0, rhsLanes = 0, outRows = 0, outColumns = 0; ///< Offset tables, then coordinates behind them.
  int64_t lhsSteps = 0, rhsSteps = 0;
  int64_t bytes = 0;
};

/// Everything fixed when emission begins.
struct Kernel {
  std::string symbol;
  const Nest &nest;
  const Plan &plan;
  mlir::Region *body; ///< The epilogue's.
  bool countMultiplyAdds;

  Operand lhs, rhs;
  std::vector<KernelExtra> extras;
  Scratch scratch;
  int64_t depthWords = 1;        ///< Words of blockDepth.
  int64_t depthBlocks = 1;       ///< Most depth blocks of a phase.
  bool columnsContiguous = true; ///< A row of the result is contiguous along n.
  /// Entries a step table may need: one per k, or one per run with Packing::Rows.
  int64_t stepCapacity = 1;

  Kernel(std::string symbol, const Nest &nest, const Plan &plan, const Epilogue &epilogue, bool countMultiplyAdds);
  /// Registers of a tile row.
  int64_t vectors() const { return plan.tileColumns / plan.lanes(); }
  const Operand &operand(bool isLhs) const { return isLhs ? lhs : rhs; }
};

/// The value that `get` has in every phase, or nullopt.
template <typename Get> std::optional<int64_t> sameInEveryPhase(const Nest &nest, Get get) {
  for (const NestPhase &phase : nest.phases)
    if (get(phase) != get(nest.phases.front()))
      return std::nullopt;
  return get(nest.phases.front());
}

/// Emits `symbol`_pack_lhs or _pack_rhs:
///   (source, block, staging, lanes, laneBegin, laneCount, laneRun, steps, begin, count, run)
/// fills panels of laneCount lanes, the first being number laneBegin, with the `count` k's from `begin`; `run` is the
/// length of a run of k (Packing::Rows), laneRun the extent of the innermost lane dim.
mlir::func::FuncOp emitPack(Writer &writer, mlir::ModuleOp module, const Kernel &kernel, bool isLhs);

/// Emits `symbol`_tile:
///   (lhs panel, rhs panel, depth, accumulators, first, last, out, row offsets, column offsets, rows, columns,
///   counters, then what TileExtras takes)
/// adds the panels' product over `depth` k's to the accumulators (zero when `first`), and keeps them or, when `last`,
/// runs the epilogue and stores the valid part to `out`.
mlir::func::FuncOp emitTile(Writer &writer, mlir::ModuleOp module, const Kernel &kernel);

} // namespace orzo::cpu
