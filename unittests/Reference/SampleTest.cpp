#include "RandomSpec.h"
#include "Reference/Evaluate.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace orzo;

namespace {

TEST(Sample, AgreesWithFull) {
  std::mt19937 random(4);
  for (int problem = 0; problem < 300; ++problem)
    for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
      ConvSpec spec = randomSpec(random, direction);
      std::vector<float> data[3];
      for (Role role : {Role::X, Role::W, Role::Y})
        data[static_cast<int>(role)] = randomIntegers(random, spec.elementCount(role));
      reference::Tensors tensors = {data[0].data(), data[1].data(), data[2].data()};
      auto count = static_cast<size_t>(spec.elementCount(resultRole(direction)));
      std::vector<double> value(count), spread(count), sampled(count), sampledSpread(count);
      reference::evaluate(spec, tensors, value.data(), spread.data());
      std::vector<int64_t> elements(count);
      std::iota(elements.begin(), elements.end(), 0);
      std::shuffle(elements.begin(), elements.end(), random);
      elements.resize((count + 1) / 2);
      reference::sample(spec, tensors, elements, sampled.data(), sampledSpread.data());
      for (size_t i = 0; i < elements.size(); ++i) {
        ASSERT_EQ(sampled[i], value[elements[i]]);
        ASSERT_DOUBLE_EQ(sampledSpread[i], spread[elements[i]]);
      }
    }
}

TEST(Sample, AgreesWithFullOverManyImages) {
  // More products than the full evaluation takes at once.
  std::mt19937 random(7);
  SpatialDim dim = {.in = 7, .filter = 3, .out = 7, .padLow = 1};
  ConvSpec spec = channelsLast(Direction::WGrad, 100, 9, 4, 1, {dim, dim}, DataType::F32);
  std::vector<float> x = randomIntegers(random, spec.elementCount(Role::X));
  std::vector<float> y = randomIntegers(random, spec.elementCount(Role::Y));
  reference::Tensors tensors = {x.data(), nullptr, y.data()};
  auto count = static_cast<size_t>(spec.elementCount(Role::W));
  std::vector<double> value(count), spread(count), sampled(count), sampledSpread(count);
  reference::evaluate(spec, tensors, value.data(), spread.data());
  std::vector<int64_t> elements(count);
  std::iota(elements.begin(), elements.end(), 0);
  reference::sample(spec, tensors, elements, sampled.data(), sampledSpread.data());
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(sampled[i], value[i]);
    ASSERT_DOUBLE_EQ(sampledSpread[i], spread[i]);
  }
}

} // namespace
