// Plan: how one nest is blocked for one ISA and cache hierarchy, as a value and as text.
//
// The blocking is the classical one (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM
// TOMS 34(3), 2008): a register tile of tileRows x tileColumns accumulators; blocks of blockDepth (k) x blockRows (m)
// of lhs kept in L2 and k x blockColumns (n) of rhs kept beyond it, both packed. A work unit is one (phase, batch,
// column block, row block); it owns its part of the result, so any order and any split of the units gives the same
// bits.
#pragma once

#include "Codegen/Common/Nest.h"
#include "Runtime/CPU/Isa.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orzo::cpu {

struct Plan {
  Isa isa = Isa::AVX2;
  bool channels = false;   ///< The channel kernel (ChannelKernel.h): tiles and blocks then count elements of one lane.
  int64_t laneVectors = 1; ///< With `channels`: registers side by side along the lanes.
  bool dotPairs = false;   ///< bf16 pairs multiplied by vdpbf16ps; else operands are widened to f32 while packing.
  int64_t tileRows = 6, tileColumns = 16; ///< tileColumns is a multiple of lanes() (but with channels).
  int64_t blockRows = 6;                  ///< A multiple of tileRows.
  int64_t blockColumns = 16;              ///< A multiple of tileColumns.
  int64_t blockDepth = 1;                 ///< Even with dotPairs.
  bool rhsResident = true; ///< All of a column block's depth is packed once, for every row block that follows.
  std::string reason;      ///< One sentence: why these numbers. Not part of the text.

  /// f32 lanes of a vector register: 8 or 16.
  int64_t lanes() const { return isa == Isa::AVX2 ? 8 : 16; }
  /// Elements of k in one 32-bit word of a packed panel: 2 with dotPairs, else 1.
  int64_t pair() const { return dotPairs ? 2 : 1; }
};

/// The cost model's plan for `nest` on `isa`, for a run on about `threads` threads.
Plan choosePlan(const Nest &nest, Isa isa, int threads);

/// choosePlan()'s plan, then others that are worth a trial, each different: other blocks, a streamed instead of a
/// resident rhs, down to the least that a kernel can do with. The last ones need the least scratch.
std::vector<Plan> candidatePlans(const Nest &nest, Isa isa, int threads);

/// e.g. "avx512_bf16 dot tile 12x32 rows 192 columns 1024 depth 2048 resident", or, with `channels`,
/// "avx512 channels 4 tile 2x1 rows 512 columns 1 depth 9".
std::string text(const Plan &plan);

/// The reverse, checked against `nest` and this plan language's rules (multiples, register count). InvalidArgument
/// names the field, what was got and what would work.
Expected<Plan> parsePlan(std::string_view text, const Nest &nest);

/// Whether the channel kernel can compute `nest` with registers of `lanes` f32: its innermost batch dim divides into
/// registers and is contiguous in the padded operand and in all tensors but one.
bool allowsChannels(const Nest &nest, int64_t lanes);

/// Work units of each phase: the unit ranges of the kernel.
std::vector<int64_t> unitRanges(const Nest &nest, const Plan &plan);

} // namespace orzo::cpu
