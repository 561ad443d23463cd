// JobProblem: the problem of a job as the user spelled it, whatever kind of input it is, and how it was spelled.
#pragma once

#include "Driver/Job.h"

#include <optional>
#include <string>
#include <vector>

namespace orzo::driver {

/// One fact about a spelling, for people: topic "arguments", text "(dy, not used, w) -> dx". Facts of two inputs are
/// held side by side by topic.
struct SpellingFact {
  std::string topic, text;
  bool operator==(const SpellingFact &) const = default;
};

struct JobProblem {
  ConvSpec spec; ///< In its own names, before canonicalisation; satisfies validate().
  /// The direction that the input says; nullopt where it says none (a linalg generic is a relation, no more).
  std::optional<Direction> direction;
  std::vector<SpellingFact> facts;
  double loadMs = 0; ///< What loading the compiler took, where it had to be asked.
};

/// The problem of `job`. A driver command and a canonical text have it; an artifact's is read; MLIR is read by the
/// compiler, whose errors are passed on. A failed job gives its failure; Unsupported for a help text and a graph of
/// several steps.
Expected<JobProblem> problemOfJob(const Job &job);

} // namespace orzo::driver
