// MustList: the problems that have to be tested whatever the covering grid happens to contain.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <string>
#include <vector>

namespace orzo::conformance {

struct NamedProblem {
  std::string name; ///< Letters and digits: part of a test's name.
  ConvSpec spec;
};

std::vector<NamedProblem> mustList();

} // namespace orzo::conformance
