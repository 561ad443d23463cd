// Element types: one rounding, to the nearest or into range.
#include "orzo/Spec/ElementType.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace orzo;

TEST(ElementType, FloatsRoundOnceTiesToEven) {
  EXPECT_EQ(roundTo(ElementType::BFloat16, 1 + 0x1p-8), 1);                  // A tie, to even.
  EXPECT_EQ(roundTo(ElementType::BFloat16, 1 + 0x3p-8), 1 + 0x1p-6);         // A tie, to even.
  EXPECT_EQ(roundTo(ElementType::Half, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10); // Not twice: f32 would make it a tie.
  EXPECT_EQ(roundTo(ElementType::Half, 70000), INFINITY);
  EXPECT_EQ(roundTo(ElementType::Half, 0x1p-24), 0x1p-24); // The smallest denormal.
  EXPECT_EQ(roundTo(ElementType::Float, 1 + 0x1p-24), 1);
  EXPECT_EQ(roundTo(ElementType::Double, 0.1), 0.1);
  EXPECT_TRUE(std::signbit(roundTo(ElementType::BFloat16, -0.0)));
  EXPECT_TRUE(std::isnan(roundTo(ElementType::Half, NAN)));
}

TEST(ElementType, IntegersTruncateAndStayInRange) {
  EXPECT_EQ(roundTo(ElementType::Int8, -1.9), -1);
  EXPECT_EQ(roundTo(ElementType::Int8, 300), 127);
  EXPECT_EQ(roundTo(ElementType::Int8, -INFINITY), -128);
  EXPECT_EQ(roundTo(ElementType::Uint8, -5), 0);
  EXPECT_EQ(roundTo(ElementType::Uint8, 255.5), 255);
  EXPECT_EQ(roundTo(ElementType::Int16, 1e9), 32767);
  EXPECT_EQ(roundTo(ElementType::Int32, 2147483647.0), 2147483647.0);
  EXPECT_EQ(roundTo(ElementType::Int64, 1e30), 9223372036854775807.0);
  EXPECT_EQ(roundTo(ElementType::Int32, NAN), 0);
  EXPECT_EQ(roundTo(ElementType::Boolean, -0.0), 0);
  EXPECT_EQ(roundTo(ElementType::Boolean, NAN), 1);
}

TEST(ElementType, SizesAndNames) {
  for (int i = 1; i <= 10; ++i) {
    auto type = static_cast<ElementType>(i);
    char bytes[16] = {};
    storeElement(bytes, 1, type, 1);
    EXPECT_EQ(loadElement(bytes, 0, type), 0) << name(type);
    EXPECT_EQ(loadElement(bytes, 1, type), 1) << name(type);
    for (size_t byte = 2 * byteSize(type); byte < sizeof bytes; ++byte)
      EXPECT_EQ(bytes[byte], 0) << name(type);
    if (auto same = toDataType(type)) {
      EXPECT_EQ(name(type), name(*same));
      EXPECT_EQ(toElementType(*same), type);
      EXPECT_EQ(byteSize(type), byteSize(*same));
    }
  }
}
