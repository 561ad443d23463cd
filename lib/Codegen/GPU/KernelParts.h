// KernelParts: what the producer, the consumers and the frame of a kernel share.
#pragma once

#include "Codegen/GPU/Index.h"
#include "Codegen/GPU/Writer.h"

namespace orzo::gpu {

/// The kernel being written: its shared memory by address, and its parameters.
struct Kernel {
  const Tables &tables;
  const Plan &plan;
  mlir::Region *epilogue = nullptr;

  Value ring, buffers, full, empty; ///< Addresses: stages, store buffers, and a barrier of each kind a stage.
  Value thread;
  Value firstTile, tileStep; ///< Of this block.
  std::vector<Value> lhsMaps, rhsMaps, outMaps;
  Value target; ///< Global pointer: the result or the partial sums, where they are not stored by map.

  int64_t lhsBytes() const { return plan.tileRows * 128; }
};

/// A place in the ring, as loops carry it.
struct Stage {
  Value index, parity;
};

Stage nextStage(Writer &w, const Kernel &kernel, Stage stage);

/// The map of `phase`.
Value selectMap(Writer &w, const Access &access, const std::vector<Value> &maps, Value phase);

void emitProducer(Writer &w, const Kernel &kernel);
void emitConsumer(Writer &w, const Kernel &kernel, Value consumer);

/// `value` through the epilogue region.
Value applyEpilogue(Writer &w, mlir::Region *epilogue, Value value);

/// Unsupported names an op that is not elementwise.
Status checkEpilogue(mlir::Region *epilogue);

} // namespace orzo::gpu
