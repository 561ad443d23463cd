// Element: how a graph's element types lie in memory, and their way to floating point and back. Private to
// lib/Codegen/CPU.
#pragma once

#include "Codegen/CPU/Writer.h"
#include "orzo/Spec/ElementType.h"

namespace orzo::cpu {

/// f32 as it is, other types as integers of their width.
Type storageOf(Writer &w, ElementType type);

/// A scalar or vector of storageOf(from) as f32: exact for f32, bf16, f16, bool, i8, u8 and i16, to nearest for i32.
Value widenElement(Writer &w, Value value, ElementType from);

/// An f32 or f64 scalar or vector as storageOf(to), by the rules of storeElement (ElementType.h). To bf16 and f16 an
/// f64 goes by way of f32.
Value narrowElement(Writer &w, Value value, ElementType to);

/// A scalar, or a vector with that number in every lane.
Value number(Writer &w, Type type, double value);

/// `type`, a scalar or vector, with other elements.
Type withElement(Type type, Type element);

} // namespace orzo::cpu
