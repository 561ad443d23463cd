#include "Measure/ReductionBound.h"

#include "Reference/Reduction.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orzo {

static constexpr double infinity = std::numeric_limits<double>::infinity();

ReductionBound::ReductionBound(ReductionMode mode) : mode(mode), accumulator(reference::initial(mode)) {}

void ReductionBound::add(BoundedValue value) {
  accumulator = reference::accumulate(mode, accumulator, value.value);
  double size = std::abs(value.value), error = value.error;
  exact = exact && error == 0;
  finite = finite && std::isfinite(value.value);
  switch (mode) {
  case ReductionMode::MIN:
  case ReductionMode::MAX:
  case ReductionMode::AMAX:
    errors = std::max(errors, error);
    return;
  case ReductionMode::MUL_NO_ZEROS:
    if (size == 0 && error == 0)
      return;
    if (size <= error) // It may be left out or not.
      most = infinity;
    [[fallthrough]];
  case ReductionMode::MUL:
    product *= size;
    most *= size + error;
    return;
  case ReductionMode::NORM2:
    error = 2 * size * error + error * error;
    size *= size;
    break;
  default:
    break;
  }
  integers = integers && error == 0 && std::trunc(size) == size;
  magnitudes += size;
  squares += size * size;
  errors += error;
  errorSquares += error * error;
}

BoundedValue ReductionBound::sumOf(int64_t count) const {
  BoundedValue sum{accumulator, std::min(errors, 6 * std::sqrt(errorSquares))};
  if (!(integers && magnitudes < 0x1p24))
    sum.error += 8 * 0x1p-24 * std::sqrt(static_cast<double>(count)) * (std::sqrt(squares) + std::abs(accumulator)) +
                 static_cast<double>(count) * 0x1p-149;
  if (magnitudes > std::numeric_limits<float>::max())
    sum.error = infinity;
  return sum;
}

BoundedValue ReductionBound::finish(int64_t count) const {
  double value = reference::finish(mode, accumulator, count);
  // An infinity or a NaN among the values decides, in any order.
  if (count == 0 || (exact && !finite && !std::isfinite(value)))
    return {value, 0};
  switch (mode) {
  case ReductionMode::MIN:
  case ReductionMode::MAX:
  case ReductionMode::AMAX:
    return {value, errors};
  case ReductionMode::MUL:
  case ReductionMode::MUL_NO_ZEROS: {
    double error = most - product;
    bool exact = error == 0 && product < 0x1p24 && std::trunc(product) == product;
    if (!exact) // A partial product below f32's normal range loses all it had.
      error += static_cast<double>(count) * (0x1p-24 * most + 0x1p-126);
    if (!(most < std::numeric_limits<float>::max()))
      error = infinity;
    return {value, error};
  }
  case ReductionMode::AVG: {
    BoundedValue sum = sumOf(count);
    return roundedInF32({value, sum.error / static_cast<double>(count)}, 1);
  }
  case ReductionMode::NORM2: {
    BoundedValue sum = sumOf(count);
    double high = std::sqrt(sum.value + sum.error), low = std::sqrt(std::max(0.0, sum.value - sum.error));
    return roundedInF32({value, std::max(high - value, value - low)}, 1);
  }
  default:
    return sumOf(count);
  }
}

} // namespace orzo
