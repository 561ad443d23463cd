// <dy, F(x, w)> = <D(dy, w), x> = <W(dy, x), w>: the three directions are one trilinear form. On integers, exactly.
#include "RandomSpec.h"
#include "Reference/Evaluate.h"

#include <gtest/gtest.h>

using namespace orzo;

namespace {

TEST(Adjoint, ThreeDirectionsAreOneForm) {
  std::mt19937 random(1);
  int nonzero = 0, grouped = 0, ranks[4] = {};
  for (int problem = 0; problem < 600; ++problem) {
    ConvSpec spec = randomSpec(random, Direction::FProp);
    std::vector<float> data[3];
    for (Role role : {Role::X, Role::W, Role::Y})
      data[static_cast<int>(role)] = randomIntegers(random, spec.elementCount(role));
    double form[3];
    for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
      spec.direction = direction;
      const std::vector<float> &other = data[static_cast<int>(resultRole(direction))];
      std::vector<double> result(other.size());
      reference::evaluate(spec, {data[0].data(), data[1].data(), data[2].data()}, result.data());
      double sum = 0;
      for (size_t i = 0; i < result.size(); ++i)
        sum += result[i] * other[i];
      form[static_cast<int>(direction)] = sum;
    }
    ASSERT_EQ(form[0], form[1]) << "problem " << problem;
    ASSERT_EQ(form[0], form[2]) << "problem " << problem;
    nonzero += form[0] != 0;
    grouped += spec.groups > 1;
    ++ranks[spec.rank()];
  }
  // The identity must not have held for want of anything to sum.
  EXPECT_GT(nonzero, 400);
  EXPECT_GT(grouped, 60);
  for (int count : ranks)
    EXPECT_GT(count, 60);
}

TEST(Adjoint, UsefulFlopsAreTheProductsSummed) {
  // On ones, the results add up to the number of products: two FLOPs each.
  std::mt19937 random(2);
  for (int problem = 0; problem < 300; ++problem)
    for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
      ConvSpec spec = randomSpec(random, direction);
      std::vector<float> ones(
          std::max({spec.elementCount(Role::X), spec.elementCount(Role::W), spec.elementCount(Role::Y)}), 1.0f);
      std::vector<double> result(spec.elementCount(resultRole(direction)));
      reference::evaluate(spec, {ones.data(), ones.data(), ones.data()}, result.data());
      double sum = 0;
      for (double value : result)
        sum += value;
      ASSERT_EQ(2 * sum, static_cast<double>(spec.flopsUseful())) << "problem " << problem;
    }
}

TEST(Adjoint, ThreadsDoNotChangeABit) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
    SpatialDim dim = {.in = 17, .filter = 3, .out = 9, .stride = 2, .padLow = 1};
    ConvSpec spec = channelsLast(direction, 2, 40, 24, 1, {dim, dim}, DataType::F32);
    std::vector<float> data[3];
    for (Role role : {Role::X, Role::W, Role::Y})
      for (int64_t i = 0; i < spec.elementCount(role); ++i)
        data[static_cast<int>(role)].push_back(uniform(random));
    auto count = static_cast<size_t>(spec.elementCount(resultRole(direction)));
    std::vector<double> one(count), many(count);
    reference::Tensors tensors = {data[0].data(), data[1].data(), data[2].data()};
    reference::evaluate(spec, tensors, one.data(), nullptr, 1);
    reference::evaluate(spec, tensors, many.data(), nullptr, 7);
    EXPECT_EQ(one, many);
  }
}

} // namespace
