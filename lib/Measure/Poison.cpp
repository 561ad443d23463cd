#include "Measure/Poison.h"

#include <algorithm>
#include <cstring>

namespace orzo {

void fillPoison(void *data, size_t bytes) {
  auto *halves = static_cast<uint16_t *>(data);
  std::fill(halves, halves + bytes / 2, poisonPattern);
}

/// Counts in blocks, so that the loop vectorises and the search for the first runs only where there is one.
template <typename Bits> static PoisonLeft scan(const Bits *bits, int64_t count, Bits pattern) {
  PoisonLeft left;
  for (int64_t begin = 0; begin < count; begin += 4096) {
    int64_t end = std::min(count, begin + 4096);
    int64_t found = 0;
    for (int64_t i = begin; i < end; ++i)
      found += bits[i] == pattern;
    if (found && left.count == 0)
      left.first = std::find(bits + begin, bits + end, pattern) - bits;
    left.count += found;
  }
  return left;
}

PoisonLeft poisonLeft(const void *data, int64_t count, DataType type) {
  if (type == DataType::F32)
    return scan<uint32_t>(static_cast<const uint32_t *>(data), count, poisonPattern * 0x10001u);
  return scan<uint16_t>(static_cast<const uint16_t *>(data), count, poisonPattern);
}

} // namespace orzo
