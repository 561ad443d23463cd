// Comparison: what is known of two inputs that are compared.
#pragma once

#include "Driver/ArtifactRun.h"
#include "Driver/Compilation.h"
#include "Driver/JobProblem.h"
#include "Measure/Report.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Spec/Contraction.h"
#include "orzo/Spec/Difference.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace orzo::driver {

/// One of the two inputs.
struct ComparedInput {
  std::string label; ///< "A", "B".
  JobProblem problem;
  Canonical canonical;
  std::string canonicalIr; ///< The module after the conv phase.
  Compiled compiled;
  ProblemReport report;
};

/// Numbers of both on the same bytes.
struct ComparedNumbers {
  bool sameBytes = false; ///< Their tensors are alike: both read the same bytes, and the results are comparable.
  bool bitEqual = false;  ///< Every byte of the results.
  double difference = 0;  ///< The largest |a - b|; infinite where one is a NaN and the other is not.
  int64_t unequal = 0;    ///< Elements whose bits differ.
  std::optional<RatioTiming> time;
};

struct Comparison {
  ComparedInput first, second;
  Alignment alignment;
  bool isCanonicalIdentical = false;
  /// The contraction that both are, where that is why they are equivalent although their canonical texts differ.
  std::optional<Contraction> commonContraction;
  bool equivalent() const { return isCanonicalIdentical || commonContraction.has_value(); }
  ComparedNumbers numbers;
};

/// The contraction that both problems are over the same arrays, if they are.
std::optional<Contraction> commonContraction(const ConvSpec &first, const ConvSpec &second);

/// One sentence a difference of meaning, naming the inputs by their labels and dims by the user's letters.
std::vector<std::string> meaningSentences(const Comparison &comparison);

/// A topic on which the spellings differ; a side that has nothing to say on it has an empty text.
struct SpellingDifference {
  std::string topic, first, second;
};
std::vector<SpellingDifference> spellingDifferences(const Comparison &comparison);

/// For people, and as one JSON object on a line (without newline).
std::string writeComparisonText(const Comparison &comparison, bool color);
std::string writeComparisonJson(const Comparison &comparison);

/// Runs both into `comparison`: numbers, verification and times, in its reports. A failure's message begins with the
/// input's label.
Status runComparison(Comparison &comparison, const RunSettings &settings);

} // namespace orzo::driver
