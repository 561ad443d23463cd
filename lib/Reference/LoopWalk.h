// LoopWalk: every index of a nest of a graph's loops, as positions in the memories that the loops move through.
#pragma once

#include "orzo/Spec/GraphSpec.h"

#include <cstdint>
#include <vector>

namespace orzo::reference {

/// Calls body(positions) for every index of `loops`, outermost slowest. `positions` has one entry for each stride of a
/// loop, and begins where the indices are 0.
template <typename Body> void walk(const std::vector<GraphLoop> &loops, std::vector<int64_t> positions, Body body) {
  for (const GraphLoop &loop : loops)
    if (loop.extent == 0)
      return;
  std::vector<int64_t> index(loops.size(), 0);
  while (true) {
    body(positions);
    size_t level = loops.size();
    while (level-- > 0) {
      const GraphLoop &loop = loops[level];
      bool wraps = ++index[level] == loop.extent;
      for (size_t i = 0; i < positions.size(); ++i)
        positions[i] += wraps ? -loop.strides[i] * (loop.extent - 1) : loop.strides[i];
      if (!wraps)
        break;
      index[level] = 0;
    }
    if (level == static_cast<size_t>(-1))
      return;
  }
}

/// Where a pointwise step's operands and result begin.
inline std::vector<int64_t> beginsOf(const PointwiseStep &step, size_t operands) {
  std::vector<int64_t> begins = step.offsets;
  begins.resize(operands + 1, 0);
  return begins;
}

/// The loops of a reduction along which its result moves.
inline std::vector<GraphLoop> keptLoops(const ReductionStep &step) {
  std::vector<GraphLoop> kept;
  for (const GraphLoop &loop : step.loops)
    if (loop.strides[1] != 0)
      kept.push_back(loop);
  return kept;
}

/// How many values each element of a reduction's result is made of.
inline int64_t reducedCount(const ReductionStep &step) {
  int64_t count = 1;
  for (const GraphLoop &loop : step.loops)
    if (loop.strides[1] == 0)
      count *= loop.extent;
  return count;
}

} // namespace orzo::reference
