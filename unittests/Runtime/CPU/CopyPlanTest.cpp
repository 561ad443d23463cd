#include "Runtime/CPU/CopyPlan.h"
#include "Runtime/Core/ArtifactCheck.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace orzo;
using namespace orzo::cpu;

namespace {

/// A copy between a packed tensor in one dim order and a strided view in another, some dims of the source reversed.
ArtifactStep randomCopy(std::mt19937 &random, int64_t &sourceElements, int64_t &targetElements) {
  auto upTo = [&](int64_t most) { return std::uniform_int_distribution<int64_t>(0, most)(random); };
  size_t rank = upTo(5);
  std::vector<ArtifactCopyDim> dims(rank);
  for (ArtifactCopyDim &dim : dims)
    dim.extent = 1 + upTo(5);
  ArtifactStep step;
  step.kind = ArtifactStep::Kind::Copy;
  step.elementBytes = upTo(1) ? 4 : 2;
  auto strides = [&](int64_t ArtifactCopyDim::*stride, int64_t &elements) {
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    elements = 1;
    for (size_t dim : order) {
      int64_t spread = upTo(3) == 0 ? 2 : 1; // Now and then every second element only, or a gap between rows.
      dims[dim].*stride = elements * spread;
      elements *= dims[dim].extent * spread;
    }
  };
  strides(&ArtifactCopyDim::sourceStride, sourceElements);
  strides(&ArtifactCopyDim::targetStride, targetElements);
  for (ArtifactCopyDim &dim : dims)
    if (upTo(2) == 0) {
      step.sourceOffset += (dim.extent - 1) * dim.sourceStride;
      dim.sourceStride = -dim.sourceStride;
    }
  step.targetOffset = upTo(2);
  targetElements += step.targetOffset;
  step.copyDims = dims;
  return step;
}

template <typename Element>
void naive(const ArtifactStep &step, size_t dim, int64_t from, int64_t to, const std::vector<Element> &source,
           std::vector<Element> &target) {
  if (dim == step.copyDims.size()) {
    target.at(to) = source.at(from);
    return;
  }
  const ArtifactCopyDim &each = step.copyDims[dim];
  for (int64_t i = 0; i < each.extent; ++i)
    naive(step, dim + 1, from + i * each.sourceStride, to + i * each.targetStride, source, target);
}

template <typename Element>
void compare(const ArtifactStep &step, int64_t sourceElements, int64_t targetElements, std::mt19937 &random) {
  std::vector<Element> source(sourceElements), expected(targetElements, Element(-1)), target = expected;
  std::ranges::generate(source, [&] { return static_cast<Element>(random()); });
  naive(step, 0, step.sourceOffset, step.targetOffset, source, expected);
  CopyPlan plan(step);
  // In three pieces, as threads would.
  int64_t count = plan.elementCount();
  int64_t first = random() % (count + 1), second = first + random() % (count - first + 1);
  plan.run(source.data(), target.data(), second, count);
  plan.run(source.data(), target.data(), 0, first);
  plan.run(source.data(), target.data(), first, second);
  ASSERT_EQ(target, expected);
}

TEST(CopyPlan, EqualsNaiveCopies) {
  std::mt19937 random(11);
  for (int i = 0; i < 3000; ++i) {
    int64_t sourceElements, targetElements;
    ArtifactStep step = randomCopy(random, sourceElements, targetElements);
    if (step.elementBytes == 4)
      compare<uint32_t>(step, sourceElements, targetElements, random);
    else
      compare<uint16_t>(step, sourceElements, targetElements, random);
  }
}

TEST(CopyPlan, EmptyCopiesHaveNoElements) {
  ArtifactStep step;
  step.kind = ArtifactStep::Kind::Copy;
  step.elementBytes = 2;
  step.copyDims = {{int64_t(1) << 48, 1, 1}, {0, 1, 1}, {int64_t(1) << 48, 1, 1}};
  EXPECT_EQ(CopyPlan(step).elementCount(), 0);
}

} // namespace
