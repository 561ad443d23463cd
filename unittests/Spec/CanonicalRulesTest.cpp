// Each rule of the canonical form, run before and after on the same bytes.
#include "Spec/CanonicalRules.h"

#include "NaiveEvaluator.h"
#include "RandomProblem.h"
#include "Renaming.h"

#include <functional>
#include <gtest/gtest.h>

using namespace orzo;
using namespace orzo::test;

namespace {

/// Runs `rule` on 4,000 random problems of all kinds with random unit dims and letters; each result must compute the
/// same bytes from the same memory. Returns how many problems the rule changed.
int runBeforeAndAfter(const std::function<std::optional<Canonical>(const Canonical &)> &rule) {
  std::mt19937 random(3);
  int changed = 0;
  for (int i = 0; i < 4000; ++i) {
    ProblemKind kind;
    kind.grouped = i % 4 == 1;
    kind.flipped = i % 4 == 2;
    kind.unitDim = i % 4 == 3;
    Canonical before = sourceView(decorate({randomProblem(kind, random)}, random).spec);
    std::optional<Canonical> after = rule(before);
    if (!after || after->spec == before.spec)
      continue;
    ++changed;
    EXPECT_TRUE(validate(after->spec).ok()) << text(after->spec);
    std::array<Bytes, 3> memory, viewed;
    for (int tensor = 0; tensor < 3; ++tensor)
      memory[tensor] = randomTensor(before.spec, Role(tensor), random);
    for (int tensor = 0; tensor < 3; ++tensor)
      viewed[tensor] = memory[static_cast<int>(after->views[tensor].source)];
    Role result = after->views[static_cast<int>(resultRole(after->spec.direction))].source;
    EXPECT_EQ(result, resultRole(before.spec.direction));
    EXPECT_EQ(evaluate(after->spec, viewed), evaluate(before.spec, memory)) << text(before.spec) << "\n"
                                                                            << text(after->spec);
    if (testing::Test::HasFailure())
      return changed;
  }
  return changed;
}

int runInPlace(const std::function<void(Canonical &)> &rule) {
  return runBeforeAndAfter([&](Canonical problem) -> std::optional<Canonical> {
    rule(problem);
    return problem;
  });
}

TEST(CanonicalRules, ResetIdleStride) {
  EXPECT_GE(runInPlace([](Canonical &problem) { resetIdleStride(problem.spec); }), 500);
  // The trap of H = W = 2, stride 2: out is 1, so the stride says nothing, and the last row is not read.
  ConvSpec spec = channelsLast(Direction::FProp, 1, 1, 1, 1, {{2, 1, 1, 2, 1, 0, false}}, DataType::F32);
  resetIdleStride(spec);
  EXPECT_EQ(spec.spatial[0], (SpatialDim{2, 1, 1, 1, 1, 0, false}));
  EXPECT_EQ(spec.spatial[0].padHigh(), -1);
}

TEST(CanonicalRules, ResetIdleDilation) {
  EXPECT_GE(runInPlace([](Canonical &problem) { resetIdleDilation(problem.spec); }), 500);
}

TEST(CanonicalRules, ResetIdleFlip) {
  EXPECT_GE(runInPlace([](Canonical &problem) { resetIdleFlip(problem.spec); }), 500);
}

TEST(CanonicalRules, DropUnitLetters) { EXPECT_GE(runInPlace(dropUnitLetters), 2000); }

TEST(CanonicalRules, DropUnitDims) {
  EXPECT_GE(runInPlace([](Canonical &problem) {
              dropUnitLetters(problem);
              dropUnitDims(problem);
            }),
            2000);
  Canonical kept = sourceView(channelsLast(Direction::FProp, 2, 2, 2, 1, {{1, 1, 1, 1, 1, 1, false}}, DataType::F32));
  normalise(kept);
  EXPECT_EQ(kept.spec.rank(), 1) << "the window lies in the padding: the result is zero, not a matrix product";
}

TEST(CanonicalRules, OrderSpatialDims) {
  EXPECT_GE(runInPlace([](Canonical &problem) {
              dropUnitLetters(problem);
              orderSpatialDims(problem);
            }),
            1000);
}

TEST(CanonicalRules, NormaliseIsIdempotent) {
  EXPECT_GE(runInPlace([](Canonical &problem) {
              normalise(problem);
              Canonical again = problem;
              normalise(again);
              EXPECT_EQ(again.spec, problem.spec);
            }),
            3000);
}

TEST(CanonicalRules, SwapFilterAndOutput) {
  EXPECT_GE(runBeforeAndAfter([](Canonical problem) {
              normalise(problem);
              std::optional<Canonical> step = swapFilterAndOutput(problem);
              if (step) {
                EXPECT_EQ(swapFilterAndOutput(*step)->spec, problem.spec) << "its own inverse";
              }
              return step;
            }),
            1500);
}

TEST(CanonicalRules, SwapFilterAndOutputRefusesFlipsAndTheEmptyBatch) {
  ConvSpec spec = channelsLast(Direction::FProp, 2, 3, 4, 1, {{5, 3, 3, 1, 1, 0, true}}, DataType::F32);
  EXPECT_FALSE(swapFilterAndOutput(sourceView(spec)));
  spec.spatial[0].flip = false;
  EXPECT_TRUE(swapFilterAndOutput(sourceView(spec)));
  spec.n = 0;
  EXPECT_FALSE(swapFilterAndOutput(sourceView(spec)));
}

TEST(CanonicalRules, SwapInputAndOutput) {
  EXPECT_GE(runBeforeAndAfter([](Canonical problem) {
              normalise(problem);
              std::optional<Canonical> step = swapInputAndOutput(problem);
              if (step) {
                EXPECT_EQ(swapInputAndOutput(*step)->spec, problem.spec) << "its own inverse";
              }
              return step;
            }),
            1000);
  ConvSpec strided = channelsLast(Direction::FProp, 2, 3, 4, 1, {{5, 3, 2, 2, 1, 0, false}}, DataType::F32);
  EXPECT_FALSE(swapInputAndOutput(sourceView(strided)));
}

} // namespace
