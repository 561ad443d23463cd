// Element: elements of memory as f32 and back. Private to lib/Codegen/GPU.
#pragma once

#include "Codegen/GPU/Writer.h"
#include "orzo/Spec/ElementType.h"
#include "orzo/Support/Status.h"

namespace orzo::gpu {

/// Unsupported, naming `what`, where f32 does not hold the values of `type`: f64, i64, and to read i32.
Status checkElement(ElementType type, bool isRead, const std::string &what);

/// `count` neighbours as f32, from element `element` of `memory` (global) on; one access where they are `aligned` to
/// their number (up to 16 bytes each).
mlir::SmallVector<Value> loadElements(Writer &w, Value memory, Value element, ElementType type, int64_t count,
                                      bool isAligned);

/// Stores `values` (f32 or f64), rounded once as ElementType.h's storeElement says; a NaN of a float type stays one.
void storeElements(Writer &w, Value memory, Value element, ElementType type, ValueRange values, bool isAligned);

/// The two 16-bit floats of an i32, low half first.
std::pair<Value, Value> unpack(Writer &w, Value word, ElementType type);

} // namespace orzo::gpu
