// Poison: the NaN that result buffers are filled with before a run, and the search for what is left of it.
#pragma once

#include "orzo/Support/DataType.h"

#include <cstddef>
#include <cstdint>

namespace orzo {

/// The 16-bit pattern that memory is filled with. A quiet NaN as bf16 and as f16, and twice in a row as f32, with a
/// payload that no x86 instruction produces by itself: a computed NaN (0x7fc0..., 0xffc0..., 0x7e00) is told apart.
inline constexpr uint16_t poisonPattern = 0x7fda;

/// Fills `bytes` bytes (an even number) at `data`.
void fillPoison(void *data, size_t bytes);

struct PoisonLeft {
  int64_t count = 0;
  int64_t first = -1; ///< Index of the first poisoned element, or -1.
};

/// The elements of `data` (`count` of `type`) that still hold the poison pattern: elements nothing has written, or that
/// were computed from memory nothing had written.
PoisonLeft poisonLeft(const void *data, int64_t count, DataType type);

} // namespace orzo
