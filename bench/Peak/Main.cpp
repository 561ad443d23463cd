// orzo-peak: prints what this machine can do at best; bench/Peak/Peak.h says how it is measured.
#include "Peak/Peak.h"

#include <cstdio>
#include <cstring>
#include <set>
#include <thread>

using namespace orzo;

static void printText(const Peak &peak) {
  std::printf("%-16s %3d thread%s %9.1f GFLOP/s  %4.2f per clock at %.2f GHz  %s: %s\n", peak.instruction.c_str(),
              peak.threads, peak.threads == 1 ? " " : "s", peak.gflops, peak.perClock, peak.clockGHz,
              peak.trusted ? "trusted" : "not trusted", peak.why.c_str());
}

static void printJson(const Peak &peak) {
  std::printf("{\"instruction\": \"%s\", \"threads\": %d, \"cores\": %d, \"gflops\": %.3f, \"clock_ghz\": %.4f, "
              "\"per_clock\": %.4f, \"documented\": %.3f, \"trusted\": %s, \"why\": \"%s\"}\n",
              peak.instruction.c_str(), peak.threads, peak.cores, peak.gflops, peak.clockGHz, peak.perClock,
              peak.documented, peak.trusted ? "true" : "false", peak.why.c_str());
}

static void print(const Bandwidth &bandwidth, bool json) {
  if (json)
    std::printf("{\"bandwidth_threads\": %d, \"array_megabytes\": %.0f, \"read_gbs\": %.3f, \"triad_gbs\": %.3f}\n",
                bandwidth.threads, bandwidth.arrayMegabytes, bandwidth.readGBs, bandwidth.triadGBs);
  else
    std::printf("memory           %3d thread%s %9.1f GB/s read, %.1f GB/s triad (3 arrays of %.0f MB)\n",
                bandwidth.threads, bandwidth.threads == 1 ? " " : "s", bandwidth.readGBs, bandwidth.triadGBs,
                bandwidth.arrayMegabytes);
}

int main(int argc, char **argv) {
  bool json = argc == 2 && std::strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    std::fprintf(stderr, "usage: orzo-peak [--json]\n");
    return 2;
  }
  int all = static_cast<int>(std::thread::hardware_concurrency());
  for (Instruction instruction : {Instruction::FmaYmm, Instruction::FmaZmm, Instruction::DotBF16Zmm})
    for (int threads : std::set<int>{1, all > 0 ? all : 1}) {
      Peak peak = measurePeak(instruction, threads);
      json ? printJson(peak) : printText(peak);
    }
  for (int threads : std::set<int>{1, all > 0 ? all : 1})
    print(measureBandwidth(threads), json);
  return 0;
}
