#include "orzo/Support/DataType.h"

#include <cmath>
#include <cstring>
#include <string>

namespace orzo {

size_t byteSize(DataType type) { return type == DataType::F32 ? 4 : 2; }

std::string_view name(DataType type) {
  switch (type) {
  case DataType::F32:
    return "f32";
  case DataType::BF16:
    return "bf16";
  case DataType::F16:
    break;
  }
  return "f16";
}

Expected<DataType> parseDataType(std::string_view text) {
  for (DataType type : {DataType::F32, DataType::BF16, DataType::F16})
    if (text == name(type))
      return type;
  return Status::invalidArgument("unknown element type '" + std::string(text) + "'; known are f32, bf16 and f16");
}

double unitRoundoff(DataType type) {
  switch (type) {
  case DataType::F32:
    return 0x1p-24;
  case DataType::BF16:
    return 0x1p-8;
  case DataType::F16:
    break;
  }
  return 0x1p-11;
}

/// Rounds `value` to `mantissaBits` explicit significand bits with exponents in [minExponent, maxExponent] (the
/// unbiased exponents of the smallest and largest normal), ties to even, subnormals kept, overflow to infinity.
/// Working from double, it is the single rounding that storeElement promises.
static double roundTo(double value, int mantissaBits, int minExponent, int maxExponent) {
  if (!std::isfinite(value) || value == 0)
    return value;
  int exponent = std::max(std::ilogb(value), minExponent);
  double unit = std::ldexp(1.0, exponent - mantissaBits);
  double rounded = std::nearbyint(value / unit) * unit;
  double largest = std::ldexp(2.0 - std::ldexp(1.0, -mantissaBits), maxExponent);
  return std::abs(rounded) > largest ? std::copysign(INFINITY, value) : rounded;
}

static uint16_t bf16BitsOf(double value) {
  uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(roundTo(value, 7, -126, 127)));
  return static_cast<uint16_t>(std::isnan(value) ? (bits >> 16) | 0x40 : bits >> 16);
}

static uint16_t f16BitsOf(double value) {
  double rounded = roundTo(value, 10, -14, 15);
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::abs(rounded);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (std::isinf(rounded))
    return sign | 0x7c00;
  if (magnitude < 0x1p-14)
    return sign | static_cast<uint16_t>(magnitude * 0x1p24);
  int exponent = std::ilogb(magnitude);
  auto mantissa = static_cast<uint16_t>(std::ldexp(magnitude, 10 - exponent)) & 0x3ff;
  return sign | static_cast<uint16_t>((exponent + 15) << 10) | mantissa;
}

uint16_t toBF16(float value) { return bf16BitsOf(value); }
uint16_t toF16(float value) { return f16BitsOf(value); }

float fromBF16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

float fromF16(uint16_t bits) {
  int exponent = (bits >> 10) & 0x1f;
  int mantissa = bits & 0x3ff;
  float magnitude;
  if (exponent == 31)
    magnitude = mantissa ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  else
    magnitude = std::ldexp(static_cast<float>(mantissa | 0x400), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double loadElement(const void *data, int64_t index, DataType type) {
  if (type == DataType::F32) {
    float value;
    std::memcpy(&value, static_cast<const float *>(data) + index, sizeof value);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, static_cast<const uint16_t *>(data) + index, sizeof bits);
  return type == DataType::BF16 ? fromBF16(bits) : fromF16(bits);
}

void storeElement(void *data, int64_t index, DataType type, double value) {
  if (type == DataType::F32) {
    auto rounded = static_cast<float>(value);
    std::memcpy(static_cast<float *>(data) + index, &rounded, sizeof rounded);
    return;
  }
  uint16_t bits = type == DataType::BF16 ? bf16BitsOf(value) : f16BitsOf(value);
  std::memcpy(static_cast<uint16_t *>(data) + index, &bits, sizeof bits);
}

} // namespace orzo
