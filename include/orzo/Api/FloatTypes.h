// Half and BFloat16: 16-bit floats on the host, for the vectors that buffers are filled from and read into.
#pragma once

#include "orzo/Spec/ElementType.h"

namespace orzo::graph {

/// Rounds to nearest, ties to even; a NaN stays a NaN.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value) : bits(toF16(value)) {}
  operator float() const { return fromF16(bits); }
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) : bits(toBF16(value)) {}
  operator float() const { return fromBF16(bits); }
};

/// The element type that a C++ type is; NotSet for one that is none.
template <typename T> inline constexpr ElementType elementTypeOf = ElementType::NotSet;
template <> inline constexpr ElementType elementTypeOf<Half> = ElementType::Half;
template <> inline constexpr ElementType elementTypeOf<BFloat16> = ElementType::BFloat16;
template <> inline constexpr ElementType elementTypeOf<float> = ElementType::Float;
template <> inline constexpr ElementType elementTypeOf<double> = ElementType::Double;
template <> inline constexpr ElementType elementTypeOf<uint8_t> = ElementType::Uint8;
template <> inline constexpr ElementType elementTypeOf<int8_t> = ElementType::Int8;
template <> inline constexpr ElementType elementTypeOf<int16_t> = ElementType::Int16;
template <> inline constexpr ElementType elementTypeOf<int32_t> = ElementType::Int32;
template <> inline constexpr ElementType elementTypeOf<int64_t> = ElementType::Int64;

} // namespace orzo::graph
