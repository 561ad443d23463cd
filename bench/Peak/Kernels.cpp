#include "Peak/Kernels.h"

#include <immintrin.h>

namespace orzo::peak {

// The empty asm statements make a value opaque: the compiler can neither fold the loop nor keep it anywhere but in a
// register. 12 accumulators cover 2 FMAs a clock of latency up to 6 in 16 registers, 24 cover latency 12 in 32.
// The values stay normal numbers: 0.75 x + 0.25 tends to 1, and the dot products add 2^-9 to a sum that stops growing
// where its unit in the last place outgrows that.

__attribute__((target("avx2,fma"))) static int64_t fmaYmm(int64_t count) {
  constexpr int chains = 12;
  __m256 sum[chains], scale = _mm256_set1_ps(0.75F), term = _mm256_set1_ps(0.25F);
  asm volatile("" : "+x"(scale), "+x"(term));
#pragma clang loop unroll(full)
  for (int chain = 0; chain < chains; ++chain)
    sum[chain] = _mm256_set1_ps(static_cast<float>(chain));
  int64_t rounds = count / chains + 1;
#pragma clang loop unroll(disable)
  for (int64_t round = 0; round < rounds; ++round)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < chains; ++chain) {
      sum[chain] = _mm256_fmadd_ps(sum[chain], scale, term);
      asm volatile("" : "+x"(sum[chain]));
    }
  return rounds * chains;
}

__attribute__((target("avx512f"))) static int64_t fmaZmm(int64_t count) {
  constexpr int chains = 24;
  __m512 sum[chains], scale = _mm512_set1_ps(0.75F), term = _mm512_set1_ps(0.25F);
  asm volatile("" : "+v"(scale), "+v"(term));
#pragma clang loop unroll(full)
  for (int chain = 0; chain < chains; ++chain)
    sum[chain] = _mm512_set1_ps(static_cast<float>(chain));
  int64_t rounds = count / chains + 1;
#pragma clang loop unroll(disable)
  for (int64_t round = 0; round < rounds; ++round)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < chains; ++chain) {
      sum[chain] = _mm512_fmadd_ps(sum[chain], scale, term);
      asm volatile("" : "+v"(sum[chain]));
    }
  return rounds * chains;
}

__attribute__((target("avx512f,avx512bf16"))) static int64_t dotBF16Zmm(int64_t count) {
  constexpr int chains = 24;
  // 0x3d80 is 2^-4 in bf16; each lane adds two products of 2^-4 * 2^-6.
  __m512i left = _mm512_set1_epi16(0x3d80), right = _mm512_set1_epi16(0x3c80);
  asm volatile("" : "+v"(left), "+v"(right));
  __m512 sum[chains];
#pragma clang loop unroll(full)
  for (int chain = 0; chain < chains; ++chain)
    sum[chain] = _mm512_set1_ps(static_cast<float>(chain));
  int64_t rounds = count / chains + 1;
#pragma clang loop unroll(disable)
  for (int64_t round = 0; round < rounds; ++round)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < chains; ++chain) {
      sum[chain] = _mm512_dpbf16_ps(sum[chain], (__m512bh)left, (__m512bh)right);
      asm volatile("" : "+v"(sum[chain]));
    }
  return rounds * chains;
}

int64_t runInstruction(Instruction instruction, int64_t count) {
  switch (instruction) {
  case Instruction::FmaYmm:
    return fmaYmm(count);
  case Instruction::FmaZmm:
    return fmaZmm(count);
  case Instruction::DotBF16Zmm:
    break;
  }
  return dotBF16Zmm(count);
}

int64_t runDependentAdds(int64_t count) {
  constexpr int chain = 32;
  uint64_t value = 1, step = 3;
  // Register operands: some chips fold an add of a constant into renaming, and would show twice their clock.
  asm volatile("" : "+r"(step));
  int64_t rounds = count / chain + 1;
#pragma clang loop unroll(disable)
  for (int64_t round = 0; round < rounds; ++round)
#pragma clang loop unroll(full)
    for (int link = 0; link < chain; ++link)
      asm volatile("addq %1, %0" : "+r"(value) : "r"(step) : "cc");
  return rounds * chain;
}

} // namespace orzo::peak
