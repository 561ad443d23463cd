#include "Codegen/GPU/NestPlan.h"

#include "Target/CUDA/Rules.h"

#include <algorithm>
#include <numeric>

namespace orzo::gpu {

namespace {

int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t product(const std::vector<GraphLoop> &loops) {
  int64_t count = 1;
  for (const GraphLoop &loop : loops)
    count *= loop.extent;
  return count;
}

void order(std::vector<GraphLoop> &loops, size_t tensor) {
  std::ranges::stable_sort(loops, std::greater(),
                           [&](const GraphLoop &loop) { return std::abs(loop.strides[tensor]); });
  loops = merged(std::move(loops));
}

/// The largest power of two up to 8 that divides the innermost extent and makes some operand's access one vector.
int64_t widest(const StridedNest &nest, const NestPlan &plan, const std::vector<GraphLoop> &loops) {
  if (loops.empty())
    return 1;
  for (int64_t width = 8; width > 1; width /= 2) {
    if (loops.back().extent % width != 0)
      continue;
    for (size_t tensor = 0; tensor < nest.types.size(); ++tensor)
      if (isVector(nest, plan, loops, tensor, width))
        return width;
  }
  return 1;
}

Status checkReach(const StridedNest &nest) {
  for (size_t tensor = 0; tensor < nest.types.size(); ++tensor) {
    int64_t last = nest.offsets[tensor];
    for (const GraphLoop &loop : nest.loops)
      last += std::max<int64_t>(0, (loop.extent - 1) * loop.strides[tensor]);
    if (last >= int64_t(1) << 31)
      return Status::unsupported("a tensor of pointwise work with element " + std::to_string(last) +
                                 "; on this target elements below 2^31 work");
  }
  if (product(nest.loops) >= int64_t(1) << 31)
    return Status::unsupported("loops of " + std::to_string(product(nest.loops)) +
                               " steps; on this target fewer than 2^31 work");
  return Status::success();
}

void planReduction(const StridedNest &nest, NestPlan &plan) {
  // The first operand decides: reading it is most of the work.
  auto inner = [&](const std::vector<GraphLoop> &loops) {
    return loops.empty() ? INT64_MAX : std::abs(loops.back().strides[0]);
  };
  plan.isAlongFirst = nest.operands() == 0 || inner(plan.reduced) <= inner(plan.kept);
  if (plan.isAlongFirst)
    plan.depthWidth = widest(nest, plan, plan.reduced);
  else
    plan.width = widest(nest, plan, plan.kept);
  int64_t groups = plan.groups(), columns = plan.results() / plan.width;
  plan.along = NestPlan::threads;
  if (plan.isAlongFirst) // Short sums side by side.
    while (plan.along > 1 && plan.along / 2 >= groups)
      plan.along /= 2;
  else // A warp has 32 neighbours where there are so many; the rest of the block shares the sums out.
    while (plan.along > 8 && NestPlan::threads / plan.along < columns)
      plan.along /= 2;
  plan.across = NestPlan::threads / plan.along;
  int64_t blocks = ceilDivide(columns, plan.across);
  int64_t wanted = ceilDivide(cuda::multiprocessors * 8, blocks), most = groups / (plan.along * 4);
  plan.splits = std::clamp<int64_t>(std::min(wanted, most), 1, 1024);
  if (blocks >= cuda::multiprocessors) // There is work enough for one launch.
    plan.splits = 1;
}

} // namespace

int64_t NestPlan::results() const { return product(kept); }
int64_t NestPlan::summands() const { return product(reduced); }

int64_t NestPlan::groups() const { return summands() / depthWidth; }
int64_t NestPlan::groupsPerSplit() const { return ceilDivide(ceilDivide(groups(), splits), along) * along; }

int64_t NestPlan::blocks() const {
  int64_t columns = results() / width;
  bool isMap = across * along == 1;
  return isMap ? ceilDivide(columns, threads) : ceilDivide(columns, across) * splits;
}

bool isVector(const StridedNest &nest, const NestPlan &plan, const std::vector<GraphLoop> &loops, size_t tensor,
              int64_t width) {
  if (width == 1 || loops.back().strides[tensor] != 1 || nest.offsets[tensor] % width != 0)
    return false;
  for (const std::vector<GraphLoop> *all : {&plan.kept, &plan.reduced})
    for (const GraphLoop &loop : *all)
      if (&loop != &loops.back() && loop.strides[tensor] % width != 0)
        return false;
  return true;
}

Expected<NestPlan> planNest(const StridedNest &nest) {
  if (Status status = checkReach(nest); !status.ok())
    return status;
  NestPlan plan;
  size_t result = nest.operands();
  for (const GraphLoop &loop : nest.loops)
    (loop.strides[result] == 0 && loop.extent != 1 && nest.reduction ? plan.reduced : plan.kept).push_back(loop);
  order(plan.kept, result);
  order(plan.reduced, 0);
  for (const GraphLoop &loop : plan.kept)
    if (loop.strides[result] == 0)
      return Status::unsupported("a loop in which the result of a map does not move");
  if (plan.results() == 0)
    return plan;
  if (nest.reduction)
    planReduction(nest, plan);
  else
    plan.width = widest(nest, plan, plan.kept);
  return plan;
}

} // namespace orzo::gpu
