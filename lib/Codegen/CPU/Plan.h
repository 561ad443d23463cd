// Plan: how one nest is blocked for one ISA and cache hierarchy, as a value and as text.
#pragma once

#include "Codegen/Common/Nest.h"
#include "Runtime/CPU/Isa.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace orzo::cpu {

struct Plan {
  Isa isa = Isa::AVX2;
  // Register tile: tileRows x tileColumns accumulators, columns in vectors of vectorLanes f32.
  int64_t tileRows = 6, tileColumns = 16, vectorLanes = 8;
  bool dotPairs = false; ///< bf16 pairs multiplied by vdpbf16ps; panels hold interleaved pairs.
  // Cache blocks, in elements of m, n and k.
  int64_t blockRows = 0, blockColumns = 0, blockDepth = 0;
  std::string reason; ///< One sentence: why these numbers. Not part of the text.
};

/// The cost model's plan for `nest` on `isa`, for a run of about `threads` threads.
Plan choosePlan(const Nest &nest, Isa isa, int threads);

/// "avx512_bf16 dot 12x32 rows 192 columns 1024 depth 2048".
std::string text(const Plan &plan);
/// The reverse; InvalidArgument names the field.
Expected<Plan> parsePlan(std::string_view text);

} // namespace orzo::cpu
