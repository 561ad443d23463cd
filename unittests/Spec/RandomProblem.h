// Random problems, small enough to evaluate by the thousand.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <random>

namespace orzo::test {

/// A whole number in [low, high].
int64_t pick(std::mt19937 &random, int64_t low, int64_t high);

struct ProblemKind {
  bool grouped = false; ///< 2 or 3 groups, every other one depthwise.
  bool flipped = false; ///< At least one flip along a filter longer than 1.
  bool unitDim = false; ///< At least one dim of in = filter = out = 1, padLow 0.
  int minRank = 1, maxRank = 3;
};

/// Any direction, type, stride, dilation, padding (negative and excessive too), and any order of memory. The letters of
/// unit extent are left out or placed at random.
ConvSpec randomProblem(const ProblemKind &kind, std::mt19937 &random);

/// Shuffles every layout, unit letters included at random.
void shuffleLayouts(ConvSpec &spec, std::mt19937 &random);

} // namespace orzo::test
