// The covering grid covers: every legal triple of levels, each problem having the levels it is said to have.
#include "CoveringGrid.h"
#include "orzo/Spec/Canonical.h"

#include <gtest/gtest.h>

#include <set>

namespace orzo::conformance {
namespace {

TEST(GridCoverage, EveryLegalTripleIsCovered) {
  std::vector<Triple> triples = legalTriples();
  EXPECT_GT(triples.size(), 10000u);
  std::vector<Triple> left = uncovered(triples, coveringRows());
  EXPECT_EQ(left.size(), 0u) << "of " << triples.size() << "; the first: " << text(left.front());
  std::printf("%zu legal triples in %zu problems\n", triples.size(), coveringRows().size());
}

TEST(GridCoverage, ARowLessLeavesTriplesUncovered) {
  std::vector<GridRow> rows = coveringRows();
  rows.pop_back();
  EXPECT_GT(uncovered(legalTriples(), rows).size(), 0u);
}

TEST(GridCoverage, TheCombinationsThatAreNoProblemAreTheKnownOnes) {
  // What legalTriples() leaves out is left out for one of three reasons.
  for (int a = 0; a < factorCount; ++a)
    for (int b = a + 1; b < factorCount; ++b)
      for (int i = 0; i < int(gridFactors()[a].levels.size()); ++i)
        for (int j = 0; j < int(gridFactors()[b].levels.size()); ++j) {
          GridRow row = {};
          row[a] = i;
          row[b] = j;
          if (gridProblem(row))
            continue;
          bool splitsOneChannel = row[FactorGroups] != 0 && row[FactorRemainder] == 1;
          bool lacksDims = row[FactorRank] >= 2 && (a == FactorRank || b == FactorRank);
          EXPECT_TRUE(splitsOneChannel || lacksDims) << text(row);
        }
}

TEST(GridCoverage, EachProblemHasTheLevelsItSays) {
  for (const GridRow &row : coveringRows()) {
    std::optional<ConvSpec> spec = gridProblem(row);
    ASSERT_TRUE(spec) << text(row);
    SCOPED_TRACE(text(row) + " = " + text(*spec));
    EXPECT_TRUE(validate(*spec).ok());
    EXPECT_EQ(spec->rank(), 3 - row[FactorRank]);
    std::set<int64_t> strides;
    for (const SpatialDim &dim : spec->spatial) {
      auto sign = [](int64_t value) { return value < 0 ? 1 : value > 0 ? 2 : 0; };
      EXPECT_EQ(sign(dim.padLow), std::min(row[FactorPadLow], 2));
      EXPECT_EQ(dim.padLow > dim.dilation * (dim.filter - 1) + 1,
                row[FactorPadLow] == 3 || (dim.padLow == 2 && dim.filter == 1));
      EXPECT_EQ(sign(dim.padHigh()), row[FactorPadHigh]);
      strides.insert(dim.stride);
    }
    EXPECT_EQ(strides.size() > 1, row[FactorStride] == 3);
    EXPECT_EQ(spec->groups == 1, row[FactorGroups] == 0);
    EXPECT_EQ(spec->groups == spec->c && spec->groups > 1, row[FactorGroups] >= 2);
    EXPECT_EQ(spec->k > spec->c && spec->groups == spec->c && spec->groups > 1, row[FactorGroups] == 3);
  }
}

} // namespace
} // namespace orzo::conformance
