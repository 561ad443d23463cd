// Isa: the instruction-set levels kernels are compiled for, and which of them this machine has. LLVM-free.
#pragma once

#include "orzo/Support/Status.h"

#include <string_view>
#include <vector>

namespace orzo {

/// Ordered: a machine that has a level has those before it.
enum class Isa : uint8_t { AVX2, AVX512, AVX512BF16 };

/// "avx2" (AVX2, FMA, F16C), "avx512" (F, BW, DQ, VL), "avx512_bf16" (and BF16).
std::string_view name(Isa isa);
/// The reverse; InvalidArgument lists the three.
Expected<Isa> parseIsa(std::string_view text);

/// The levels this machine and its operating system support, lowest first (cpuid and xgetbv); empty below AVX2.
std::vector<Isa> supportedIsas();
/// The highest of them; Unavailable below AVX2.
Expected<Isa> detectIsa();

/// Cores the process may run on (its affinity mask).
int coreCount();

} // namespace orzo
