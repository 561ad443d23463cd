#include "Peak/Peak.h"

#include "Peak/Chip.h"
#include "Peak/Kernels.h"
#include "Peak/Team.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace orzo {

using namespace peak;

std::string_view name(Instruction instruction) {
  switch (instruction) {
  case Instruction::FmaYmm:
    return "vfmadd231ps ymm";
  case Instruction::FmaZmm:
    return "vfmadd231ps zmm";
  case Instruction::DotBF16Zmm:
    break;
  }
  return "vdpbf16ps zmm";
}

int flopsOf(Instruction instruction) {
  switch (instruction) {
  case Instruction::FmaYmm:
    return 16;
  case Instruction::FmaZmm:
    return 32;
  case Instruction::DotBF16Zmm:
    break;
  }
  return 64;
}

bool isSupported(Instruction instruction) {
  // These look at XGETBV too: an instruction the operating system does not save registers for counts as missing.
  switch (instruction) {
  case Instruction::FmaYmm:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  case Instruction::FmaZmm:
    return __builtin_cpu_supports("avx512f");
  case Instruction::DotBF16Zmm:
    break;
  }
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bf16");
}

static std::string formatted(const char *format, auto... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof(buffer), format, values...);
  return buffer;
}

static void judge(Peak &result, Instruction instruction) {
  DocumentedRate rate = documentedRate(detectChip(), instruction);
  result.documented = rate.perClock;
  std::string measured =
      formatted("%.2f %s per core clock of %.2f GHz", result.perClock, result.instruction.c_str(), result.clockGHz);
  if (rate.perClock == 0) {
    result.why = measured + "; no documented rate of this chip is known to compare with";
    return;
  }
  std::string documented = formatted("%.2g documented (", rate.perClock) + std::string(rate.source) + ")";
  result.trusted = result.perClock >= 0.9 * rate.perClock;
  if (result.trusted)
    result.why = measured + ", " + documented;
  else
    result.why =
        measured + ", less than 0.9 of " + documented + ": the cores were shared, or this build is not optimised";
}

Peak measurePeak(Instruction instruction, int threads, double seconds) {
  Peak result;
  result.instruction = name(instruction);
  result.threads = threads = std::max(1, threads);
  if (!isSupported(instruction)) {
    result.why = "this machine has no " + result.instruction;
    return result;
  }
  // Slices well below a scheduler's time slice: on a busy machine some rounds then run undisturbed. About 0.1 ms of
  // adds and 0.4 ms of work at 4 GHz.
  constexpr int64_t adds = 400'000, work = 3'000'000;
  std::vector<double> clock(threads, 0);
  double best = 0;
  Clock::time_point begin = Clock::now();
  auto secondsSince = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  result.cores = runRounds(
      threads,
      [&](int thread) {
        Clock::time_point start = Clock::now();
        auto done = static_cast<double>(runDependentAdds(adds));
        clock[thread] = std::max(clock[thread], done / secondsSince(start));
      },
      [&](int) { return static_cast<double>(runInstruction(instruction, work)); },
      [&](const Slice *slices) {
        best = std::max(best, rateOf(slices, threads));
        return secondsSince(begin) < seconds;
      });
  // The fastest core's clock, so that the rate per clock errs on the low side.
  result.clockGHz = *std::max_element(clock.begin(), clock.end()) / 1e9;
  result.gflops = best * flopsOf(instruction) / 1e9;
  result.perClock = best / 1e9 / result.clockGHz / result.cores;
  judge(result, instruction);
  return result;
}

} // namespace orzo
