#include "Spec/ElementMap.h"

#include <gtest/gtest.h>

namespace orzo {
namespace {

TEST(ElementMap, BiasOfTheInnermostDim) {
  std::optional<ElementMap> map = elementMap({{8192, {2048, 0, 2048}}, {2048, {1, 1, 1}}}, 0, 1, 8192 * 2048, 0);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->digits, (std::vector<ElementMap::Digit>{{8192, 0}, {2048, 1}}));
  EXPECT_EQ(map->at(5000), 904);
  EXPECT_EQ(map->reach(), 2048);
  EXPECT_FALSE(map->isIdentity());
}

TEST(ElementMap, TheSameElementIsTheIdentity) {
  std::optional<ElementMap> map = elementMap({{8, {5, 0, 5}}, {5, {1, 1, 1}}}, 0, 2, 40, 0);
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->isIdentity());
  EXPECT_EQ(map->at(39), 39);
}

TEST(ElementMap, LoopsMayComeInAnyOrder) {
  // The result lies transposed: its loops are outermost first in its own memory.
  std::vector<GraphLoop> loops = {{3, {1, 4}}, {4, {3, 1}}};
  std::optional<ElementMap> map = elementMap(loops, 0, 1, 12, 7);
  ASSERT_TRUE(map);
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t column = 0; column < 3; ++column)
      EXPECT_EQ(map->at(3 * row + column), 7 + 4 * column + row);
  EXPECT_EQ(map->reach(), 7 + 12);
}

TEST(ElementMap, NeedsEveryElementOnce) {
  EXPECT_FALSE(elementMap({{4, {2, 1}}}, 0, 1, 8, 0)) << "every second element";
  EXPECT_FALSE(elementMap({{4, {1, 1}}}, 0, 1, 8, 0)) << "the first half";
  EXPECT_FALSE(elementMap({{2, {0, 4}}, {4, {1, 1}}}, 0, 1, 4, 0)) << "each element twice";
  EXPECT_FALSE(elementMap({{2, {4, 4}}, {3, {1, 1}}}, 0, 1, 8, 0)) << "with gaps";
}

TEST(ElementMap, OneAndNoElements) {
  std::optional<ElementMap> one = elementMap({}, 0, 1, 1, 3);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->at(0), 3);
  EXPECT_EQ(one->reach(), 4);
  std::optional<ElementMap> none = elementMap({{0, {1, 1}}}, 0, 1, 0, 0);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->reach(), 0);
}

} // namespace
} // namespace orzo
