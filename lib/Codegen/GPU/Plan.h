// Plan: how one dispatch is tiled for a Hopper GPU, as a value and as text.
//
// A block has one producer warpgroup, which fills a ring of stages, and two consumer warpgroups, which multiply. An
// elected thread of the producer issues loads by tensor map; an operand that no tensor map describes all its threads
// gather. A stage holds 64 of depth for tileRows rows and tileColumns columns. Consumers share a
// tile stacked (each half of the rows) or side by side (each half of the columns, for results of few rows). Blocks are
// persistent: block b computes tiles b, b + blocks, ...; tiles of a group of groupRows row tiles come together, so that
// what they load is still in L2. With splits > 1 the depth of a tile is shared between that many blocks, each of which
// leaves an f32 partial sum; a second launch adds them in order.
#pragma once

#include "Codegen/GPU/Tables.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace orzo::gpu {

struct Plan {
  int64_t tileRows = 128, tileColumns = 256;
  bool isSideBySide = false;
  int64_t stages = 4;
  int64_t storeBuffers = 2; ///< Of 8 KiB, for each consumer.
  int64_t splits = 1;
  int64_t groupRows = 8;
  int64_t lead = 0; ///< Depth blocks by which the first consumer finishes a tile before the second.
  bool gathersLhs = false, gathersRhs = false; ///< Operands loaded by the producer's threads, not by tensor map.
  std::string remark; ///< Why operands are gathered and the result stored by predicate; empty: by map.
  std::string reason; ///< One sentence: why these numbers. Not part of the text.

  bool gathers() const { return gathersLhs || gathersRhs; }
  /// Blocks of 64 rows, and columns, of one consumer.
  int64_t consumerBlocks() const { return tileRows / 64 / (isSideBySide ? 1 : 2); }
  int64_t consumerColumns() const { return tileColumns / (isSideBySide ? 2 : 1); }
  int64_t stageBytes() const { return (tileRows + tileColumns) * 128; }
  /// Dynamic shared memory: alignment to 1 KiB, the ring, the buffers of the store, two barriers a stage and one
  /// of the consumers' turns.
  int64_t sharedBytes() const { return 1024 + stages * stageBytes() + 2 * storeBuffers * 8192 + 16 * stages + 8; }

  /// Pieces of 64 x 64 that a consumer stores of a tile, through its buffers in turn, from the first at every tile.
  int64_t storePieces() const { return consumerBlocks() * consumerColumns() / 64; }
  /// How many stores may be on their way when piece `piece` takes its buffer: all those begun after the buffer's last.
  int64_t storesInFlight(int64_t piece) const;

  int64_t rowTiles(const Tables &tables, int64_t phase) const;
  int64_t columnTiles(const Tables &tables) const;
  int64_t tiles(const Tables &tables) const;      ///< Of all phases and splits.
  int64_t leastDepth(const Tables &tables) const; ///< Depth blocks of the shallowest tile.
};

/// The cost model's plan for `tables` on a device of as many multiprocessors as an H200.
Plan choosePlan(const Tables &tables);

/// Whether `plan` can be emitted for `tables`: InvalidArgument names the field, what was got and what would work.
Status checkPlan(const Plan &plan, const Tables &tables);

/// e.g. "sm_90a tile 128x256 stacked stages 4 buffers 2 splits 1 group 8", with " lead 3" where there is one, " gather
/// lhs", " gather rhs" or " gather both" where operands are gathered, and the remark in parentheses.
std::string text(const Plan &plan);

/// The reverse, with checkPlan(). Operands that must be gathered are, whether the text says so or not; a remark in
/// parentheses at the end is skipped.
Expected<Plan> parsePlan(std::string_view text, const Tables &tables);

} // namespace orzo::gpu
