// UnitShares: how the units of a step are dealt to threads, once, when a call is bound.
//
// Every thread takes an equal share of every range, as contiguous units. Where a range does not divide evenly, the
// threads that get one more are the next ones in turn, so that many short ranges do not all burden the first thread:
//
//     worked example   ranges {5, 2, 1}, 2 threads (units 0-4, 5-6, 7)
//     range 0: 5 = 3 + 2   thread 0: [0,3)  thread 1: [3,5)     the next extra goes to thread 1
//     range 1: 2 = 1 + 1   thread 1: [5,6)  thread 0: [6,7)
//     range 2: 1 = 1 + 0   thread 1: [7,8)
//     thread 0 has 4 units, thread 1 has 4
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orzo::cpu {

struct UnitShare {
  int64_t begin = 0, end = 0; ///< Never empty.
  bool operator==(const UnitShare &) const = default;
};

/// One list of shares for each thread that has work: at most `threads` lists, none empty, every unit in exactly one
/// share. `ranges` are lengths of consecutive unit ranges, not negative. A function of its arguments alone.
std::vector<std::vector<UnitShare>> unitShares(std::span<const int64_t> ranges, int threads);

} // namespace orzo::cpu
