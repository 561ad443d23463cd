#include "Codegen/CPU/KernelParts.h"

#include <algorithm>

namespace orzo::cpu {

static int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t roundUp(int64_t a, int64_t multiple) { return ceilDivide(a, multiple) * multiple; }

static bool hasCoordinate(const NestDim &dim) {
  return std::any_of(dim.coordinate.begin(), dim.coordinate.end(), [](int64_t c) { return c != 0; });
}

/// How many of the innermost k dims are one contiguous run of `operand`, untouched by its coordinates.
static int countRunDims(const Nest &nest, const Operand &operand, int64_t NestDim::*stride) {
  int count = 0;
  for (int64_t expected = 1; count < static_cast<int>(nest.k.size()); ++count) {
    size_t index = nest.k.size() - 1 - count;
    const NestDim &dim = nest.k[index];
    if (dim.*stride != expected || (operand.coordinates > 0 && hasCoordinate(dim)))
      break;
    std::optional<int64_t> extent = sameInEveryPhase(nest, [&](const NestPhase &phase) { return phase.k[index]; });
    if (!extent)
      return count + 1; // A run may end in a dim whose extent the phase decides; nothing merges beyond it.
    expected *= *extent;
  }
  return count;
}

static void choosePacking(const Nest &nest, Operand &operand) {
  auto stride = operand.isLhs ? &NestDim::lhs : &NestDim::rhs;
  const std::vector<NestDim> &lanes = operand.isLhs ? nest.m : nest.n;
  auto laneExtents = operand.isLhs ? &NestPhase::m : &NestPhase::n;
  operand.runDims = countRunDims(nest, operand, stride);
  if (!lanes.empty()) {
    operand.laneStride = lanes.back().*stride;
    for (int c = 0; c < operand.coordinates; ++c)
      operand.laneGrowth[c] = lanes.back().coordinate[c];
  }
  bool moveTogether = operand.laneGrowth == std::array<int64_t, 3>{};
  if (operand.runDims > 0) {
    operand.packing = Packing::Rows;
  } else if (!lanes.empty() && operand.laneStride == 1 && moveTogether) {
    std::optional<int64_t> extent =
        sameInEveryPhase(nest, [&](const NestPhase &phase) { return (phase.*laneExtents).back(); });
    if (lanes.size() == 1 || (extent && *extent % operand.panelLanes == 0))
      operand.packing = Packing::Columns;
  }
}

static bool areColumnsContiguous(const Nest &nest) {
  for (const NestPhase &phase : nest.phases) {
    int64_t expected = 1;
    for (size_t dim = nest.n.size(); dim-- > 0;) {
      if (nest.n[dim].out != expected)
        return false;
      expected *= phase.n[dim];
    }
  }
  return true;
}

Kernel::Kernel(std::string symbol, const Nest &nest, const Plan &plan, const Epilogue &epilogue, bool countMultiplyAdds)
    : symbol(std::move(symbol)), nest(nest), plan(plan), body(epilogue.body), countMultiplyAdds(countMultiplyAdds),
      depthWords(plan.blockDepth / plan.pair()),
      depthBlocks(std::max<int64_t>(1, ceilDivide(nest.maxDepth(), plan.blockDepth))),
      columnsContiguous(areColumnsContiguous(nest)), stepCapacity(plan.blockDepth + 2) {
  auto coordinates = static_cast<int>(nest.coordinateExtents.size());
  lhs.isLhs = true;
  lhs.type = nest.lhsType;
  lhs.panelLanes = plan.tileRows;
  lhs.blockLanes = plan.blockRows;
  lhs.coordinates = nest.padded == Nest::Padded::Lhs ? coordinates : 0;
  choosePacking(nest, lhs);
  rhs.isLhs = false;
  rhs.type = nest.rhsType;
  rhs.panelLanes = plan.tileColumns;
  rhs.blockLanes = plan.blockColumns;
  rhs.coordinates = nest.padded == Nest::Padded::Rhs ? coordinates : 0;
  choosePacking(nest, rhs);
  if (lhs.packing == Packing::Rows) {
    // Rows as copied: the broadcasts of the register tile do not mind the distance. 16 words more than the depth keep
    // neighbouring rows out of each other's cache sets.
    lhs.laneWords = roundUp(depthWords, plan.lanes()) + 16;
    lhs.panelWords = lhs.panelLanes * lhs.laneWords;
  } else {
    lhs.stepWords = lhs.panelLanes;
    lhs.panelWords = lhs.panelLanes * depthWords;
  }
  rhs.stepWords = rhs.panelLanes;
  rhs.panelWords = rhs.panelLanes * roundUp(depthWords, plan.lanes()); // The transposition rounds up.

  int64_t offset = 0;
  auto reserve = [&](int64_t bytes) {
    int64_t at = offset;
    offset += roundUp(bytes, 64);
    return at;
  };
  int64_t rhsBlocks = plan.rhsResident ? depthBlocks : 1;
  int64_t tiles = depthBlocks > 1 ? (plan.blockRows / plan.tileRows) * (plan.blockColumns / plan.tileColumns) : 1;
  scratch.lhsBlock = reserve(plan.blockRows / plan.tileRows * lhs.panelWords * 4);
  scratch.rhsBlock = reserve(rhsBlocks * (plan.blockColumns / plan.tileColumns) * rhs.panelWords * 4);
  scratch.staging = reserve(std::max(lhs.panelLanes, rhs.panelLanes) * (depthWords + 16) * 4);
  scratch.accumulators = reserve(tiles * plan.tileRows * plan.tileColumns * 4);
  scratch.lhsLanes = reserve((1 + lhs.coordinates) * plan.blockRows * 8);
  scratch.rhsLanes = reserve((1 + rhs.coordinates) * plan.blockColumns * 8);
  scratch.outRows = reserve(plan.blockRows * 8);
  scratch.outColumns = reserve(plan.blockColumns * 8);
  scratch.lhsSteps = reserve((1 + lhs.coordinates) * stepCapacity * 8);
  scratch.rhsSteps = reserve((1 + rhs.coordinates) * stepCapacity * 8);
  for (const Extra &extra : epilogue.extras) {
    KernelExtra &added = extras.emplace_back(extra, nest, plan.lanes());
    if (added.rows == KernelExtra::Walk::Table)
      added.rowTable = reserve(plan.blockRows * 8);
    if (added.columns == KernelExtra::Walk::Table)
      added.columnTable = reserve(plan.blockColumns * 8);
    if (added.lanes == KernelExtra::Lanes::Apart && columnsContiguous)
      added.staging = reserve(plan.tileRows * plan.tileColumns * 4);
  }
  scratch.bytes = offset;
}

} // namespace orzo::cpu
