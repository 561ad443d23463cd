// Other spellings of one problem, made by the test's own renaming: no code of lib/Spec is used.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <array>
#include <optional>
#include <random>
#include <vector>

namespace orzo::test {

/// A problem, and which tensor of the first problem each of its tensors is.
struct Spelling {
  ConvSpec spec;
  std::array<int, 3> memory = {0, 1, 2};
  bool operator==(const Spelling &) const = default;
};

/// Renames w <-> y, n <-> c, r <-> p; nullopt where w is stored mirrored.
std::optional<Spelling> renameFilterAsOutput(const Spelling &spelling);

/// Renames x <-> y, c <-> k, h <-> p; nullopt where a stride matters and is not 1.
std::optional<Spelling> renameInputAsOutput(const Spelling &spelling);

/// Every order of the spatial dims.
std::vector<Spelling> permuteSpatial(const Spelling &spelling);

/// Adds unit dims at random places as far as rank 3 allows, places letters of unit extent at random, and draws at
/// random what has no meaning: the stride of one window, the dilation and flip of one tap.
Spelling decorate(const Spelling &spelling, std::mt19937 &random);

/// `spelling` and all that the first three functions reach from it.
std::vector<Spelling> allSpellings(const ConvSpec &spec);

} // namespace orzo::test
