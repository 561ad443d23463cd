#include "orzo/Spec/ConvSpec.h"

#include "orzo/Spec/Phases.h"

#include <algorithm>

namespace orzo {

std::string_view name(Direction direction) {
  switch (direction) {
  case Direction::FProp:
    return "fprop";
  case Direction::DGrad:
    return "dgrad";
  case Direction::WGrad:
    break;
  }
  return "wgrad";
}

Role resultRole(Direction direction) {
  switch (direction) {
  case Direction::FProp:
    return Role::Y;
  case Direction::DGrad:
    return Role::X;
  case Direction::WGrad:
    break;
  }
  return Role::W;
}

std::array<Role, 2> operandRoles(Direction direction) {
  switch (direction) {
  case Direction::FProp:
    return {Role::X, Role::W};
  case Direction::DGrad:
    return {Role::W, Role::Y};
  case Direction::WGrad:
    break;
  }
  return {Role::X, Role::Y};
}

int64_t ConvSpec::extent(Role role, Axis axis) const {
  switch (axis) {
  case Axis::N:
    return role == Role::W ? 1 : n;
  case Axis::G:
    return groups;
  case Axis::C:
    return role == Role::Y ? 1 : c / groups;
  case Axis::K:
    return role == Role::X ? 1 : k / groups;
  default:
    break;
  }
  if (spatialIndex(axis) >= rank())
    return 1;
  const SpatialDim &dim = spatial[spatialIndex(axis)];
  return role == Role::X ? dim.in : role == Role::W ? dim.filter : dim.out;
}

std::vector<int64_t> ConvSpec::shape(Role role) const {
  std::vector<int64_t> extents;
  for (Axis axis : layout(role))
    extents.push_back(extent(role, axis));
  return extents;
}

int64_t ConvSpec::elementStride(Role role, Axis axis) const {
  const Layout &order = layout(role);
  auto found = std::find(order.begin(), order.end(), axis);
  if (found == order.end())
    return 0;
  int64_t stride = 1;
  for (auto inner = found + 1; inner != order.end(); ++inner)
    stride *= extent(role, *inner);
  return stride;
}

int64_t ConvSpec::elementCount(Role role) const {
  int64_t count = 1;
  for (Axis axis : axesOf(role, rank()))
    count *= extent(role, axis);
  return count;
}

static int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }
static int64_t ceilDivide(int64_t a, int64_t b) { return -floorDivide(-a, b); }

/// Pairs (p, r) of one dim whose h lies in [0, in).
static int64_t insidePairs(const SpatialDim &dim) {
  int64_t pairs = 0;
  for (int64_t r = 0; r < dim.filter; ++r) {
    int64_t shift = r * dim.dilation - dim.padLow;
    int64_t first = std::max<int64_t>(0, ceilDivide(-shift, dim.stride));
    int64_t last = std::min(dim.out - 1, floorDivide(dim.in - 1 - shift, dim.stride));
    pairs += std::max<int64_t>(0, last - first + 1);
  }
  return pairs;
}

int64_t ConvSpec::flopsUseful() const {
  int64_t flops = 2 * n * (c / groups) * k;
  for (const SpatialDim &dim : spatial)
    flops *= insidePairs(dim);
  return flops;
}

int64_t ConvSpec::flopsPadding() const {
  int64_t visited = 2 * n * (c / groups) * k;
  PhaseTable table = direction == Direction::WGrad ? wgradTaps(*this) : phases(*this);
  for (const DimPhases &dim : table.dims) {
    int64_t pairs = 0;
    for (const DimPhase &phase : dim.phases)
      pairs += phase.extent * phase.tapCount;
    visited *= pairs;
  }
  return visited - flopsUseful();
}

ConvSpec channelsLast(Direction direction, int64_t n, int64_t c, int64_t k, int64_t groups,
                      std::vector<SpatialDim> spatial, DataType type) {
  ConvSpec spec;
  spec.direction = direction;
  spec.n = n;
  spec.c = c;
  spec.k = k;
  spec.groups = groups;
  spec.spatial = std::move(spatial);
  spec.types = {type, type, type};
  Layout x = {Axis::N}, w, y = {Axis::N};
  if (groups > 1)
    w.push_back(Axis::G);
  w.push_back(Axis::K);
  for (int dim = 0; dim < spec.rank(); ++dim)
    for (Layout *layout : {&x, &w, &y})
      layout->push_back(spatialAxis(dim));
  for (Layout *layout : {&x, &y})
    if (groups > 1)
      layout->push_back(Axis::G);
  x.push_back(Axis::C);
  w.push_back(Axis::C);
  y.push_back(Axis::K);
  spec.layouts = {x, w, y};
  return spec;
}

} // namespace orzo
