// Findings: what comparisons of results with the oracle found, gathered by several threads.
#pragma once

#include "Reference/ParallelRanges.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>

namespace orzo {

/// A number as short as it reads back.
std::string shortest(double value);

/// What a range of comparisons found.
struct Findings {
  double worstRatio = -1, error = 0, bound = 0;
  int64_t bad = 0, first = -1;
  double expected = 0, got = 0; ///< Of the first bad one.

  /// A NaN counts as an infinite error.
  void compare(int64_t index, double reference, double actual, double allowed) {
    bool same = actual == reference; // Equal infinities too.
    double difference = same ? 0 : std::abs(actual - reference);
    if (std::isnan(difference))
      difference = std::numeric_limits<double>::infinity();
    double ratio = difference == 0 ? 0 : allowed > 0 ? difference / allowed : std::numeric_limits<double>::infinity();
    if (ratio > worstRatio || (ratio == worstRatio && difference > error)) {
      worstRatio = ratio;
      error = difference;
      bound = allowed;
    }
    if (ratio <= 1)
      return;
    ++bad;
    if (first < 0 || index < first) {
      first = index;
      expected = reference;
      got = actual;
    }
  }

  void merge(const Findings &other) {
    if (other.worstRatio > worstRatio || (other.worstRatio == worstRatio && other.error > error)) {
      worstRatio = other.worstRatio;
      error = other.error;
      bound = other.bound;
    }
    if (other.bad > 0 && (first < 0 || other.first < first)) {
      first = other.first;
      expected = other.expected;
      got = other.got;
    }
    bad += other.bad;
  }
};

/// Runs body(index, findings) over [0, count) and merges what was found.
template <typename Body> Findings compareAll(int64_t count, int threads, Body body) {
  Findings all;
  std::mutex lock;
  reference::parallelRanges(count, 16384, threads, [&](int64_t begin, int64_t end) {
    Findings found;
    for (int64_t index = begin; index < end; ++index)
      body(index, found);
    std::lock_guard guard(lock);
    all.merge(found);
  });
  return all;
}

} // namespace orzo
