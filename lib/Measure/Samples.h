// Samples: the elements of a result that a sampled verification looks at.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orzo {

/// At least `count` different elements of the result of `spec`, as indices into its memory in rising order; all of them
/// where it has no more. Always among them: the first and the last, the corners, elements on every face of every
/// spatial dim, and elements of every combination of residues modulo the strides (the phases of a dgrad; of 1024
/// combinations drawn at random where there are more). The rest is drawn at random, for long reductions as runs of
/// neighbouring channels, which the oracle evaluates together.
std::vector<int64_t> chooseSamples(const ConvSpec &spec, int64_t count, uint64_t seed);

/// Element `element` of `role` by its index letters, in layout order: "n3 h17 c5"; "the only element" of a tensor of
/// one.
std::string describeElement(const ConvSpec &spec, Role role, int64_t element);

} // namespace orzo
