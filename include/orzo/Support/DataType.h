// The element types orzo computes with, and their conversions on the host.
#pragma once

#include "orzo/Support/Status.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orzo {

enum class DataType : uint8_t { F32, BF16, F16 };

/// Bytes of one element: 4 or 2.
size_t byteSize(DataType type);

/// "f32", "bf16", "f16".
std::string_view name(DataType type);

/// The reverse of name(); InvalidArgument names what was got and the three that would work.
Expected<DataType> parseDataType(std::string_view text);

/// Unit roundoff: 2^-24, 2^-8, 2^-11.
double unitRoundoff(DataType type);

/// Bits of `value` rounded to nearest, ties to even; a NaN stays a (quiet) NaN, overflow becomes infinity.
uint16_t toBF16(float value);
uint16_t toF16(float value);
float fromBF16(uint16_t bits);
float fromF16(uint16_t bits);

/// Element `index` of an array of `type` at `data`, widened exactly.
double loadElement(const void *data, int64_t index, DataType type);

/// Rounds `value` once to `type` (round to nearest, ties to even) and stores it as element `index`.
void storeElement(void *data, int64_t index, DataType type, double value);

} // namespace orzo
