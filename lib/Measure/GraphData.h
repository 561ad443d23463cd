// GraphData: contents for a graph's inputs, the same on every machine for the same seed.
//
// Element i of value v is a function of (seed, v, i) alone. random: floats are uniform in [-1, 1], multiples of 2^-11;
// integers in [-8, 7] (without a sign [0, 15]); booleans 0 or 1. integer: in [-2, 2] (without a sign [0, 2]), booleans
// 0 or 1: sums and products of few of them are exact. ones: all 1.
#pragma once

#include "Measure/DataGenerator.h"
#include "orzo/Spec/GraphSpec.h"

namespace orzo {

/// Fills the memory of input `value` of `graph` at `data`.
void generate(DataKind kind, uint64_t seed, const GraphSpec &graph, int value, void *data);

} // namespace orzo
