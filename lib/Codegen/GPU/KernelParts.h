// KernelParts: what the producer, the consumers and the frame of a kernel share.
#pragma once

#include "Codegen/GPU/EpilogueAccess.h"
#include "Codegen/GPU/Index.h"
#include "Codegen/GPU/Writer.h"

namespace orzo::gpu {

/// The kernel being written: its shared memory by address, and its parameters.
struct Kernel {
  Kernel(const Tables &tables, const Plan &plan, const Epilogue &epilogue, const EpilogueAccess &access)
      : tables(tables), plan(plan), epilogue(epilogue), access(access) {}

  const Tables &tables;
  const Plan &plan;
  const Epilogue &epilogue;     ///< Without body and extras where an ordered sum follows.
  const EpilogueAccess &access; ///< Of its extras.

  Value ring, buffers, full, empty; ///< Addresses: stages, store buffers, and a barrier of each kind a stage.
  Value turn;                       ///< Address of the barrier by which the first consumer lets the second finish.
  Value thread;
  Value firstTile, tileStep; ///< Of this block.
  std::vector<Value> lhsMaps, rhsMaps, outMaps;
  Value lhsMemory, rhsMemory; ///< Global pointers, where gathered.
  Value target;               ///< Global pointer: the result or the partial sums, where they are not stored by map.
  std::vector<std::vector<Value>> extraMaps; ///< Of each extra that is staged.
  std::vector<Value> extraMemory;            ///< Global pointers of the others.

  int64_t lhsBytes() const { return plan.tileRows * 128; }
  int64_t rhsBytes() const { return plan.tileColumns * 128; }
  /// Bytes of a stage that come by map.
  int64_t copiedBytes() const {
    return (tables.lhs.isGathered ? 0 : lhsBytes()) + (tables.rhs.isGathered ? 0 : rhsBytes());
  }
  /// Arrivals that fill a stage: the announcement of copied bytes, and that of each thread that gathers.
  int64_t fullArrivals() const { return tables.gathers() ? gatherThreads + (copiedBytes() > 0 ? 1 : 0) : 1; }
  static constexpr int64_t gatherThreads = 128;
};

/// A place in the ring, as loops carry it.
struct Stage {
  Value index, parity;
};

Stage nextStage(Writer &w, const Kernel &kernel, Stage stage);

/// The map of `phase`.
Value selectMap(Writer &w, const Access &access, const std::vector<Value> &maps, Value phase);

/// One thread's work, or that of all threads of the warpgroup where an operand is gathered.
void emitProducer(Writer &w, const Kernel &kernel);

/// Gathers one operand's boxes (see Access) into shared memory from `target` on: this thread's share. `boxes` have
/// their depth set; a box of a whole tile has `lines`. Another proxy will read them: fenceStores() must follow.
void emitGather(Writer &w, const Access &access, const std::vector<Digits<Writer>> &boxes, int64_t lines, Value memory,
                Value target, Value thread);
void emitConsumer(Writer &w, const Kernel &kernel, Value consumer);

/// 64 rows of a consumer's sums through the epilogue and to memory, by rows: `sums` are those of one block from row
/// `row` and column block `block` on, `buffer` 8 KiB of shared memory.
void emitRowStore(Writer &w, const Kernel &kernel, const Position<Writer> &position, Value row, Value block,
                  Value buffer, mlir::ArrayRef<Value> sums);

} // namespace orzo::gpu
