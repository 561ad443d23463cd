// DataGenerator: operands for a run, the same on every machine for the same seed.
//
// Element i is a function of (seed, role, i) alone - a counter hashed by splitmix64 - so that threads and order do not
// matter and a single element can be named in a bug report.
//
//   random    uniform in [-1, 1]: multiples of 2^-23 in f32; multiples of 2^-11, rounded to the type, in bf16 and f16
//   integer   in [-m, m], m = integerBound(spec): every partial sum of every result is an integer below 2^24, hence
//   exact
//             in f32 in any order of summation; the right result is the exact integer rounded once
//   ones      all 1: results are counts, known in closed form
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <cstdint>
#include <string_view>

namespace orzo {

enum class DataKind : uint8_t { Random, Integer, Ones };

/// "random", "integer", "ones".
std::string_view name(DataKind kind);
/// The reverse; InvalidArgument lists the three.
Expected<DataKind> parseDataKind(std::string_view text);

/// Whether results on this data must match to the bit after one rounding.
inline bool isExact(DataKind kind) { return kind != DataKind::Random; }

/// The m of integer data: 2, or 1 where sums of products up to 4 could reach 2^24. From 2^24 products on even +-1 could
/// in principle exceed the bound; sums of L random signs stay below 2^24 but with probability 2*exp(-2^47/L).
int64_t integerBound(const ConvSpec &spec);

/// splitmix64's output for the state seed + index * gamma: what all data are made from.
uint64_t splitmix(uint64_t seed, uint64_t index);

/// Fills the tensor `role` of `spec` at `data`. `threads` 0 takes every core.
void generate(DataKind kind, uint64_t seed, const ConvSpec &spec, Role role, void *data, int threads = 0);

} // namespace orzo
