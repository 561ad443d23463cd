#include "orzo/Spec/Contraction.h"

#include "Spec/CanonicalRules.h"
#include "Spec/LoopNest.h"

#include <algorithm>
#include <array>

namespace orzo {

namespace {

/// The pairs (p, r) of one dim that touch x, as a product of two ranges starting at 0.
struct Reach {
  int64_t out, filter;
};

} // namespace

/// More than one window of more than one tap.
static bool isWindow(const SpatialDim &dim) { return dim.filter > 1 && dim.out > 1; }

/// Each h belongs to at most one pair (p, r).
static bool windowsAreDisjoint(const SpatialDim &dim) {
  return !isWindow(dim) || dim.stride > (dim.filter - 1) * dim.dilation || dim.dilation > (dim.out - 1) * dim.stride;
}

/// The pairs (p, r) number the positions 0, 1, ... without a gap.
static bool windowsTile(const SpatialDim &dim) {
  return (dim.dilation == 1 && dim.stride == dim.filter) || (dim.stride == 1 && dim.dilation == dim.out);
}

/// nullopt where bounds checks are needed, and where an element of a dgrad's result belongs to several pairs. A window
/// may end beyond x only where it is a single tap or there is a single window: the products that are left are still a
/// product of ranges, as long as the result has no index for the others.
static std::optional<Reach> reachOf(const ConvSpec &spec, const SpatialDim &dim) {
  if (dim.flip || dim.padLow != 0 || (spec.direction == Direction::DGrad && !windowsTile(dim)))
    return std::nullopt;
  Reach reach = {dim.out, dim.filter};
  if (dim.padHigh() > 0) {
    if (isWindow(dim))
      return std::nullopt;
    reach.out = std::min(dim.out, (dim.in - 1) / dim.stride + 1);
    reach.filter = std::min(dim.filter, (dim.in - 1) / dim.dilation + 1);
  }
  bool cutsResult = spec.direction == Direction::FProp   ? reach.out < dim.out
                    : spec.direction == Direction::WGrad ? reach.filter < dim.filter
                                                         : false;
  if (cutsResult)
    return std::nullopt;
  return reach;
}

/// `role`'s innermost axis is `channel` (or it has none).
static bool isInnermost(const ConvSpec &spec, Role role, Axis channel) {
  return spec.extent(role, channel) == 1 || spec.layout(role).back() == channel;
}

/// The axis that `role` has just outside of `channel`, its innermost axis.
static std::optional<Axis> axisOutside(const ConvSpec &spec, Role role, Axis channel) {
  const Layout &layout = spec.layout(role);
  size_t inside = spec.extent(role, channel) == 1 ? 0 : 1;
  if (layout.size() <= inside)
    return std::nullopt;
  return layout[layout.size() - 1 - inside];
}

/// The rule for windows, in its two forms. With channel C, other W: x and w have C innermost; the dim S next to it in x
/// may have windows of any stride if S is next to C in w and its dilation is 1, (s, c) being one run of memory in
/// both; the windows of all other dims must be disjoint. With channel N, other Y: the same problem after (T).
static bool hasContiguousRuns(const ConvSpec &spec, Axis channel, Role other) {
  if (spec.groups > 1 || !isInnermost(spec, Role::X, channel) || !isInnermost(spec, other, channel))
    return false;
  std::optional<Axis> next = axisOutside(spec, Role::X, channel);
  for (int i = 0; i < spec.rank(); ++i) {
    const SpatialDim &dim = spec.spatial[i];
    if (!isWindow(dim))
      continue;
    if (next == spatialAxis(i)) {
      int64_t step = other == Role::W ? dim.dilation : dim.stride;
      if (step != 1 || axisOutside(spec, other, channel) != next)
        return false;
    } else if (!windowsAreDisjoint(dim)) {
      return false;
    }
  }
  return true;
}

static std::vector<Loop> loopsOf(const ConvSpec &spec, const std::vector<Reach> &reaches) {
  // An empty batch would make the strides of the axes outside of it 0, which here means "has no such dim".
  ConvSpec sized = spec;
  sized.n = std::max<int64_t>(spec.n, 1);
  std::vector<Loop> loops;
  auto add = [&](int64_t extent, std::array<int64_t, 3> strides) {
    if (extent != 1)
      loops.push_back({extent, strides});
  };
  auto stride = [&](Role role, Axis axis) { return sized.elementStride(role, axis); };
  add(spec.n, {stride(Role::X, Axis::N), 0, stride(Role::Y, Axis::N)});
  add(spec.groups, {stride(Role::X, Axis::G), stride(Role::W, Axis::G), stride(Role::Y, Axis::G)});
  add(spec.extent(Role::X, Axis::C), {stride(Role::X, Axis::C), stride(Role::W, Axis::C), 0});
  add(spec.extent(Role::Y, Axis::K), {0, stride(Role::W, Axis::K), stride(Role::Y, Axis::K)});
  for (int i = 0; i < spec.rank(); ++i) {
    const SpatialDim &dim = spec.spatial[i];
    Axis axis = spatialAxis(i);
    // A step larger than x is never taken, and its product with the unit need not fit.
    int64_t unit = stride(Role::X, axis), last = dim.in - 1;
    add(reaches[i].out, {std::min(dim.stride, last) * unit, 0, stride(Role::Y, axis)});
    add(reaches[i].filter, {std::min(dim.dilation, last) * unit, stride(Role::W, axis), 0});
  }
  return loops;
}

std::optional<Contraction> collapse(const ConvSpec &source) {
  Canonical problem = sourceView(source);
  normalise(problem);
  const ConvSpec &spec = problem.spec;
  bool windows = false, tail = false;
  std::vector<Reach> reaches;
  for (const SpatialDim &dim : spec.spatial) {
    std::optional<Reach> reach = reachOf(spec, dim);
    if (!reach)
      return std::nullopt;
    reaches.push_back(*reach);
    windows |= isWindow(dim);
    tail |= reach->out * reach->filter < dim.in;
  }
  if (windows && !hasContiguousRuns(spec, Axis::C, Role::W) && !hasContiguousRuns(spec, Axis::N, Role::Y))
    return std::nullopt;
  std::optional<Contraction> result = contractionOf(loopsOf(spec, reaches), spec.direction);
  if (result)
    result->hasZeroTail = spec.direction == Direction::DGrad && tail && spec.n > 0;
  return result;
}

} // namespace orzo
