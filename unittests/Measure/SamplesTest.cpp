#include "Measure/Samples.h"

#include <gtest/gtest.h>
#include <set>

using namespace orzo;

namespace {

ConvSpec strided(Direction direction) {
  SpatialDim h = {.in = 61, .filter = 3, .out = 21, .stride = 3, .padLow = 1};
  SpatialDim w = {.in = 64, .filter = 5, .out = 13, .stride = 5, .padLow = 0};
  return channelsLast(direction, 3, 40, 72, 1, {h, w}, DataType::BF16);
}

int64_t along(const ConvSpec &spec, Role role, int64_t element, Axis axis) {
  return element / spec.elementStride(role, axis) % spec.extent(role, axis);
}

TEST(Samples, CoverBordersPhasesFirstAndLast) {
  // So many phases and so long dims that samples drawn at random would miss some.
  SpatialDim h = {.in = 60000, .filter = 3, .out = 2000, .stride = 30};
  SpatialDim w = {.in = 66000, .filter = 5, .out = 2000, .stride = 33};
  ConvSpec spec = channelsLast(Direction::DGrad, 3, 40, 72, 1, {h, w}, DataType::BF16);
  std::vector<int64_t> elements = chooseSamples(spec, 4096, 1);
  EXPECT_GE(elements.size(), 4096u);
  EXPECT_TRUE(std::is_sorted(elements.begin(), elements.end()));
  EXPECT_EQ(std::set<int64_t>(elements.begin(), elements.end()).size(), elements.size());
  EXPECT_EQ(elements.front(), 0);
  EXPECT_EQ(elements.back(), spec.elementCount(Role::X) - 1);
  std::set<std::pair<int64_t, int64_t>> phases;
  std::set<int64_t> rows, columns;
  for (int64_t element : elements) {
    int64_t row = along(spec, Role::X, element, Axis::S0), column = along(spec, Role::X, element, Axis::S1);
    phases.insert({row % 30, column % 33});
    rows.insert(row);
    columns.insert(column);
  }
  EXPECT_EQ(phases.size(), 30u * 33u);
  for (int64_t depth : {0, 1, 2}) {
    EXPECT_TRUE(rows.contains(depth) && rows.contains(59999 - depth)) << depth;
    EXPECT_TRUE(columns.contains(depth) && columns.contains(65999 - depth)) << depth;
  }
}

TEST(Samples, LongReductionsTakeRunsOfChannels) {
  ConvSpec spec = strided(Direction::WGrad);
  spec.n = 300; // 300 * 21 * 13 products each
  spec.k = 1024;
  std::vector<int64_t> elements = chooseSamples(spec, 4096, 1);
  EXPECT_GE(elements.size(), 4096u);
  for (int64_t element : elements)
    EXPECT_LT(element, spec.elementCount(Role::W));
}

TEST(Samples, SmallResultsAreTakenWhole) {
  ConvSpec spec = channelsLast(Direction::FProp, 10, 3, 7, 1, {}, DataType::F32);
  EXPECT_EQ(chooseSamples(spec, 4096, 1).size(), 70u);
  spec.n = 0;
  EXPECT_TRUE(chooseSamples(spec, 4096, 1).empty());
}

TEST(Samples, ElementsAreNamedByTheirLetters) {
  ConvSpec spec = strided(Direction::DGrad);
  int64_t element = ((2 * 61 + 17) * 64 + 63) * 40 + 5;
  EXPECT_EQ(describeElement(spec, Role::X, element), "n2 h17 w63 c5");
  ConvSpec one = channelsLast(Direction::FProp, 1, 3, 1, 1, {}, DataType::F32);
  EXPECT_EQ(describeElement(one, Role::Y, 0), "the only element");
}

} // namespace
