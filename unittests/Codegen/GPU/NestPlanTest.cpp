// The index logic of maps and reductions, run on the CPU: every result and every summand is reached exactly once, where
// the nest says.
#include "Codegen/GPU/NestPlan.h"
#include "Codegen/GPU/Integers.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace orzo::gpu {
namespace {

int64_t pick(std::mt19937 &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

/// For each element of the result the elements of the operands that meet there, with how often.
using Visits = std::map<int64_t, std::multiset<std::vector<int64_t>>>;

Visits visitsOf(const StridedNest &nest) {
  Visits visits;
  std::vector<int64_t> elements = nest.offsets;
  std::function<void(size_t)> walk = [&](size_t depth) {
    if (depth == nest.loops.size()) {
      visits[elements.back()].insert({elements.begin(), elements.end() - 1});
      return;
    }
    for (int64_t i = 0; i < nest.loops[depth].extent; ++i) {
      walk(depth + 1);
      for (size_t tensor = 0; tensor < elements.size(); ++tensor)
        elements[tensor] += nest.loops[depth].strides[tensor];
    }
    for (size_t tensor = 0; tensor < elements.size(); ++tensor)
      elements[tensor] -= nest.loops[depth].extent * nest.loops[depth].strides[tensor];
  };
  walk(0);
  return visits;
}

/// As the kernels do it.
class Walker {
public:
  Walker(const StridedNest &nest, const NestPlan &plan) : nest(nest), plan(plan) {}

  Visits run() {
    for (int64_t block = 0; block < plan.blocks(); ++block)
      for (int64_t thread = 0; thread < NestPlan::threads; ++thread)
        nest.reduction ? reduce(block, thread) : map(block * NestPlan::threads + thread);
    return visits;
  }

private:
  void map(int64_t thread) {
    if (thread < plan.results() / plan.width)
      visit(digitsAlong(m, plan.kept, thread * plan.width), {}, plan.kept, plan.width);
  }

  void reduce(int64_t block, int64_t thread) {
    ReducingThread<Integers> work = reducingThread(m, plan, block, thread);
    if (work.column >= plan.results() / plan.width)
      return;
    std::vector<int64_t> kept = digitsAlong(m, plan.kept, work.column * plan.width);
    for (int64_t group = work.begin; group < work.end; group += plan.along) {
      std::vector<int64_t> reduced = digitsAlong(m, plan.reduced, group * plan.depthWidth);
      visit(kept, reduced, plan.depthWidth > 1 ? plan.reduced : plan.kept, std::max(plan.width, plan.depthWidth));
    }
  }

  void visit(const std::vector<int64_t> &kept, const std::vector<int64_t> &reduced, const std::vector<GraphLoop> &along,
             int64_t width) {
    std::vector<int64_t> first;
    for (size_t tensor = 0; tensor < nest.types.size(); ++tensor) {
      first.push_back(nest.offsets[tensor] + elementAlong(m, plan.kept, tensor, kept));
      if (!reduced.empty())
        first.back() += elementAlong(m, plan.reduced, tensor, reduced);
      if (isVector(nest, plan, along, tensor, width)) {
        EXPECT_EQ(first.back() % width, 0) << "tensor " << tensor;
      }
    }
    for (int64_t i = 0; i < width; ++i) {
      std::vector<int64_t> elements = first;
      for (size_t tensor = 0; tensor < elements.size(); ++tensor)
        elements[tensor] += along.empty() ? 0 : i * along.back().strides[tensor];
      int64_t result = elements.back();
      elements.pop_back();
      visits[result].insert(elements);
    }
  }

  Integers m;
  const StridedNest &nest;
  const NestPlan &plan;
  Visits visits;
};

/// Loops over a packed tensor of these extents, in a random order of dims for each operand; `isReduced` by dim.
StridedNest randomNest(std::mt19937 &random, bool reduces) {
  StridedNest nest;
  auto dims = static_cast<size_t>(pick(random, 1, 4));
  std::vector<int64_t> extents;
  for (size_t dim = 0; dim < dims; ++dim)
    extents.push_back(pick(random, 0, 2) == 0 ? 8 * pick(random, 1, 6) : pick(random, 1, 13));
  auto tensors = static_cast<size_t>(pick(random, 2, 4));
  std::vector<std::vector<int64_t>> strides(tensors, std::vector<int64_t>(dims, 0));
  for (size_t tensor = 0; tensor < tensors; ++tensor) {
    std::vector<size_t> order(dims);
    for (size_t dim = 0; dim < dims; ++dim)
      order[dim] = dim;
    if (pick(random, 0, 1))
      std::shuffle(order.begin(), order.end(), random);
    bool isResult = tensor + 1 == tensors;
    int64_t stride = 1;
    for (size_t i = dims; i-- > 0;) {
      bool isStill = isResult ? reduces && pick(random, 0, 1) : pick(random, 0, 3) == 0;
      if (isStill && extents[order[i]] > 1)
        continue;
      strides[tensor][order[i]] = stride;
      stride *= extents[order[i]];
    }
    nest.offsets.push_back(pick(random, 0, 1) * pick(random, 0, 16));
    nest.types.push_back(ElementType::BFloat16);
  }
  for (size_t dim = 0; dim < dims; ++dim) {
    nest.loops.push_back({extents[dim], {}});
    for (size_t tensor = 0; tensor < tensors; ++tensor)
      nest.loops.back().strides.push_back(strides[tensor][dim]);
  }
  if (reduces)
    nest.reduction = ReductionMode::ADD;
  return nest;
}

TEST(NestPlan, EveryElementIsReachedOnce) {
  std::mt19937 random(41);
  std::map<std::string, int> seen;
  for (int i = 0; i < 400; ++i) {
    StridedNest nest = randomNest(random, i % 2 == 1);
    Expected<NestPlan> plan = planNest(nest);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    ASSERT_EQ(Walker(nest, *plan).run(), visitsOf(nest)) << "nest " << i;
    seen["wide"] += plan->width > 1, seen["deep"] += plan->depthWidth > 1, seen["along"] += plan->isAlongFirst;
    seen["scalar"] += plan->kept.empty();
  }
  EXPECT_GT(seen["wide"], 100);
  EXPECT_GT(seen["deep"], 20);
  EXPECT_GT(seen["along"], 50);
  EXPECT_GT(seen["scalar"], 5);
}

TEST(NestPlan, LongSumsAreSplit) {
  StridedNest channels;
  channels.loops = {{3136, {256, 0}}, {256, {1, 1}}};
  channels.offsets = {0, 0};
  channels.types = {ElementType::BFloat16, ElementType::Float};
  channels.reduction = ReductionMode::ADD;
  NestPlan plan = planNest(channels).take();
  EXPECT_EQ(plan.width, 8);
  EXPECT_EQ(plan.across, 32);
  EXPECT_EQ(plan.along, 8);
  EXPECT_GT(plan.splits, 32);
  EXPECT_EQ(Walker(channels, plan).run(), visitsOf(channels));
  StridedNest all = channels;
  all.loops = {{int64_t(3136) * 64, {1, 0}}};
  plan = planNest(all).take();
  EXPECT_TRUE(plan.isAlongFirst);
  EXPECT_EQ(plan.depthWidth, 8);
  EXPECT_GT(plan.splits, 1);
  EXPECT_EQ(Walker(all, plan).run(), visitsOf(all));
}

TEST(NestPlan, Refuses) {
  StridedNest nest;
  nest.loops = {{4, {1, 0}}};
  nest.offsets = {0, 0};
  nest.types = {ElementType::Float, ElementType::Float};
  EXPECT_EQ(planNest(nest).status().code(), StatusCode::Unsupported); // Four values to one place.
  nest.loops = {{int64_t(1) << 31, {1, 1}}};
  EXPECT_EQ(planNest(nest).status().code(), StatusCode::Unsupported);
}

} // namespace
} // namespace orzo::gpu
