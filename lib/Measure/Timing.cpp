#include "Measure/Timing.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <random>
#include <string>

namespace orzo {

static int64_t medianOf(std::vector<int64_t> values) {
  auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2)
    return *middle;
  int64_t below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

TimeStatistics summarise(std::span<const int64_t> nanoseconds) {
  TimeStatistics statistics;
  auto count = static_cast<int64_t>(nanoseconds.size());
  statistics.iterations = count;
  if (count == 0)
    return statistics;
  std::vector<int64_t> sorted(nanoseconds.begin(), nanoseconds.end());
  std::sort(sorted.begin(), sorted.end());
  statistics.min = sorted.front();
  statistics.median = medianOf(sorted);
  statistics.p95 = sorted[(count * 95 + 99) / 100 - 1];
  double sum = 0, squares = 0;
  for (int64_t time : sorted)
    sum += static_cast<double>(time);
  double mean = sum / static_cast<double>(count);
  for (int64_t time : sorted)
    squares += (static_cast<double>(time) - mean) * (static_cast<double>(time) - mean);
  statistics.mean = static_cast<int64_t>(mean);
  statistics.stddev = count > 1 ? static_cast<int64_t>(std::sqrt(squares / static_cast<double>(count - 1))) : 0;
  return statistics;
}

using Clock = std::chrono::steady_clock;

static int64_t nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// Calls round(index) for the warm-up (index below 0) and as often as `options` says after it.
static Status repeat(const TimingOptions &options, const std::function<Status(int64_t)> &round) {
  if (options.iterations && *options.iterations < 1)
    return Status::invalidArgument("--iter: got " + std::to_string(*options.iterations) + ", must be at least 1");
  if (options.warmup && *options.warmup < 0)
    return Status::invalidArgument("--warmup: got " + std::to_string(*options.warmup) + ", must be at least 0");
  for (int64_t index = -options.warmup.value_or(1); index < 0; ++index)
    if (Status status = round(index); !status.ok())
      return status;
  Clock::time_point start = Clock::now();
  auto more = [&](int64_t done) {
    if (options.iterations)
      return done < *options.iterations;
    return done < options.leastIterations ||
           (done < options.mostIterations &&
            static_cast<double>(nanosecondsSince(start)) * 1e-9 < options.budgetSeconds);
  };
  for (int64_t index = 0; more(index); ++index)
    if (Status status = round(index); !status.ok())
      return status;
  return Status::success();
}

static Status timeOne(const RunOnce &run, bool keep, std::vector<int64_t> &times) {
  Clock::time_point start = Clock::now();
  Status status = run();
  int64_t time = nanosecondsSince(start);
  if (keep)
    times.push_back(time);
  return status;
}

Expected<std::vector<int64_t>> timeRuns(const RunOnce &run, const TimingOptions &options) {
  std::vector<int64_t> times;
  Status status = repeat(options, [&](int64_t index) { return timeOne(run, index >= 0, times); });
  if (!status.ok())
    return status;
  return times;
}

Expected<std::vector<int64_t>> collectTimes(const TimedRun &run, const TimingOptions &options) {
  std::vector<int64_t> times;
  Status status = repeat(options, [&](int64_t index) {
    Expected<int64_t> time = run();
    if (time && index >= 0)
      times.push_back(*time);
    return time.status();
  });
  if (!status.ok())
    return status;
  return times;
}

Expected<RatioTiming> timeInterleaved(const RunOnce &first, const RunOnce &second, const TimingOptions &options) {
  std::vector<int64_t> firstTimes, secondTimes;
  Status status = repeat(options, [&](int64_t index) {
    bool swapped = index % 2 != 0;
    Status early = timeOne(swapped ? second : first, index >= 0, swapped ? secondTimes : firstTimes);
    if (!early.ok())
      return early;
    return timeOne(swapped ? first : second, index >= 0, swapped ? firstTimes : secondTimes);
  });
  if (!status.ok())
    return status;
  return ratioOfRounds(firstTimes, secondTimes);
}

RatioTiming ratioOfRounds(std::span<const int64_t> first, std::span<const int64_t> second) {
  assert(first.size() == second.size() && !first.empty());
  auto ratioOf = [](const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
    return static_cast<double>(medianOf(a)) / static_cast<double>(std::max<int64_t>(1, medianOf(b)));
  };
  RatioTiming timing;
  timing.first = summarise(first);
  timing.second = summarise(second);
  timing.median = ratioOf({first.begin(), first.end()}, {second.begin(), second.end()});
  std::mt19937_64 random(1);
  std::vector<double> ratios(2000);
  std::vector<int64_t> a(first.size()), b(first.size());
  for (double &ratio : ratios) {
    for (size_t i = 0; i < a.size(); ++i) {
      size_t round = random() % first.size();
      a[i] = first[round];
      b[i] = second[round];
    }
    ratio = ratioOf(a, b);
  }
  std::sort(ratios.begin(), ratios.end());
  timing.low = ratios[ratios.size() * 25 / 1000];
  timing.high = ratios[ratios.size() * 975 / 1000 - 1];
  return timing;
}

} // namespace orzo
