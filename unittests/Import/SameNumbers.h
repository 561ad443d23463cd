// SameNumbers: a linalg module against the convolution it is raised to, in numbers.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <optional>
#include <random>
#include <string>

namespace orzo::test {

/// Runs `source` as it is (Interpreter) and as it was raised (Reference), on whole numbers, and compares every element.
/// The raised problem is returned. A source that is not read or not raised fails the test, or with `mayRefuse` gives
/// nullopt.
std::optional<ConvSpec> compareNumbers(const std::string &source, std::mt19937 &random, bool mayRefuse);

inline ConvSpec expectSameNumbers(const std::string &source, std::mt19937 &random) {
  return compareNumbers(source, random, false).value_or(ConvSpec{});
}

} // namespace orzo::test
