#include "Codegen/CPU/NestPlan.h"

#include <algorithm>

namespace orzo::cpu {

static int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t roundUp(int64_t a, int64_t multiple) { return ceilDivide(a, multiple) * multiple; }

static int64_t countOf(const std::vector<GraphLoop> &loops) {
  int64_t count = 1;
  for (const GraphLoop &loop : loops)
    count *= loop.extent;
  return count;
}

int64_t NestPlan::outerCount() const { return countOf(outer); }
int64_t NestPlan::chunks() const { return isEmpty ? 0 : countOf(reduced) * ceilDivide(inner.extent, chunk); }

/// Sorted, those with the largest strides of the result, then of the operands, outermost; and merged.
static std::vector<GraphLoop> ordered(std::vector<GraphLoop> loops) {
  auto key = [](const GraphLoop &loop) {
    std::vector<int64_t> strides;
    for (size_t i = loop.strides.size(); i-- > 0;)
      strides.push_back(std::abs(loop.strides[i]));
    return strides;
  };
  std::ranges::stable_sort(loops, [&](const GraphLoop &a, const GraphLoop &b) { return key(a) > key(b); });
  return merged(std::move(loops));
}

/// Whether a tile of `loop` (of the result) and a loop in which `operand` is contiguous can be transposed.
static const GraphLoop *crossLoop(const std::vector<GraphLoop> &loops, const GraphLoop &loop, size_t operand,
                                  int64_t lanes) {
  if (loop.extent < lanes || loop.strides.back() != 1 || loop.strides[operand] == 0 || loop.strides[operand] == 1)
    return nullptr;
  for (const GraphLoop &other : loops)
    if (&other != &loop && other.strides[operand] == 1 && other.extent >= lanes && other.strides.back() != 0)
      return &other;
  return nullptr;
}

/// About the cycles per element with `loop` along the lanes.
static double cost(const std::vector<GraphLoop> &loops, const GraphLoop &loop, bool isMap, int64_t lanes) {
  auto used = static_cast<double>(std::min(loop.extent, lanes));
  double all = 12.0 / static_cast<double>(loop.extent);
  for (size_t i = 0; i < loop.strides.size(); ++i) {
    bool isResult = i + 1 == loop.strides.size();
    if (loop.strides[i] == 1)
      all += 1 / used;
    else if (loop.strides[i] != 0 && (isMap || !isResult))
      all += !isResult && isMap && crossLoop(loops, loop, i, lanes) ? 0.5 : 1.2;
  }
  return all;
}

static size_t chooseLane(const std::vector<GraphLoop> &loops, bool isMap, int64_t lanes) {
  size_t best = loops.size() - 1;
  for (size_t i = loops.size() - 1; i-- > 0;)
    if (cost(loops, loops[i], isMap, lanes) < cost(loops, loops[best], isMap, lanes))
      best = i;
  return best;
}

static void planMap(NestPlan &plan, std::vector<GraphLoop> loops, const std::vector<ElementType> &types, int threads) {
  size_t operands = types.size() - 1;
  size_t lane = chooseLane(loops, true, plan.lanes);
  plan.lane = loops[lane];
  const GraphLoop *cross = nullptr;
  std::vector<bool> transposed(operands, false);
  for (size_t operand = 0; operand < operands; ++operand) {
    const GraphLoop *found = crossLoop(loops, loops[lane], operand, plan.lanes);
    if (!cross)
      cross = found;
    transposed[operand] = found && found == cross;
  }
  GraphLoop row = cross ? *cross : GraphLoop();
  for (size_t i = 0; i < loops.size(); ++i)
    if (i != lane && &loops[i] != cross)
      plan.outer.push_back(loops[i]);
  if (cross) {
    plan.transposed = transposed;
    plan.outer.push_back(row);
    constexpr int64_t unitRows = 256, unitColumns = 128, cacheLine = 64;
    plan.rowBlock = std::min(roundUp(row.extent, plan.lanes), unitRows);
    plan.laneBlock = std::min(roundUp(plan.lane.extent, plan.lanes), unitColumns);
    for (ElementType type : types)
      plan.tileBlock = std::max(plan.tileBlock, cacheLine / static_cast<int64_t>(byteSize(type)));
    return;
  }
  // Blocks long enough that the way to them costs nothing, short enough that every thread gets some.
  int64_t share = ceilDivide(countOf(loops), 4 * std::max(1, threads));
  int64_t block = std::min(plan.lane.extent, std::clamp<int64_t>(share, 1024, 16384));
  plan.laneBlock = roundUp(std::max<int64_t>(block, 1), plan.lanes);
}

static void planSplits(NestPlan &plan) {
  // Enough units for many threads, but none too short to be worth its place among the partial results.
  constexpr int64_t enoughUnits = 256, enoughBlocks = 64, worthASplit = 16384;
  int64_t blocks = plan.outerCount() * (plan.lanesReduced ? 1 : plan.laneBlocks());
  int64_t summands = plan.reducedCount * (plan.lanesReduced ? 1 : plan.laneBlock);
  int64_t splits = blocks == 0 || blocks >= enoughBlocks
                       ? 1
                       : std::max<int64_t>(1, std::min(ceilDivide(enoughUnits, blocks), summands / worthASplit));
  int64_t rows = countOf(plan.reduced);
  plan.chunk = std::max<int64_t>(1, plan.inner.extent);
  if (plan.isEmpty)
    return;
  if (rows < splits) {
    plan.chunk = ceilDivide(plan.inner.extent, ceilDivide(splits, rows));
    if (plan.lanesReduced)
      plan.chunk = roundUp(plan.chunk, plan.group * plan.lanes);
  }
  plan.chunksPerSplit = ceilDivide(plan.chunks(), splits);
  plan.splits = ceilDivide(plan.chunks(), plan.chunksPerSplit);
}

static void planReduction(NestPlan &plan, const std::vector<GraphLoop> &loops, const GraphLoop &one) {
  std::vector<GraphLoop> kept, reduced;
  for (const GraphLoop &loop : loops)
    (loop.strides.back() == 0 ? reduced : kept).push_back(loop);
  plan.reducedCount = countOf(reduced);
  plan.isEmpty = plan.reducedCount == 0;
  if (plan.isEmpty)
    reduced.clear();
  // By its own strides alone a reduced loop is sorted last, as the result's are compared first.
  std::vector<GraphLoop> all = ordered(kept);
  size_t keptCount = all.size();
  std::vector<GraphLoop> rest = ordered(reduced);
  all.insert(all.end(), rest.begin(), rest.end());
  size_t lane = all.empty() ? 0 : chooseLane(all, false, plan.lanes);
  plan.lanesReduced = !all.empty() && lane >= keptCount;
  plan.lane = all.empty() ? one : all[lane];
  for (size_t i = 0; i < all.size(); ++i)
    if (i != lane)
      (i < keptCount ? plan.outer : plan.reduced).push_back(all[i]);
  if (plan.lanesReduced) {
    plan.inner = plan.lane;
  } else {
    plan.inner = one;
    std::ranges::fill(plan.inner.strides, 0);
    if (!plan.reduced.empty()) {
      plan.inner = plan.reduced.back();
      plan.reduced.pop_back();
    }
    // Accumulators in the first-level cache, so that whole rows are read.
    plan.laneBlock = roundUp(std::clamp<int64_t>(plan.lane.extent, 1, 1024), plan.lanes);
  }
  plan.prefetches = !plan.lanesReduced && plan.lane.extent > 128;
  int64_t most = plan.lanesReduced || plan.prefetches ? 8 : 4;
  int64_t steps = plan.lanesReduced ? plan.inner.extent / plan.lanes : plan.inner.extent;
  while (plan.group < most && 2 * plan.group <= steps)
    plan.group *= 2;
  planSplits(plan);
}

NestPlan planNest(const StridedNest &nest, Isa isa, int threads) {
  NestPlan plan;
  plan.masks = isa != Isa::AVX2;
  plan.lanes = plan.masks ? 16 : 8;
  // What a nest without loops has along its lanes: a single element.
  GraphLoop one{1, std::vector<int64_t>(nest.types.size(), 1)};
  if (nest.reduction) {
    planReduction(plan, nest.loops, one);
    return plan;
  }
  std::vector<GraphLoop> loops = ordered(nest.loops);
  if (loops.empty())
    loops.push_back(one);
  planMap(plan, std::move(loops), nest.types, threads);
  return plan;
}

} // namespace orzo::cpu
