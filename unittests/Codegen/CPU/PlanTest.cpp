#include "Codegen/CPU/Plan.h"

#include <gtest/gtest.h>

using namespace orzo;
using namespace orzo::cpu;

namespace {

Nest seedNest(DataType type) {
  SpatialDim dim{.in = 512, .filter = 2, .out = 256, .stride = 2};
  return nestOf(channelsLast(Direction::DGrad, 16, 2048, 2048, 1, {dim}, type));
}

TEST(Plan, TextRoundTrips) {
  for (Isa isa : {Isa::AVX2, Isa::AVX512, Isa::AVX512BF16})
    for (DataType type : {DataType::F32, DataType::BF16, DataType::F16}) {
      Nest nest = seedNest(type);
      Plan plan = choosePlan(nest, isa, 2);
      Expected<Plan> parsed = parsePlan(text(plan), nest);
      ASSERT_TRUE(parsed.ok()) << parsed.status().message();
      EXPECT_EQ(text(*parsed), text(plan));
      EXPECT_FALSE(plan.reason.empty());
    }
}

TEST(Plan, PairsBF16OnlyWhereTheChipMultipliesPairs) {
  EXPECT_TRUE(choosePlan(seedNest(DataType::BF16), Isa::AVX512BF16, 2).dotPairs);
  EXPECT_FALSE(choosePlan(seedNest(DataType::BF16), Isa::AVX512, 2).dotPairs);
  EXPECT_FALSE(choosePlan(seedNest(DataType::F16), Isa::AVX512BF16, 2).dotPairs);
  EXPECT_FALSE(choosePlan(seedNest(DataType::F32), Isa::AVX512BF16, 2).dotPairs);
}

TEST(Plan, EveryThreadGetsWork) {
  for (int threads : {1, 2, 8, 64}) {
    Nest nest = seedNest(DataType::BF16);
    int64_t units = 0;
    for (int64_t range : unitRanges(nest, choosePlan(nest, Isa::AVX512BF16, threads)))
      units += range;
    EXPECT_GE(units, threads);
  }
}

Nest depthwiseNest(int64_t groups) {
  SpatialDim dim{.in = 14, .filter = 3, .out = 14, .padLow = 1};
  return nestOf(channelsLast(Direction::FProp, 2, groups, groups, groups, {dim, dim}, DataType::F32));
}

TEST(Plan, DepthwiseTakesGroupsAsLanes) {
  Nest nest = depthwiseNest(64);
  for (Isa isa : {Isa::AVX2, Isa::AVX512, Isa::AVX512BF16}) {
    Plan plan = choosePlan(nest, isa, 2);
    EXPECT_TRUE(plan.channels);
    Expected<Plan> parsed = parsePlan(text(plan), nest);
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    EXPECT_EQ(text(*parsed), text(plan));
  }
  EXPECT_FALSE(choosePlan(depthwiseNest(60), Isa::AVX512, 2).channels)
      << "60 groups do not divide into registers of 16";
}

struct BadPlan {
  const char *text;
  const char *message;
};

class PlanErrors : public ::testing::TestWithParam<BadPlan> {};

TEST_P(PlanErrors, NameTheField) {
  Expected<Plan> plan = parsePlan(GetParam().text, seedNest(DataType::BF16));
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), StatusCode::InvalidArgument);
  EXPECT_NE(plan.status().message().find(GetParam().message), std::string::npos) << plan.status().message();
}

INSTANTIATE_TEST_SUITE_P(
    Each, PlanErrors,
    ::testing::Values(
        BadPlan{"", "unknown"}, BadPlan{"avx3 fma tile 6x16 rows 6 columns 16 depth 2 resident", "avx3"},
        BadPlan{"avx2 channels 2 tile 2x1 rows 2 columns 1 depth 9", "contiguous groups"},
        BadPlan{"avx2 mul tile 6x16 rows 6 columns 16 depth 2 resident", "'mul'"},
        BadPlan{"avx2 dot tile 6x16 rows 6 columns 16 depth 2 resident", "'dot' needs avx512_bf16"},
        BadPlan{"avx2 fma tile 6x20 rows 6 columns 20 depth 2 resident", "tile '6x20'"},
        BadPlan{"avx2 fma tile 8x16 rows 8 columns 16 depth 2 resident", "16 registers"},
        BadPlan{"avx2 fma tile 6x16 rows 7 columns 16 depth 2 resident", "rows must be a positive multiple of 6"},
        BadPlan{"avx2 fma tile 6x16 rows 6 columns 8 depth 2 resident", "columns must be a positive multiple of 16"},
        BadPlan{"avx512_bf16 dot tile 12x32 rows 12 columns 32 depth 3 resident",
                "depth must be a positive multiple of 2"},
        BadPlan{"avx2 fma tile 6x16 rows 6 columns 16 depth 2", "'resident' or 'streamed'"},
        BadPlan{"avx2 fma tile 6x16 rows 6 columns 16 depth 2 resident twice", "'twice'"}));

} // namespace
