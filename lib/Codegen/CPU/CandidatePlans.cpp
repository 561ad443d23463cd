#include "Codegen/CPU/Plan.h"

#include <algorithm>

namespace orzo::cpu {

namespace {

class Candidates {
public:
  explicit Candidates(const Nest &nest) : nest(nest) {}

  /// Keeps `plan` where the plan language allows it and no other is the same.
  void add(Plan plan, std::string reason) {
    std::string words = text(plan);
    if (std::ranges::find(texts, words) != texts.end() || !parsePlan(words, nest).ok())
      return;
    texts.push_back(std::move(words));
    plan.reason = std::move(reason);
    plans.push_back(std::move(plan));
  }

  std::vector<Plan> plans;

private:
  const Nest &nest;
  std::vector<std::string> texts;
};

/// Half of a block, in whole tiles.
int64_t half(int64_t block, int64_t tile) { return std::max(tile, (block / 2 + tile - 1) / tile * tile); }

Plan halved(Plan plan, bool rows, bool columns, bool depth) {
  if (rows)
    plan.blockRows = half(plan.blockRows, plan.tileRows);
  if (columns)
    plan.blockColumns = half(plan.blockColumns, plan.tileColumns);
  if (depth)
    plan.blockDepth = half(plan.blockDepth, plan.pair());
  return plan;
}

} // namespace

std::vector<Plan> candidatePlans(const Nest &nest, Isa isa, int threads) {
  Plan best = choosePlan(nest, isa, threads);
  Candidates candidates(nest);
  candidates.add(best, best.reason);
  candidates.add(halved(best, true, false, false), "half the rows of the first plan: more units, less of L2");
  candidates.add(halved(best, false, true, false), "half the columns of the first plan: less packed rhs at a time");
  if (!best.channels) {
    Plan other = best;
    other.rhsResident = !best.rhsResident;
    candidates.add(other, best.rhsResident ? "rhs packed block by block for every row block: less scratch"
                                           : "rhs packed once for all row blocks: less packing");
  }
  candidates.add(halved(best, false, false, true), "half the depth of the first plan: less of L1 and L2");
  Plan least = best;
  least.rhsResident = least.channels && least.rhsResident;
  bool hasSmall = false;
  while (true) {
    Plan smaller = halved(least, true, true, true);
    if (text(smaller) == text(least))
      break;
    least = smaller;
    bool isSmallest = text(halved(least, true, true, true)) == text(least);
    bool isSmall = !hasSmall && least.blockDepth <= 64;
    hasSmall = hasSmall || isSmall;
    if (isSmallest || isSmall)
      candidates.add(least, isSmallest ? "the least scratch: one tile at a time" : "small blocks: little scratch");
  }
  return std::move(candidates.plans);
}

} // namespace orzo::cpu
