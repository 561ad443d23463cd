#include "Peak/Chip.h"

#include <cpuid.h>
#include <cstring>

namespace orzo::peak {

Chip detectChip() {
  Chip chip;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
    return chip;
  char vendor[13] = {};
  std::memcpy(vendor, &ebx, 4);
  std::memcpy(vendor + 4, &edx, 4);
  std::memcpy(vendor + 8, &ecx, 4);
  chip.isAMD = std::string_view(vendor) == "AuthenticAMD";
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
    return chip;
  unsigned family = eax >> 8 & 0xf, model = eax >> 4 & 0xf;
  if (family == 6 || family == 15)
    model += (eax >> 16 & 0xf) << 4;
  if (family == 15)
    family += eax >> 20 & 0xff;
  chip.family = static_cast<int>(family);
  chip.model = static_cast<int>(model);
  return chip;
}

/// The number of zmm multiply-adds an AMD chip starts in a clock: it has two multiply-add pipes, of 256 or 512 bits.
static DocumentedRate zmmRateOfAMD(const Chip &chip) {
  constexpr std::string_view half = "two 256-bit multiply-add pipes, each zmm takes both";
  constexpr std::string_view full = "two 512-bit multiply-add pipes";
  if (chip.family == 0x19) // Zen 4: the members of this family with AVX-512.
    return {1, half};
  if (chip.family != 0x1a)
    return {};
  // Zen 5: the smaller mobile chips (Strix Point, Krackan Point) keep the narrow pipes.
  bool isNarrow = (chip.model & 0xf0) == 0x20 || (chip.model & 0xf0) == 0x60;
  return isNarrow ? DocumentedRate{1, half} : DocumentedRate{2, full};
}

DocumentedRate documentedRate(const Chip &chip, Instruction instruction) {
  constexpr std::string_view everyChip = "two vector FMAs a clock";
  switch (instruction) {
  case Instruction::FmaYmm:
    return {2, everyChip};
  case Instruction::FmaZmm:
    // A chip with one unit, or narrow ones that we do not know of, is then not trusted: the safe side.
    return chip.isAMD && zmmRateOfAMD(chip).perClock > 0 ? zmmRateOfAMD(chip) : DocumentedRate{2, everyChip};
  case Instruction::DotBF16Zmm:
    break;
  }
  // On AMD it runs on the multiply-add pipes, one a pipe and clock, which is the most they could do. For Intel's chips
  // we know of no published throughput.
  return chip.isAMD ? zmmRateOfAMD(chip) : DocumentedRate{};
}

} // namespace orzo::peak
