// PeakOfKernel: the measured peak of the instruction that a kernel uses.
#pragma once

#include "Measure/Report.h"

#include <map>
#include <string>

namespace orzo::driver {

/// Peaks measured in this run of the program, by instruction. A trusted one is measured once and then remembered.
class PeakMemory {
public:
  /// The peak for the image `isa` with plan `plan` on `threads` threads; measuring takes about 0.25 s.
  PeakReport peakOf(const std::string &isa, const std::string &plan, int threads);

  /// What was measured here, as bytes that another process's absorb() takes; empty when nothing was.
  std::string carry() const;
  void absorb(const std::string &carried);

private:
  std::map<std::string, PeakReport> known; ///< By instruction and threads.
  std::string measured;
};

} // namespace orzo::driver
