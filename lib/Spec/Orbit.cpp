#include "Spec/CanonicalRules.h"

#include <algorithm>
#include <utility>

namespace orzo {

/// Exchanges two tensors, with memory, type and view.
static void swapTensors(Canonical &problem, Role a, Role b) {
  int i = static_cast<int>(a), j = static_cast<int>(b);
  std::swap(problem.spec.layouts[i], problem.spec.layouts[j]);
  std::swap(problem.spec.types[i], problem.spec.types[j]);
  std::swap(problem.views[i], problem.views[j]);
}

/// Exchanges two letters in every layout. A letter that a tensor has under the new names is always one that it had
/// under the old ones: w's c is y's n after w <-> y.
static void swapLetters(ConvSpec &spec, Axis a, Axis b) {
  for (Layout &layout : spec.layouts)
    for (Axis &axis : layout)
      axis = axis == a ? b : axis == b ? a : axis;
}

std::optional<Canonical> swapFilterAndOutput(const Canonical &problem) {
  const ConvSpec &spec = problem.spec;
  bool flipped = std::any_of(spec.spatial.begin(), spec.spatial.end(), [](const SpatialDim &dim) { return dim.flip; });
  if (flipped || spec.n == 0)
    return std::nullopt;
  Canonical step = problem;
  swapTensors(step, Role::W, Role::Y);
  swapLetters(step.spec, Axis::N, Axis::C);
  step.spec.n = spec.c / spec.groups;
  step.spec.c = spec.n * spec.groups;
  for (SpatialDim &dim : step.spec.spatial) {
    std::swap(dim.stride, dim.dilation);
    std::swap(dim.filter, dim.out);
  }
  if (spec.direction == Direction::FProp)
    step.spec.direction = Direction::WGrad;
  else if (spec.direction == Direction::WGrad)
    step.spec.direction = Direction::FProp;
  return step;
}

std::optional<Canonical> swapInputAndOutput(const Canonical &problem) {
  const ConvSpec &spec = problem.spec;
  for (const SpatialDim &dim : spec.spatial)
    if (dim.stride != 1)
      return std::nullopt;
  Canonical step = problem;
  swapTensors(step, Role::X, Role::Y);
  swapLetters(step.spec, Axis::C, Axis::K);
  std::swap(step.spec.c, step.spec.k);
  for (SpatialDim &dim : step.spec.spatial) {
    std::swap(dim.in, dim.out);
    dim.padLow = dim.dilation * (dim.filter - 1) - dim.padLow;
    if (dim.filter > 1)
      dim.flip = !dim.flip;
  }
  if (spec.direction == Direction::FProp)
    step.spec.direction = Direction::DGrad;
  else if (spec.direction == Direction::DGrad)
    step.spec.direction = Direction::FProp;
  return step;
}

} // namespace orzo
