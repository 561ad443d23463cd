// ElementType: the element types of a graph's tensors, a superset of those that a convolution computes with.
#pragma once

#include "orzo/Support/DataType.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace orzo {

enum class ElementType : uint8_t { NotSet, Half, BFloat16, Float, Double, Uint8, Int8, Int16, Int32, Int64, Boolean };

/// "f16", "bf16", "f32", "f64", "u8", "i8", "i16", "i32", "i64", "bool"; "not set".
std::string_view name(ElementType type);

/// Bytes of one element; 0 for NotSet.
size_t byteSize(ElementType type);

/// Half, BFloat16, Float or Double.
bool isFloat(ElementType type);

/// The type that convolutions know, or nullopt.
std::optional<DataType> toDataType(ElementType type);
ElementType toElementType(DataType type);

/// Element `index` of an array of `type` at `data` as f64: exact, but for an Int64 beyond 2^53. A Boolean is 0 or 1.
double loadElement(const void *data, int64_t index, ElementType type);

/// Rounds `value` once to `type` and stores it as element `index`. To floats: to nearest, ties to even. To integers:
/// toward zero, then to the nearest end of the range; a NaN becomes 0. To Boolean: value != 0 (a NaN is true).
void storeElement(void *data, int64_t index, ElementType type, double value);

/// `value` as it reads back after storeElement.
double roundTo(ElementType type, double value);

} // namespace orzo
