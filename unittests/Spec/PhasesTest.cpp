// The phase table against the relation, product by product.
#include "orzo/Spec/Phases.h"
#include "NaiveEvaluator.h"
#include "RandomProblem.h"
#include "orzo/Spec/Canonical.h"

#include <gtest/gtest.h>
#include <set>
#include <tuple>

using namespace orzo;
using namespace orzo::test;

namespace {

using Triple = std::tuple<int64_t, int64_t, int64_t>; // (h, stored tap, p)

/// All of the relation inside the tensors.
std::set<Triple> relation(const SpatialDim &dim) {
  std::set<Triple> all;
  for (int64_t h = 0; h < dim.in; ++h)
    for (int64_t r = 0; r < dim.filter; ++r)
      for (int64_t p = 0; p < dim.out; ++p)
        if (h == dim.stride * p + dim.dilation * r - dim.padLow)
          all.insert({h, dim.flip ? dim.filter - 1 - r : r, p});
  return all;
}

SpatialDim randomDim(std::mt19937 &random) {
  SpatialDim dim;
  dim.in = pick(random, 1, 12);
  dim.filter = pick(random, 1, 6);
  dim.out = pick(random, 1, 12);
  dim.stride = pick(random, 1, 6);
  dim.dilation = pick(random, 1, 6);
  dim.padLow = pick(random, -6, 12);
  dim.flip = pick(random, 0, 1);
  return dim;
}

TEST(Phases, TablesAreTheRelation) {
  std::mt19937 random(13);
  for (int i = 0; i < 20000; ++i) {
    ConvSpec spec = channelsLast(Direction::DGrad, 1, 1, 1, 1, {randomDim(random)}, DataType::F32);
    const SpatialDim &dim = spec.spatial[0];
    std::set<Triple> expected = relation(dim);
    for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
      spec.direction = direction;
      bool backward = direction == Direction::DGrad;
      PhaseTable table = direction == Direction::WGrad ? wgradTaps(spec) : phases(spec);
      ASSERT_EQ(table.dims.size(), 1u);
      const DimPhases &phasesOfDim = table.dims[0];
      std::set<Triple> found;
      std::set<int64_t> outputs;
      int64_t weight = INT64_MAX, entries = 0;
      for (const DimPhase &phase : phasesOfDim.phases) {
        ASSERT_LE(phase.tapCount, weight) << "heavy phases first";
        weight = phase.tapCount;
        for (int64_t i = 0; i < phase.extent; ++i) {
          int64_t output = phase.outBegin + phasesOfDim.outStride * i;
          ASSERT_TRUE(outputs.insert(output).second) << "each output belongs to one phase";
          for (int64_t t = 0; t < phase.tapCount; ++t) {
            int64_t input = phasesOfDim.inStride * i + phase.offsetBegin + t * phasesOfDim.offsetStep;
            int64_t tap = phase.tapBegin + t * phasesOfDim.tapStep;
            ASSERT_TRUE(tap >= 0 && tap < dim.filter) << text(spec);
            if (input < 0 || input >= (backward ? dim.out : dim.in))
              continue;
            found.insert(backward ? Triple{output, tap, input} : Triple{input, tap, output});
            ++entries;
          }
        }
      }
      ASSERT_EQ(found, expected) << text(spec);
      ASSERT_EQ(entries, int64_t(expected.size())) << "no product twice: " << text(spec);
      ASSERT_EQ(int64_t(outputs.size()), backward ? dim.in : dim.out) << "every output is written: " << text(spec);
      ASSERT_EQ(*outputs.begin(), 0);
      ASSERT_EQ(*outputs.rbegin(), int64_t(outputs.size()) - 1);
    }
  }
}

TEST(Phases, TheWorkedExample) {
  ConvSpec spec = channelsLast(Direction::DGrad, 1, 1, 1, 1, {{5, 3, 3, 2, 1, 1, false}}, DataType::F32);
  DimPhases dim = phases(spec).dims[0];
  ASSERT_EQ(dim.phases.size(), 2u);
  EXPECT_EQ(dim.phases[0], (DimPhase{1, 2, 2, 0, 1})) << "h = 1 3: taps 0 2, offsets 1 0";
  EXPECT_EQ(dim.phases[1], (DimPhase{0, 3, 1, 1, 0})) << "h = 0 2 4: tap 1, offset 0";
}

TEST(Phases, NumbersOfAPhaseAreTheProductOfTheDims) {
  SpatialDim two = {5, 3, 3, 2, 1, 1, false}, three = {7, 2, 3, 3, 1, 0, false};
  PhaseTable table = phases(channelsLast(Direction::DGrad, 1, 1, 1, 1, {two, three}, DataType::F32));
  ASSERT_EQ(table.phaseCount(), 6);
  std::set<std::pair<int64_t, int64_t>> begins;
  for (int64_t i = 0; i < 6; ++i)
    begins.insert({table.phase(i)[0].outBegin, table.phase(i)[1].outBegin});
  EXPECT_EQ(begins.size(), 6u);
  EXPECT_EQ(phases(channelsLast(Direction::FProp, 1, 1, 1, 1, {}, DataType::F32)).phaseCount(), 1);
}

TEST(Phases, UsefulFlopsAreTwiceTheProducts) {
  std::mt19937 random(17);
  for (int i = 0; i < 3000; ++i) {
    ProblemKind kind;
    kind.minRank = 0;
    kind.grouped = i % 2;
    ConvSpec spec = randomProblem(kind, random);
    ASSERT_EQ(spec.flopsUseful(), 2 * naiveProducts(spec)) << text(spec);
    ASSERT_GE(spec.flopsPadding(), 0) << text(spec);
  }
}

} // namespace
