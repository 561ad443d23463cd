#include "Runtime/CPU/Isa.h"

#include <cpuid.h>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace orzo {
namespace {

struct CpuidWords {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

CpuidWords cpuid(uint32_t leaf, uint32_t subleaf) {
  CpuidWords words;
  // Leaves or subleaves beyond the chip's last one read as zero here: "has none of it".
  if (!__get_cpuid_count(leaf, subleaf, &words.eax, &words.ebx, &words.ecx, &words.edx))
    return {};
  return words;
}

bool bit(uint32_t word, int index) { return word >> index & 1; }

/// The register states that the operating system saves: a chip's vectors are only usable when it does.
uint64_t savedStates() {
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

} // namespace

std::string_view name(Isa isa) {
  switch (isa) {
  case Isa::AVX2:
    return "avx2";
  case Isa::AVX512:
    return "avx512";
  case Isa::AVX512BF16:
    break;
  }
  return "avx512_bf16";
}

Expected<Isa> parseIsa(std::string_view text) {
  for (Isa isa : {Isa::AVX2, Isa::AVX512, Isa::AVX512BF16})
    if (text == name(isa))
      return isa;
  return Status::invalidArgument("unknown ISA '" + std::string(text) + "'; known are avx2, avx512 and avx512_bf16");
}

std::vector<Isa> supportedIsas() {
  CpuidWords basic = cpuid(1, 0), extended = cpuid(7, 0), further = cpuid(7, 1);
  bool hasXsave = bit(basic.ecx, 27);
  uint64_t saved = hasXsave ? savedStates() : 0;
  bool ymm = (saved & 0x6) == 0x6, zmm = (saved & 0xe6) == 0xe6;

  std::vector<Isa> result;
  bool fma = bit(basic.ecx, 12), avx = bit(basic.ecx, 28), f16c = bit(basic.ecx, 29), avx2 = bit(extended.ebx, 5);
  if (!(ymm && fma && avx && f16c && avx2))
    return result;
  result.push_back(Isa::AVX2);
  bool f = bit(extended.ebx, 16), dq = bit(extended.ebx, 17), bw = bit(extended.ebx, 30), vl = bit(extended.ebx, 31);
  if (!(zmm && f && dq && bw && vl))
    return result;
  result.push_back(Isa::AVX512);
  // Subleaf 1 is only there where subleaf 0 says so.
  if (extended.eax >= 1 && bit(further.eax, 5))
    result.push_back(Isa::AVX512BF16);
  return result;
}

Expected<Isa> detectIsa() {
  std::vector<Isa> isas = supportedIsas();
  if (isas.empty())
    return Status::unavailable("this machine lacks AVX2, FMA or F16C, or its operating system does not enable them; "
                               "orzo's CPU kernels need them");
  return isas.back();
}

int coreCount() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return CPU_COUNT(&allowed);
  // More CPUs than the fixed set holds.
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<int>(online) : 1;
}

} // namespace orzo
