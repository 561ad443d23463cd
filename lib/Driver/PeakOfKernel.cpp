#include "Driver/PeakOfKernel.h"

#include "Peak/Peak.h"

#include <cstdio>
#include <sstream>

namespace orzo::driver {

PeakReport PeakMemory::peakOf(const std::string &isa, const std::string &plan, int threads) {
  bool usesDot = plan.find(" dot ") != std::string::npos;
  Instruction instruction = usesDot         ? Instruction::DotBF16Zmm
                            : isa == "avx2" ? Instruction::FmaYmm
                                            : Instruction::FmaZmm;
  std::string key = std::string(name(instruction)) + " on " + std::to_string(threads);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  Peak peak = measurePeak(instruction, threads);
  PeakReport report = {peak.gflops, peak.instruction, ""};
  if (!peak.trusted) {
    report.distrust = peak.why.empty() ? "no reason given" : peak.why;
    return report;
  }
  known[key] = report;
  char gflops[32];
  std::snprintf(gflops, sizeof gflops, "%.17g", peak.gflops);
  measured += key + "\n" + peak.instruction + "\n" + gflops + "\n";
  return report;
}

std::string PeakMemory::carry() const { return measured; }

void PeakMemory::absorb(const std::string &carried) {
  std::istringstream lines(carried);
  for (std::string key, instruction, gflops;
       std::getline(lines, key) && std::getline(lines, instruction) && std::getline(lines, gflops);)
    known[key] = {std::strtod(gflops.c_str(), nullptr), instruction, ""};
}

} // namespace orzo::driver
