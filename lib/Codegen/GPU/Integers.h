// Integers: the arithmetic of Index.h on numbers, to run index logic on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace orzo::gpu {

struct Integers {
  using Int = int64_t;
  Int integer(int64_t value) { return value; }
  Int add(Int x, Int y) { return x + y; }
  Int sub(Int x, Int y) { return x - y; }
  Int mul(Int x, Int y) { return x * y; }
  Int div(Int x, Int y) { return x / y; }
  Int rem(Int x, Int y) { return x % y; }
  Int min(Int x, Int y) { return std::min(x, y); }
  Int bitXor(Int x, Int y) { return x ^ y; }
  Int selectLess(Int a, Int b, Int x, Int y) { return a < b ? x : y; }
  Int byPhase(const std::vector<int64_t> &values, Int phase) { return values[phase]; }
};

} // namespace orzo::gpu
