#include "Runtime/CPU/UnitShares.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace orzo::cpu;

namespace {

TEST(UnitShares, WorkedExample) {
  std::vector<int64_t> ranges = {5, 2, 1};
  auto shares = unitShares(ranges, 2);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0], (std::vector<UnitShare>{{0, 3}, {6, 7}}));
  EXPECT_EQ(shares[1], (std::vector<UnitShare>{{3, 5}, {5, 6}, {7, 8}}));
}

TEST(UnitShares, CoverEveryUnitOnceAndEvenly) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<int64_t> ranges(random() % 6);
    std::ranges::generate(ranges, [&] { return int64_t(random() % 20); });
    int threads = 1 + int(random() % 8);
    int64_t units = std::accumulate(ranges.begin(), ranges.end(), int64_t(0));
    auto shares = unitShares(ranges, threads);
    EXPECT_LE(shares.size(), size_t(threads));
    std::vector<int> done(units, 0);
    for (const auto &list : shares) {
      EXPECT_FALSE(list.empty());
      int64_t total = 0;
      std::vector<int64_t> ofRange(ranges.size(), 0);
      for (UnitShare share : list) {
        ASSERT_LT(share.begin, share.end);
        total += share.end - share.begin;
        int64_t begin = 0;
        for (size_t range = 0; range < ranges.size(); begin += ranges[range++])
          if (share.begin >= begin && share.begin < begin + ranges[range])
            ofRange[range] += share.end - share.begin;
        for (int64_t unit = share.begin; unit < share.end; ++unit)
          ++done.at(unit);
      }
      EXPECT_LE(total, (units + threads - 1) / threads);
      for (size_t range = 0; range < ranges.size(); ++range)
        EXPECT_LE(ofRange[range], (ranges[range] + threads - 1) / threads);
    }
    EXPECT_TRUE(std::ranges::all_of(done, [](int times) { return times == 1; }));
  }
}

} // namespace
