#include "Runtime/CPU/UnitShares.h"

#include <algorithm>

namespace orzo::cpu {

std::vector<std::vector<UnitShare>> unitShares(std::span<const int64_t> ranges, int threads) {
  std::vector<std::vector<UnitShare>> shares(threads);
  int64_t unit = 0;
  int next = 0; // The thread that takes the first part of the coming range.
  for (int64_t range : ranges) {
    int64_t quotient = range / threads, extras = range % threads;
    for (int part = 0; part < threads; ++part) {
      int64_t length = quotient + (part < extras);
      if (length == 0)
        break;
      shares[(next + part) % threads].push_back({unit, unit + length});
      unit += length;
    }
    next = static_cast<int>((next + extras) % threads);
  }
  std::erase_if(shares, [](const auto &list) { return list.empty(); });
  return shares;
}

} // namespace orzo::cpu
