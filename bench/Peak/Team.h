// Team: threads that do timed rounds in step, each on a core of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace orzo::peak {

using Clock = std::chrono::steady_clock;

/// One timed piece of work of one thread.
struct Slice {
  double begin = 0, end = 0; ///< Seconds since the team began.
  double done = 0;           ///< Amount of work, in the caller's unit.
};

/// Runs `threads` pinned threads. In every round, each calls `prepare(thread)` (may be null), waits for the others,
/// calls `work(thread)`, which returns the amount done, and waits again; then one thread calls `finish` with the
/// round's slices, one per thread, and rounds go on until it returns false. Returns the number of physical cores used.
int runRounds(int threads, const std::function<void(int)> &prepare, const std::function<double(int)> &work,
              const std::function<bool(const Slice *)> &finish);

/// Done per second from the first begin to the last end.
double rateOf(const Slice *slices, int threads);

} // namespace orzo::peak
