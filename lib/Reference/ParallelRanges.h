// parallelRanges: a range of independent work items, split over threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace orzo::reference {

/// Calls body(begin, end) for consecutive pieces of [0, count) on `threads` threads (0: one for each core the process
/// may use) and returns when all are done. A piece has at least `grain` items, so that small work stays on the caller's
/// thread. `body` must not throw.
template <typename Body> void parallelRanges(int64_t count, int64_t grain, int threads, Body body) {
  int64_t pieces = threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  pieces = std::max<int64_t>(1, std::min(pieces, count / std::max<int64_t>(1, grain)));
  std::vector<std::thread> helpers;
  for (int64_t piece = 1; piece < pieces; ++piece)
    helpers.emplace_back(body, count / pieces * piece + std::min(piece, count % pieces),
                         count / pieces * (piece + 1) + std::min(piece + 1, count % pieces));
  body(int64_t(0), count / pieces + std::min<int64_t>(1, count % pieces));
  for (std::thread &helper : helpers)
    helper.join();
}

} // namespace orzo::reference
