#include "Reference/Reduction.h"

#include "Reference/Pointwise.h"

#include <array>
#include <cmath>

namespace orzo::reference {

static double extremum(PointwiseMode mode, double a, double b) { return pointwise(mode, {}, std::array{a, b}); }

double initial(ReductionMode mode) {
  switch (mode) {
  case ReductionMode::MUL:
  case ReductionMode::MUL_NO_ZEROS:
    return 1;
  case ReductionMode::MIN:
    return INFINITY;
  case ReductionMode::MAX:
    return -INFINITY;
  default:
    return 0;
  }
}

double accumulate(ReductionMode mode, double accumulator, double value) {
  switch (mode) {
  case ReductionMode::NOT_SET:
    return NAN;
  case ReductionMode::ADD:
  case ReductionMode::SUM:
  case ReductionMode::AVG:
    return accumulator + value;
  case ReductionMode::MUL:
    return accumulator * value;
  case ReductionMode::MUL_NO_ZEROS:
    return value == 0 ? accumulator : accumulator * value;
  case ReductionMode::MIN:
    return extremum(PointwiseMode::MIN_OP, accumulator, value);
  case ReductionMode::MAX:
    return extremum(PointwiseMode::MAX_OP, accumulator, value);
  case ReductionMode::AMAX:
    return extremum(PointwiseMode::MAX_OP, accumulator, std::abs(value));
  case ReductionMode::NORM1:
    return accumulator + std::abs(value);
  case ReductionMode::NORM2:
    return accumulator + value * value;
  }
  return NAN;
}

double finish(ReductionMode mode, double accumulator, int64_t count) {
  if (mode == ReductionMode::AVG)
    return accumulator / static_cast<double>(count);
  return mode == ReductionMode::NORM2 ? std::sqrt(accumulator) : accumulator;
}

} // namespace orzo::reference
