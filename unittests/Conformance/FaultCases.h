// FaultCases: the problems of docs/FaultClasses.md - inputs on which convolution software has been seen to fail.
//
// Problems up to 2 GFLOP have their own size. Larger ones have fewer images and channels and smaller images; strides,
// paddings, dilations, filters and remainders (of windows, of tiles) are kept. Without bias, residual and activation.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <string>
#include <vector>

namespace orzo::conformance {

struct FaultCase {
  std::string number; ///< "B004".
  std::string name;   ///< Letters and digits.
  ConvSpec spec;
};

std::vector<FaultCase> faultCases();

} // namespace orzo::conformance
