#include "Measure/Timing.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace orzo;

namespace {

TEST(Timing, StatisticsOfKnownTimes) {
  std::vector<int64_t> times = {40, 10, 30, 20};
  // mean 25; squares 225 25 25 225 = 500; 500/3 = 166.67, root 12.9
  EXPECT_EQ(summarise(times),
            (TimeStatistics{.min = 10, .median = 25, .mean = 25, .p95 = 40, .stddev = 12, .iterations = 4}));
  times = {7};
  EXPECT_EQ(summarise(times),
            (TimeStatistics{.min = 7, .median = 7, .mean = 7, .p95 = 7, .stddev = 0, .iterations = 1}));
  times = {3, 1, 2};
  EXPECT_EQ(summarise(times).median, 2);
  EXPECT_EQ(summarise({}), TimeStatistics());
}

TEST(Timing, P95IsTheNearestRank) {
  std::vector<int64_t> times;
  for (int64_t time = 100; time >= 1; --time)
    times.push_back(time);
  EXPECT_EQ(summarise(times).p95, 95);
  times.resize(20); // 100 ... 81: the 19th of 20
  EXPECT_EQ(summarise(times).p95, 99);
}

TEST(Timing, RunsAsOftenAsAsked) {
  int runs = 0;
  RunOnce count = [&] { return ++runs, Status::success(); };
  Expected<std::vector<int64_t>> times = timeRuns(count, {.iterations = 5, .warmup = 2});
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->size(), 5u);
  EXPECT_EQ(runs, 7);
  EXPECT_EQ(timeRuns(count, {.iterations = 0}).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(timeRuns(count, {.iterations = 1, .warmup = -1}).status().code(), StatusCode::InvalidArgument);
}

TEST(Timing, BudgetDecidesWithoutIterations) {
  RunOnce slow = [] { return std::this_thread::sleep_for(std::chrono::milliseconds(20)), Status::success(); };
  Expected<std::vector<int64_t>> times = timeRuns(slow, {.budgetSeconds = 0.001});
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->size(), 3u);
  for (int64_t time : *times)
    EXPECT_GE(time, 20'000'000);
  RunOnce fast = [] { return Status::success(); };
  times = timeRuns(fast, {.budgetSeconds = 0.01, .mostIterations = 50});
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->size(), 50u);
}

TEST(Timing, AFailingRunEndsIt) {
  int runs = 0;
  RunOnce failing = [&] { return ++runs < 3 ? Status::success() : Status::unavailable("gone"); };
  EXPECT_EQ(timeRuns(failing, {.iterations = 9, .warmup = 0}).status().message(), "gone");
  EXPECT_EQ(runs, 3);
  RunOnce good = [] { return Status::success(); };
  EXPECT_EQ(timeInterleaved(good, failing, {.iterations = 2}).status().message(), "gone");
}

TEST(Timing, InterleavesInChangingOrder) {
  std::string order;
  RunOnce first = [&] { return order += 'a', Status::success(); };
  RunOnce second = [&] { return order += 'b', Status::success(); };
  ASSERT_TRUE(timeInterleaved(first, second, {.iterations = 4, .warmup = 0}).ok());
  EXPECT_EQ(order, "abbaabba");
}

TEST(Timing, RatioAndItsInterval) {
  std::vector<int64_t> first, second, noisy;
  for (int64_t round = 0; round < 40; ++round) {
    first.push_back(2000 + round % 5);
    second.push_back(1000 + round % 3);
    noisy.push_back(1500 + (round % 2 ? 1000 : -1000));
  }
  RatioTiming clear = ratioOfRounds(first, second);
  EXPECT_NEAR(clear.median, 2, 0.01);
  EXPECT_LE(clear.low, clear.median);
  EXPECT_GE(clear.high, clear.median);
  EXPECT_GT(clear.low, 1.99);
  EXPECT_LT(clear.high, 2.01);
  RatioTiming unclear = ratioOfRounds(first, noisy);
  EXPECT_GT(unclear.high - unclear.low, 1);
  EXPECT_EQ(ratioOfRounds(first, first).low, 1);
}

} // namespace
