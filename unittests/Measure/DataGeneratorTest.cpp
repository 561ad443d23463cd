#include "Measure/DataGenerator.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace orzo;

namespace {

ConvSpec matrix(int64_t n, int64_t c, DataType type) { return channelsLast(Direction::FProp, n, c, 8, 1, {}, type); }

std::vector<double> generated(DataKind kind, uint64_t seed, const ConvSpec &spec, Role role, int threads = 0) {
  std::vector<uint32_t> memory(spec.elementCount(role));
  generate(kind, seed, spec, role, memory.data(), threads);
  std::vector<double> values;
  for (int64_t i = 0; i < spec.elementCount(role); ++i)
    values.push_back(loadElement(memory.data(), i, spec.type(role)));
  return values;
}

const DataType allTypes[] = {DataType::F32, DataType::BF16, DataType::F16};

TEST(DataGenerator, RandomIsUniformInMinusOneToOne) {
  for (DataType type : allTypes) {
    std::vector<double> values = generated(DataKind::Random, 1, matrix(300, 301, type), Role::X);
    double sum = 0, squares = 0;
    for (double value : values) {
      ASSERT_LE(std::abs(value), 1);
      sum += value;
      squares += value * value;
    }
    auto count = static_cast<double>(values.size());
    EXPECT_NEAR(sum / count, 0, 0.01);
    EXPECT_NEAR(squares / count, 1.0 / 3, 0.01);
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 900u);
  }
}

TEST(DataGenerator, NeitherThreadsNorExtentMatterButSeedAndRoleDo) {
  for (DataType type : allTypes)
    for (DataKind kind : {DataKind::Random, DataKind::Integer}) {
      ConvSpec spec = matrix(500, 333, type);
      std::vector<double> one = generated(kind, 7, spec, Role::X, 1);
      EXPECT_EQ(one, generated(kind, 7, spec, Role::X, 5));
      EXPECT_NE(one, generated(kind, 8, spec, Role::X));
      std::vector<double> prefix = generated(kind, 7, matrix(1, 333, type), Role::X);
      EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), one.begin()));
      spec.k = 500;
      std::vector<double> filter = generated(kind, 7, spec, Role::W);
      ASSERT_EQ(filter.size(), one.size());
      EXPECT_NE(filter, one);
    }
}

TEST(DataGenerator, IntegersTakeEveryValueAndNoOther) {
  for (DataType type : allTypes) {
    std::vector<double> values = generated(DataKind::Integer, 3, matrix(30, 31, type), Role::X);
    EXPECT_EQ(std::set<double>(values.begin(), values.end()), (std::set<double>{-2, -1, 0, 1, 2}));
  }
}

TEST(DataGenerator, IntegerBoundKeepsSumsExactInF32) {
  EXPECT_EQ(integerBound(matrix(1, 1, DataType::F32)), 2);
  EXPECT_EQ(integerBound(matrix(1, (1 << 22) - 1, DataType::F32)), 2); // 4 * (2^22 - 1) < 2^24
  EXPECT_EQ(integerBound(matrix(1, 1 << 22, DataType::F32)), 1);
}

TEST(DataGenerator, Ones) {
  for (DataType type : allTypes)
    for (double value : generated(DataKind::Ones, 3, matrix(3, 7, type), Role::X))
      EXPECT_EQ(value, 1);
}

TEST(DataGenerator, NamesRoundTrip) {
  for (DataKind kind : {DataKind::Random, DataKind::Integer, DataKind::Ones})
    EXPECT_EQ(*parseDataKind(name(kind)), kind);
  EXPECT_NE(parseDataKind("zeros").status().message().find("'zeros'"), std::string::npos);
}

} // namespace
