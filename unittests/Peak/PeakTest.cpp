#include "Peak/Peak.h"
#include "Peak/Chip.h"
#include "Peak/Kernels.h"
#include "Peak/Team.h"

#include <atomic>
#include <gtest/gtest.h>
#include <vector>

using namespace orzo;
using namespace orzo::peak;

namespace {

constexpr Instruction instructions[] = {Instruction::FmaYmm, Instruction::FmaZmm, Instruction::DotBF16Zmm};

TEST(Peak, FiguresOfOneMeasurementAgree) {
  for (Instruction instruction : instructions) {
    Peak peak = measurePeak(instruction, 2, 0.02);
    EXPECT_EQ(peak.instruction, name(instruction));
    EXPECT_FALSE(peak.why.empty());
    if (!isSupported(instruction)) {
      EXPECT_FALSE(peak.trusted);
      EXPECT_EQ(peak.gflops, 0);
      continue;
    }
    EXPECT_GT(peak.clockGHz, 0.1);
    EXPECT_LT(peak.clockGHz, 10);
    EXPECT_NEAR(peak.gflops, peak.perClock * peak.clockGHz * peak.cores * flopsOf(instruction), 1e-6 * peak.gflops);
    EXPECT_EQ(peak.trusted, peak.documented > 0 && peak.perClock >= 0.9 * peak.documented);
    // No x86 chip starts more than four of these in a clock: more would mean that the loop was optimised away.
    EXPECT_LT(peak.perClock, 4.1);
  }
}

TEST(Peak, LoopsDoAtLeastWhatWasAsked) {
  for (Instruction instruction : instructions)
    if (isSupported(instruction))
      for (int64_t count : {1, 1000, 12345})
        EXPECT_GE(runInstruction(instruction, count), count);
  EXPECT_GE(runDependentAdds(1000), 1000);
}

TEST(Peak, DocumentedRates) {
  Chip zen3{true, 0x19, 0x01}, zen4{true, 0x19, 0x11}, zen5{true, 0x1a, 0x02}, strixPoint{true, 0x1a, 0x24}, other;
  EXPECT_EQ(documentedRate(zen3, Instruction::FmaYmm).perClock, 2);
  EXPECT_EQ(documentedRate(zen4, Instruction::FmaYmm).perClock, 2);
  EXPECT_EQ(documentedRate(zen4, Instruction::FmaZmm).perClock, 1);
  EXPECT_EQ(documentedRate(zen4, Instruction::DotBF16Zmm).perClock, 1);
  EXPECT_EQ(documentedRate(zen5, Instruction::FmaZmm).perClock, 2);
  EXPECT_EQ(documentedRate(zen5, Instruction::DotBF16Zmm).perClock, 2);
  EXPECT_EQ(documentedRate(strixPoint, Instruction::DotBF16Zmm).perClock, 1);
  EXPECT_EQ(documentedRate(other, Instruction::FmaZmm).perClock, 2);
  EXPECT_EQ(documentedRate(other, Instruction::DotBF16Zmm).perClock, 0);
}

TEST(Peak, RoundsGoOnUntilFinishSaysSo) {
  constexpr int threads = 3;
  std::atomic<int> prepared = 0, worked = 0;
  int rounds = 0;
  int cores = runRounds(
      threads, [&](int) { ++prepared; },
      [&](int thread) {
        ++worked;
        return thread + 1.0;
      },
      [&](const Slice *slices) {
        for (int thread = 0; thread < threads; ++thread) {
          EXPECT_EQ(slices[thread].done, thread + 1.0);
          EXPECT_LE(slices[thread].begin, slices[thread].end);
        }
        EXPECT_GT(rateOf(slices, threads), 0);
        return ++rounds < 5;
      });
  EXPECT_EQ(rounds, 5);
  EXPECT_EQ(prepared, 5 * threads);
  EXPECT_EQ(worked, 5 * threads);
  EXPECT_GE(cores, 1);
  EXPECT_LE(cores, threads);
}

TEST(Peak, RateSpansFromTheFirstBeginToTheLastEnd) {
  Slice slices[] = {{1.0, 2.0, 30}, {1.5, 3.0, 10}};
  EXPECT_DOUBLE_EQ(rateOf(slices, 2), 20);
}

TEST(Peak, BandwidthIsThatOfAMemory) {
  Bandwidth bandwidth = measureBandwidth(1, 0.01);
  EXPECT_GT(bandwidth.arrayMegabytes, 0);
  EXPECT_GT(bandwidth.readGBs, 0.1);
  EXPECT_LT(bandwidth.readGBs, 1000);
  EXPECT_GT(bandwidth.triadGBs, 0.1);
  EXPECT_LT(bandwidth.triadGBs, 1000);
}

} // namespace
