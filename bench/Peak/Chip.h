// Chip: which chip this is, and the rates at which it is documented to execute the instructions of Peak.
//
// The bar for f32 is two vector FMAs a core clock, on every chip but those documented to have narrower pipes (AMD's
// Software Optimization Guides for the Zen 4 and Zen 5 microarchitectures, publications 57647 and 58455, chapter on the
// floating-point unit). vdpbf16ps is held to the number of multiply-add pipes; measured on a Zen 5 server (family 1Ah,
// model 02h): 2.00 a clock, as f32.
#pragma once

#include "Peak/Peak.h"

namespace orzo::peak {

struct Chip {
  bool isAMD = false;
  int family = 0, model = 0; ///< As CPUID leaf 1 displays them (extended fields folded in).
};

/// From CPUID.
Chip detectChip();

struct DocumentedRate {
  double perClock = 0;     ///< Instructions per core and clock; 0 = nothing documented that we know of.
  std::string_view source; ///< What says so.
};

DocumentedRate documentedRate(const Chip &chip, Instruction instruction);

} // namespace orzo::peak
