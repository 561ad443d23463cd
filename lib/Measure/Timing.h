// Timing: how long one run takes, and which of two is faster.
#pragma once

#include "orzo/Support/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace orzo {

/// Of the times of single runs, in nanoseconds.
struct TimeStatistics {
  int64_t min = 0;
  int64_t median = 0; ///< Of an even number: the mean of the middle two, rounded down.
  int64_t mean = 0;   ///< Rounded down.
  int64_t p95 = 0;    ///< The smallest time that at least 95 % of the runs did not exceed.
  int64_t stddev = 0; ///< Of the sample (divisor n - 1), rounded down; 0 for one run.
  int64_t iterations = 0;
  bool operator==(const TimeStatistics &) const = default;
};

/// All zero for no times.
TimeStatistics summarise(std::span<const int64_t> nanoseconds);

/// Runs the thing once, to completion.
using RunOnce = std::function<Status()>;

struct TimingOptions {
  std::optional<int64_t> iterations = std::nullopt; ///< Exactly so many (at least 1) when given.
  std::optional<int64_t> warmup = std::nullopt;     ///< Untimed runs before; 1 when not given.
  double budgetSeconds = 1;                         ///< Without `iterations`: runs until this is used up ...
  int64_t leastIterations = 3;                      ///< ... but so many in any case ...
  int64_t mostIterations = 10000;                   ///< ... and no more than these.
};

/// The times of single runs by the steady clock, in order, warm-up excluded. The first failing run's Status ends it;
/// InvalidArgument for iterations below 1 or warmup below 0.
Expected<std::vector<int64_t>> timeRuns(const RunOnce &run, const TimingOptions &options);

/// Runs the thing once and says how many nanoseconds that took, by a clock of its own (a device's).
using TimedRun = std::function<Expected<int64_t>()>;

/// As timeRuns(), with the times that `run` says.
Expected<std::vector<int64_t>> collectTimes(const TimedRun &run, const TimingOptions &options);

struct RatioTiming {
  TimeStatistics first, second;
  double median = 0;        ///< median(first) / median(second): above 1 the second is faster.
  double low = 0, high = 0; ///< Its 95 % bootstrap interval over the rounds.
};

/// Times both in rounds: one run of each a round, the order changing from round to round, so that drift of clock and
/// neighbours meets both alike. `options` as in timeRuns(), iterations meaning rounds and the budget holding for both
/// together. The interval comes from 2000 resamplings of whole rounds, drawn from a fixed seed.
Expected<RatioTiming> timeInterleaved(const RunOnce &first, const RunOnce &second, const TimingOptions &options);

/// The interval alone, of times paired by round (spans of equal, nonzero length).
RatioTiming ratioOfRounds(std::span<const int64_t> first, std::span<const int64_t> second);

} // namespace orzo
