#include "Reference/Projection.h"
#include "RandomSpec.h"

#include <gtest/gtest.h>

using namespace orzo;

namespace {

TEST(Projection, OfTheRightResultIsExactOnIntegers) {
  std::mt19937 random(5);
  for (int problem = 0; problem < 300; ++problem)
    for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
      ConvSpec spec = randomSpec(random, direction);
      std::vector<float> data[3];
      for (Role role : {Role::X, Role::W, Role::Y})
        data[static_cast<int>(role)] = randomIntegers(random, spec.elementCount(role));
      reference::Tensors tensors = {data[0].data(), data[1].data(), data[2].data()};
      Role result = resultRole(direction);
      std::vector<double> value(spec.elementCount(result)), spread(value.size());
      reference::evaluate(spec, tensors, value.data(), spread.data());
      std::vector<float> actual(value.begin(), value.end());
      reference::Projection projection = reference::project(spec, tensors, problem, true);
      ASSERT_EQ(projection.signs.size(), static_cast<size_t>(spec.extent(result, projection.axis)));
      std::vector<double> projected, roundings;
      reference::projectResult(spec, projection, actual.data(), true, projected, roundings);
      ASSERT_EQ(projected, projection.value) << "problem " << problem;
      for (double rounding : roundings)
        ASSERT_EQ(rounding, 0);
      // The projected spread covers the root of the squared spreads of the elements it sums.
      double squares = 0, projectedSquares = 0;
      for (double element : spread)
        squares += element * element;
      for (double element : projection.spread)
        projectedSquares += element * element;
      ASSERT_GE(projectedSquares * (1 + 1e-12), squares);
    }
}

TEST(Projection, ShowsAnyWrongElement) {
  std::mt19937 random(6);
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
    SpatialDim dim = {.in = 5, .filter = 3, .out = 3, .stride = 2, .padLow = 1};
    ConvSpec spec = channelsLast(direction, 2, 6, 8, 2, {dim}, DataType::F32);
    std::vector<float> data[3];
    for (Role role : {Role::X, Role::W, Role::Y})
      data[static_cast<int>(role)] = randomIntegers(random, spec.elementCount(role));
    reference::Tensors tensors = {data[0].data(), data[1].data(), data[2].data()};
    std::vector<double> value(spec.elementCount(resultRole(direction)));
    reference::evaluate(spec, tensors, value.data());
    reference::Projection projection = reference::project(spec, tensors, 9, false);
    EXPECT_TRUE(projection.spread.empty());
    for (size_t wrong = 0; wrong < value.size(); ++wrong) {
      std::vector<float> actual(value.begin(), value.end());
      actual[wrong] += 1;
      std::vector<double> projected, roundings;
      reference::projectResult(spec, projection, actual.data(), true, projected, roundings);
      int differing = 0;
      for (size_t i = 0; i < projected.size(); ++i)
        differing += projected[i] != projection.value[i];
      ASSERT_EQ(differing, 1);
    }
  }
}

} // namespace
