// CoveringGrid: problems in which every legal triple of levels of the twelve factors of a convolution occurs.
//
// A row names one level of each factor; gridProblem() makes it a problem. Not every combination is one: without spatial
// dims there is no filter to be long, one dim has no two different strides, one channel cannot be split. Which triples
// are legal is asked of gridProblem() and validate(), with every other factor at its neutral level.
//
// The rows come from the greedy algorithm known as AETG (Cohen, Dalal, Fredman and Patton, IEEE TSE 23(7), 1997): a row
// starts from a triple that is still uncovered and takes, factor by factor in a random order, the level that covers
// most new triples; the best of a few such candidates is kept. The random numbers are seeded: each run has the same
// rows.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace orzo::conformance {

struct Factor {
  const char *name;
  std::vector<const char *> levels; ///< Level 0 is the neutral one.
};

inline constexpr int factorCount = 12;
enum GridFactor : uint8_t {
  FactorDirection,
  FactorFilter,
  FactorStride,
  FactorDilation,
  FactorPadLow,
  FactorPadHigh,
  FactorGroups,
  FactorRank,
  FactorLayout,
  FactorType,
  FactorRemainder,
  FactorFlip,
};

const std::array<Factor, factorCount> &gridFactors();

/// A level (index) of each factor.
using GridRow = std::array<int, factorCount>;

/// "dgrad three two one ...": the levels' names.
std::string text(const GridRow &row);

/// The problem of `row`, or nullopt where its levels contradict each other. What it returns satisfies validate().
std::optional<ConvSpec> gridProblem(const GridRow &row);

/// Levels of three different factors.
struct Triple {
  std::array<int, 3> factors, levels;
};
std::string text(const Triple &triple);

/// Every legal triple, in order.
std::vector<Triple> legalTriples();

/// Those of `triples` that are in none of `rows`.
std::vector<Triple> uncovered(const std::vector<Triple> &triples, const std::vector<GridRow> &rows);

/// Rows that cover every legal triple, always the same ones. Each is a problem.
const std::vector<GridRow> &coveringRows();

} // namespace orzo::conformance
