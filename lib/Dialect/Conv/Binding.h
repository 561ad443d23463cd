// Binding: where the tensors of a problem are among the arguments and results of the function it was read from.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <array>
#include <string>
#include <vector>

namespace orzo::conv {

/// One tensor of a problem, as found in its source. The bytes are the same; only names and shapes differ.
struct TensorBinding {
  bool isResult = false; ///< `index` counts the function's results, else its arguments.
  int index = 0;
  std::vector<int64_t> shape; ///< In the source, unit dims included, in memory order.
  /// For each axis of the problem's layout, the source dim that holds it. Two axes may share one dim (group and
  /// channel); dims of extent 1 may be named by none.
  std::vector<int> dims;
  bool operator==(const TensorBinding &) const = default;
};

/// One convolution of a source, as it was written: not canonical, direction and layouts as found.
struct BoundProblem {
  ConvSpec spec;
  std::array<TensorBinding, 3> tensors; ///< By Role.
};

/// One line: "x is argument 0 (16x256x1x2048), w is ..., y is result 0 (...)".
std::string describe(const BoundProblem &problem);

} // namespace orzo::conv
