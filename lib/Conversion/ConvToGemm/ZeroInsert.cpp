#include "Conversion/ConvToGemm/ZeroInsert.h"

#include <algorithm>

namespace orzo {

static int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

/// Source element i of [0, extent) to `begin + step*i`, clipped to [0, target).
static SpreadDim clipped(int64_t extent, int64_t begin, int64_t step, int64_t target) {
  SpreadDim dim;
  dim.step = step;
  dim.first = std::max<int64_t>(0, -floorDivide(begin, step));
  int64_t last = std::min(extent - 1, floorDivide(target - 1 - begin, step));
  dim.count = std::max<int64_t>(0, last - dim.first + 1);
  dim.begin = begin + step * dim.first;
  return dim;
}

static SpreadDim whole(int64_t extent) { return clipped(extent, 0, 1, extent); }

/// Adds `dim` of an operand whose extent goes from `extent` to `target`.
static void addDim(Spread &spread, const SpreadDim &dim, int64_t extent, int64_t target) {
  spread.dims.push_back(dim);
  spread.needed |= dim.mirror || extent != target || dim.begin != 0 || dim.step != 1 || dim.count != extent;
  spread.fill |= dim.count != target;
}

static void padInput(const ConvSpec &spec, ZeroInsertion &insertion) {
  for (int i = 0; i < spec.rank(); ++i) {
    const SpatialDim &dim = spec.spatial[i];
    SpatialDim &dense = insertion.dense.spatial[i];
    dense.in = (dim.out - 1) * dim.stride + (dim.filter - 1) * dim.dilation + 1;
    dense.padLow = 0;
    addDim(insertion.spreads[int(Role::X)], clipped(dim.in, dim.padLow, 1, dense.in), dim.in, dense.in);
  }
}

static void spreadOutput(const ConvSpec &spec, ZeroInsertion &insertion) {
  for (int i = 0; i < spec.rank(); ++i) {
    const SpatialDim &dim = spec.spatial[i];
    SpatialDim &dense = insertion.dense.spatial[i];
    dense.out = (dim.out - 1) * dim.stride + 1;
    dense.stride = 1;
    addDim(insertion.spreads[int(Role::Y)], clipped(dim.out, 0, dim.stride, dense.out), dim.out, dense.out);
  }
}

/// The layout with C and K exchanged: y as the x of another problem, and the like.
static Layout swapChannels(Layout layout) {
  for (Axis &axis : layout)
    axis = axis == Axis::C ? Axis::K : axis == Axis::K ? Axis::C : axis;
  return layout;
}

static void turnForward(const ConvSpec &spec, ZeroInsertion &insertion) {
  ConvSpec &dense = insertion.dense;
  dense.direction = Direction::FProp;
  std::swap(dense.c, dense.k);
  insertion.denseRoles = {Role::Y, Role::W, Role::X};
  for (Role role : {Role::X, Role::W, Role::Y}) {
    Role source = insertion.denseRoles[int(role)];
    dense.layout(role) = swapChannels(spec.layout(source));
    dense.type(role) = spec.type(source);
  }
  for (int i = 0; i < spec.rank(); ++i) {
    const SpatialDim &dim = spec.spatial[i];
    int64_t reach = dim.dilation * (dim.filter - 1);
    dense.spatial[i] = {dim.in + reach, dim.filter, dim.in, 1, dim.dilation, 0, false};
    addDim(insertion.spreads[int(Role::Y)], clipped(dim.out, reach - dim.padLow, dim.stride, dim.in + reach), dim.out,
           dim.in + reach);
    SpreadDim filter = whole(dim.filter);
    // A filter that is stored mirrored already has the order that the forward problem wants.
    filter.mirror = !dim.flip && dim.filter > 1;
    addDim(insertion.spreads[int(Role::W)], filter, dim.filter, dim.filter);
  }
}

/// Axes that a layout leaves out because their extent was 1 must appear once their extent grows.
static void nameGrownAxes(ConvSpec &dense) {
  for (Role role : {Role::X, Role::W, Role::Y})
    for (Axis axis : axesOf(role, dense.rank())) {
      Layout &layout = dense.layout(role);
      if (dense.extent(role, axis) != 1 && std::find(layout.begin(), layout.end(), axis) == layout.end())
        layout.push_back(axis);
    }
}

Expected<ZeroInsertion> zeroInsertion(const ConvSpec &spec) {
  ZeroInsertion insertion;
  insertion.dense = spec;
  insertion.denseRoles = {Role::X, Role::W, Role::Y};
  if (spec.direction == Direction::DGrad) {
    turnForward(spec, insertion);
  } else {
    padInput(spec, insertion);
    if (spec.direction == Direction::WGrad)
      spreadOutput(spec, insertion);
  }
  nameGrownAxes(insertion.dense);
  for (const Spread &spread : insertion.spreads)
    if (spread.needed)
      return insertion;
  return Status::invalidArgument("lowering 'zero-insert' has nothing to insert: the problem has no padding, and no "
                                 "stride or filter to spread");
}

} // namespace orzo
