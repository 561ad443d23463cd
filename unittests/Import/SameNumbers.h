// SameNumbers: a linalg module against the convolution it is raised to, in numbers.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <random>
#include <string>

namespace orzo::test {

/// Runs `source` as it is (Interpreter) and as it was raised (Reference), on whole numbers, and compares every element.
/// The raised problem is returned.
ConvSpec expectSameNumbers(const std::string &source, std::mt19937 &random);

} // namespace orzo::test
