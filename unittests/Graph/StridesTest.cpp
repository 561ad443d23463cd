// Strides: layouts in which dims of extent 1 never matter, and views that reshapes are.
#include "Graph/Strides.h"
#include "Graph/NodeRules.h"
#include "RandomGraph.h"

#include <gmock/gmock.h>

using namespace orzo::graph;
using orzo::graph::test::pick;
using testing::ElementsAre;

namespace {

TEST(Strides, UnitDimsNeverMatter) {
  for (int64_t any : {0L, 1L, 99L, 1L << 40}) {
    EXPECT_TRUE(isPacked({16, 2048, 1, 256}, {524288, 1, any, 2048}));
    EXPECT_THAT(memoryOrder({16, 2048, 1, 256}, {524288, 1, any, 2048}), ElementsAre(0, 3, 1));
    EXPECT_THAT(fullOrder({16, 2048, 1, 256}, {524288, 1, any, 2048}), ElementsAre(0, 2, 3, 1));
    EXPECT_EQ(span({16, 2048, 1, 256}, {524288, 1, any, 2048}), 16 * 2048 * 256);
  }
}

TEST(Strides, PackedInjectiveOrNeither) {
  EXPECT_FALSE(isPacked({3, 4}, {5, 1}));
  EXPECT_TRUE(isInjective({3, 4}, {5, 1}));
  EXPECT_FALSE(isInjective({3, 4}, {3, 1}));
  EXPECT_FALSE(isInjective({3, 4}, {0, 1}));
  EXPECT_TRUE(isPacked({0, 4}, {4, 1}));
  EXPECT_EQ(span({0, 4}, {4, 1}), 0);
  EXPECT_EQ(volume({int64_t(1) << 40, int64_t(1) << 40}), std::nullopt);
  EXPECT_EQ(volume({int64_t(1) << 40, 0, int64_t(1) << 40}), std::nullopt);
  EXPECT_EQ(span({int64_t(1) << 40}, {int64_t(1) << 40}), std::nullopt);
}

TEST(Strides, OrderOfAResult) {
  EXPECT_THAT(fullOrder({2, 3, 4, 5}, {60, 20, 5, 1}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(fullOrder({2, 3, 4, 5}, {60, 1, 15, 3}), ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(fullOrder({2, 3, 1, 5}, {1, 10, 0, 2}), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(packedInOrder({2, 3, 4, 5}, {0, 2, 3, 1}), ElementsAre(60, 1, 15, 3));
}

/// Element `index` (row by row) of a tensor.
int64_t positionOf(const Extents &dim, const Extents &stride, int64_t index) {
  int64_t position = 0;
  for (size_t i = dim.size(); i-- > 0; index /= dim[i])
    position += index % dim[i] * stride[i];
  return position;
}

TEST(Strides, ReshapesByBruteForce) {
  std::mt19937 random(7);
  int views = 0, copies = 0;
  for (int round = 0; round < 20000; ++round) {
    auto factors = [&] {
      Extents dim;
      for (int64_t left = 24; left > 1 || pick(random, 0, 3) == 0;) {
        int64_t factor = pick(random, 1, left);
        if (left % factor == 0)
          dim.push_back(factor), left /= factor;
      }
      return dim;
    };
    Extents dim = factors(), target = factors(), stride(dim.size());
    int64_t next = pick(random, 1, 2);
    std::vector<int> order(dim.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<int>(i);
    if (pick(random, 0, 1))
      std::shuffle(order.begin(), order.end(), random);
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      stride[*i] = pick(random, 0, 9) == 0 ? 0 : next;
      next *= dim[*i];
    }
    std::optional<Extents> result = reshapedStrides(dim, stride, target);
    // Right where it exists; where it does not, no strides do: they would have to be the distances of first neighbours.
    Extents wanted(target.size(), 1);
    int64_t inner = 1;
    for (size_t i = target.size(); i-- > 0; inner *= target[i])
      if (target[i] != 1)
        wanted[i] = positionOf(dim, stride, inner) - positionOf(dim, stride, 0);
    bool possible = true;
    for (int64_t index = 0; index < 24; ++index)
      possible = possible && positionOf(target, wanted, index) == positionOf(dim, stride, index);
    ASSERT_EQ(result.has_value(), possible) << text(dim) << " by " << text(stride) << " to " << text(target);
    if (result)
      for (int64_t index = 0; index < 24; ++index)
        ASSERT_EQ(positionOf(target, *result, index), positionOf(dim, stride, index));
    ++(possible ? views : copies);
  }
  EXPECT_GT(views, 1000);
  EXPECT_GT(copies, 1000);
}

} // namespace
