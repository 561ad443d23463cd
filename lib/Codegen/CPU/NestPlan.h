// NestPlan: which loop of a StridedNest lies along the lanes of vectors, and how the rest is cut into work units.
//
// The lane loop is the one by which an element costs least: neighbours that are contiguous come with one load, those
// that are apart one by one, and a short loop wastes lanes. The others are sorted by stride, so that units follow
// memory, and merged where they are one.
//
// A map's unit is a block of the lane loop. Where an operand is contiguous in another loop than the result (NCHW beside
// NHWC), that loop is the innermost of `outer`, and units are tiles of the two, transposed in registers.
//
// A reduction's unit is one split of what is reduced, for one block of results: neighbours along the lanes (sums per
// channel), or a single one whose summands are the lanes. The number of splits depends on the nest alone, so that the
// order of summation does.
#pragma once

#include "Codegen/Common/StridedNest.h"
#include "Runtime/CPU/Isa.h"

namespace orzo::cpu {

struct NestPlan {
  int64_t lanes = 8;              ///< f32 lanes of a vector register.
  bool masks = false;             ///< The ISA has masked loads and stores of every element width.
  std::vector<GraphLoop> outer;   ///< Loops that the result moves along, but for the lane loop.
  std::vector<GraphLoop> reduced; ///< Reduced loops, but for the lane loop and the inner one.
  GraphLoop inner;                ///< The innermost reduced loop; the lane loop itself when that is reduced.
  GraphLoop lane;                 ///< The loop along the lanes.
  int64_t laneBlock = 1;          ///< Elements of the lane loop in a unit.

  // Maps. Which operands are contiguous along outer.back() and are transposed; empty: none.
  std::vector<bool> transposed;
  int64_t rowBlock = 1;  ///< Then, how much of outer.back() is in a unit.
  int64_t tileBlock = 1; ///< And elements of a cache line of the narrowest type.

  // Reductions.
  bool isEmpty = false;      ///< Nothing is summed: results are what the mode says of no value.
  bool lanesReduced = false; ///< The lane loop is reduced.
  int64_t group = 1;         ///< Values of a lane (vectors, or steps of the inner loop) that are added at once.
  bool prefetches = false;   ///< Rows side by side are long enough to be fetched ahead.
  int64_t reducedCount = 1;  ///< Summands of one result.
  int64_t chunk = 1;         ///< The inner loop is taken in pieces of that length.
  int64_t chunksPerSplit = 1;
  int64_t splits = 1;

  int64_t outerCount() const;
  int64_t laneBlocks() const { return (lane.extent + laneBlock - 1) / laneBlock; }
  int64_t chunks() const; ///< Of all that is reduced for one result.
  int64_t results() const { return outerCount() * (lanesReduced ? 1 : lane.extent); }
};

/// `nest` must have a loop in which the result moves wherever it is a map; no other assumptions. `threads` only decides
/// how finely maps are cut.
NestPlan planNest(const StridedNest &nest, Isa isa, int threads);

} // namespace orzo::cpu
