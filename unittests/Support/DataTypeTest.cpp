#include "orzo/Support/DataType.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace orzo;

namespace {

TEST(DataType, NamesRoundTrip) {
  for (DataType type : {DataType::F32, DataType::BF16, DataType::F16})
    EXPECT_EQ(*parseDataType(name(type)), type);
  Expected<DataType> unknown = parseDataType("f64");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().code(), StatusCode::InvalidArgument);
  EXPECT_NE(unknown.status().message().find("'f64'"), std::string::npos);
}

TEST(DataType, EveryF16SurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = fromF16(bits);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(fromF16(toF16(value))));
    else
      ASSERT_EQ(toF16(value), bits) << value;
  }
}

TEST(DataType, EveryBF16SurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = fromBF16(bits);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(fromBF16(toBF16(value))));
    else
      ASSERT_EQ(toBF16(value), bits) << value;
  }
}

TEST(DataType, RoundsToNearestTiesToEven) {
  EXPECT_EQ(fromBF16(toBF16(257)), 256);
  EXPECT_EQ(fromBF16(toBF16(259)), 260);
  EXPECT_EQ(fromF16(toF16(2049)), 2048);
  EXPECT_EQ(fromF16(toF16(2051)), 2052);
  EXPECT_TRUE(std::isinf(fromF16(toF16(65520))));
  EXPECT_EQ(fromF16(toF16(65519)), 65504);
  EXPECT_TRUE(std::isinf(fromBF16(toBF16(3.4e38f))));
  EXPECT_EQ(fromF16(toF16(0x1p-25f)), 0);
  EXPECT_EQ(fromF16(toF16(0x1.8p-25f)), 0x1p-24f);
}

TEST(DataType, StoresWithOneRounding) {
  // Through float first, 1 + 2^-8 + 2^-40 would lose its last bit and then tie down to 1.
  uint16_t bits = 0;
  storeElement(&bits, 0, DataType::BF16, 1 + 0x1p-8 + 0x1p-40);
  EXPECT_EQ(loadElement(&bits, 0, DataType::BF16), 1 + 0x1p-7);
}

} // namespace
