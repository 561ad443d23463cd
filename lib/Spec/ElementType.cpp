#include "orzo/Spec/ElementType.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace orzo {

std::string_view name(ElementType type) {
  constexpr std::string_view names[] = {"not set", "f16", "bf16", "f32", "f64", "u8",
                                        "i8",      "i16", "i32",  "i64", "bool"};
  return names[static_cast<int>(type)];
}

size_t byteSize(ElementType type) {
  constexpr size_t sizes[] = {0, 2, 2, 4, 8, 1, 1, 2, 4, 8, 1};
  return sizes[static_cast<int>(type)];
}

bool isFloat(ElementType type) {
  return type == ElementType::Half || type == ElementType::BFloat16 || type == ElementType::Float ||
         type == ElementType::Double;
}

std::optional<DataType> toDataType(ElementType type) {
  switch (type) {
  case ElementType::Half:
    return DataType::F16;
  case ElementType::BFloat16:
    return DataType::BF16;
  case ElementType::Float:
    return DataType::F32;
  default:
    return std::nullopt;
  }
}

ElementType toElementType(DataType type) {
  return type == DataType::F32    ? ElementType::Float
         : type == DataType::BF16 ? ElementType::BFloat16
                                  : ElementType::Half;
}

template <typename T> static double load(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * int64_t(sizeof(T)), sizeof(T));
  return static_cast<double>(value);
}

template <typename T> static void store(void *data, int64_t index, T value) {
  std::memcpy(static_cast<char *>(data) + index * int64_t(sizeof(T)), &value, sizeof(T));
}

template <typename T> static void storeInteger(void *data, int64_t index, double value) {
  using Limits = std::numeric_limits<T>;
  T integer;
  // The largest Int64 is no f64; its successor 2^63 is.
  if (std::isnan(value))
    integer = 0;
  else if (value >= std::ldexp(1.0, Limits::digits))
    integer = Limits::max();
  else if (value <= static_cast<double>(Limits::min()))
    integer = Limits::min();
  else
    integer = static_cast<T>(value);
  store(data, index, integer);
}

double loadElement(const void *data, int64_t index, ElementType type) {
  switch (type) {
  case ElementType::Double:
    return load<double>(data, index);
  case ElementType::Uint8:
    return load<uint8_t>(data, index);
  case ElementType::Int8:
    return load<int8_t>(data, index);
  case ElementType::Int16:
    return load<int16_t>(data, index);
  case ElementType::Int32:
    return load<int32_t>(data, index);
  case ElementType::Int64:
    return load<int64_t>(data, index);
  case ElementType::Boolean:
    return load<uint8_t>(data, index) != 0;
  case ElementType::NotSet:
    return 0;
  default:
    return loadElement(data, index, *toDataType(type));
  }
}

void storeElement(void *data, int64_t index, ElementType type, double value) {
  switch (type) {
  case ElementType::Double:
    return store(data, index, value);
  case ElementType::Uint8:
    return storeInteger<uint8_t>(data, index, value);
  case ElementType::Int8:
    return storeInteger<int8_t>(data, index, value);
  case ElementType::Int16:
    return storeInteger<int16_t>(data, index, value);
  case ElementType::Int32:
    return storeInteger<int32_t>(data, index, value);
  case ElementType::Int64:
    return storeInteger<int64_t>(data, index, value);
  case ElementType::Boolean:
    return store<uint8_t>(data, index, value != 0);
  case ElementType::NotSet:
    return;
  default:
    return storeElement(data, index, *toDataType(type), value);
  }
}

double roundTo(ElementType type, double value) {
  char bytes[8];
  storeElement(bytes, 0, type, value);
  return loadElement(bytes, 0, type);
}

} // namespace orzo
