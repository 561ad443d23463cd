// Sample: a convolution as front ends know them - symmetric padding, output extents that follow - and random ones.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <random>
#include <string>
#include <vector>

namespace orzo::test {

int64_t pick(std::mt19937 &random, int64_t low, int64_t high);

struct Sample {
  Direction direction = Direction::FProp;
  int64_t n = 1, c = 1, k = 1, groups = 1;
  std::vector<SpatialDim> dims; ///< out follows from the rest; flip is false.
  DataType type = DataType::F32;
  bool channelsLast = true;

  int rank() const { return static_cast<int>(dims.size()); }
  /// The problem, with dims in the order N H W C and K R S C, or N C H W and K C R S; group and channel adjacent.
  ConvSpec spec() const;
  /// The extents of a tensor in that order, group and channel in one dim.
  std::vector<int64_t> shape(Role role) const;
  /// Where in that order the dims batch (w: filters), channel and spatial dims are.
  std::vector<int64_t> logicalToMemory(Role role) const;
};

/// Any direction; ranks 1 to 3; groups, strides, dilations, padding of up to more than the filter.
Sample randomSample(std::mt19937 &random);

} // namespace orzo::test
