#include "Spec/CanonicalRules.h"

#include <algorithm>
#include <tuple>

namespace orzo {

/// Sorts before another dim's key where the dim comes before the other. Dims of equal keys have no letter in any
/// layout and equal numbers, so their order shows nowhere.
using OrderKey = std::tuple<int, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>;

static OrderKey orderKey(const ConvSpec &spec, int index) {
  const SpatialDim &dim = spec.spatial[index];
  for (Role role : {Role::X, Role::W, Role::Y}) {
    const Layout &layout = spec.layout(role);
    auto found = std::find(layout.begin(), layout.end(), spatialAxis(index));
    if (found != layout.end())
      return {static_cast<int>(role), found - layout.begin(), 0, 0, 0, 0, 0, 0};
  }
  return {3, 0, dim.in, dim.filter, dim.out, dim.stride, dim.dilation, dim.padLow};
}

void orderSpatialDims(Canonical &problem) {
  ConvSpec &spec = problem.spec;
  std::vector<int> order;
  for (int index = 0; index < spec.rank(); ++index)
    order.push_back(index);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return orderKey(spec, a) < orderKey(spec, b); });
  std::vector<SpatialDim> ordered;
  std::vector<Axis> renamed(order.size());
  for (int index : order) {
    renamed[index] = spatialAxis(static_cast<int>(ordered.size()));
    ordered.push_back(spec.spatial[index]);
  }
  for (Layout &layout : spec.layouts)
    for (Axis &axis : layout)
      if (isSpatial(axis))
        axis = renamed[spatialIndex(axis)];
  spec.spatial = std::move(ordered);
}

} // namespace orzo
