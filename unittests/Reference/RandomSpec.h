// Random legal problems and data for the oracle's own tests.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <algorithm>
#include <random>
#include <vector>

namespace orzo {

inline int64_t pick(std::mt19937 &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

/// A small problem of any rank, groups, stride, dilation, flip and padding (negative ones too), in shuffled layouts.
inline ConvSpec randomSpec(std::mt19937 &random, Direction direction) {
  int64_t groups = pick(random, 0, 2) ? 1 : pick(random, 1, 3);
  std::vector<SpatialDim> dims(pick(random, 0, 3));
  for (SpatialDim &dim : dims) {
    dim.filter = pick(random, 1, 3);
    dim.out = pick(random, 1, 4);
    dim.stride = pick(random, 1, 3);
    dim.dilation = pick(random, 1, 3);
    dim.padLow = pick(random, -2, 3);
    dim.in = pick(random, 1, 8); // padHigh follows, of either sign.
    dim.flip = pick(random, 0, 1);
  }
  int64_t widest = pick(random, 0, 4) ? 5 : 43; // More lanes than the inner loops take at once.
  ConvSpec spec = channelsLast(direction, pick(random, 1, 3), groups * pick(random, 1, widest),
                               groups * pick(random, 1, 5), groups, dims, DataType::F32);
  if (pick(random, 0, 1))
    for (Layout &layout : spec.layouts)
      std::shuffle(layout.begin(), layout.end(), random);
  return spec;
}

/// Integers in [-3, 3], as f32.
inline std::vector<float> randomIntegers(std::mt19937 &random, int64_t count) {
  std::vector<float> values(count);
  for (float &value : values)
    value = static_cast<float>(pick(random, -3, 3));
  return values;
}

} // namespace orzo
