#include "Spec/CanonicalRules.h"

namespace orzo {

Canonical sourceView(const ConvSpec &spec) {
  Canonical problem;
  problem.spec = spec;
  for (Role role : {Role::X, Role::W, Role::Y})
    problem.views[static_cast<int>(role)] = {role, spec.layout(role)};
  return problem;
}

void resetIdleStride(ConvSpec &spec) {
  for (SpatialDim &dim : spec.spatial)
    if (dim.out == 1)
      dim.stride = 1;
}

void resetIdleDilation(ConvSpec &spec) {
  for (SpatialDim &dim : spec.spatial)
    if (dim.filter == 1)
      dim.dilation = 1;
}

void resetIdleFlip(ConvSpec &spec) {
  for (SpatialDim &dim : spec.spatial)
    if (dim.filter == 1)
      dim.flip = false;
}

void dropUnitLetters(Canonical &problem) {
  for (Role role : {Role::X, Role::W, Role::Y}) {
    Layout &layout = problem.spec.layout(role);
    std::vector<Axis> &sourceAxes = problem.views[static_cast<int>(role)].sourceAxes;
    Layout keptAxes, keptSources;
    for (size_t i = 0; i < layout.size(); ++i) {
      if (problem.spec.extent(role, layout[i]) == 1)
        continue;
      keptAxes.push_back(layout[i]);
      keptSources.push_back(sourceAxes[i]);
    }
    layout = std::move(keptAxes);
    sourceAxes = std::move(keptSources);
  }
}

void dropUnitDims(Canonical &problem) {
  ConvSpec &spec = problem.spec;
  std::vector<SpatialDim> kept;
  std::vector<Axis> renamed;
  for (const SpatialDim &dim : spec.spatial) {
    renamed.push_back(spatialAxis(static_cast<int>(kept.size())));
    if (dim.in != 1 || dim.filter != 1 || dim.out != 1 || dim.padLow != 0)
      kept.push_back(dim);
  }
  for (Layout &layout : spec.layouts)
    for (Axis &axis : layout)
      if (isSpatial(axis))
        axis = renamed[spatialIndex(axis)];
  spec.spatial = std::move(kept);
}

void normalise(Canonical &problem) {
  resetIdleStride(problem.spec);
  resetIdleDilation(problem.spec);
  resetIdleFlip(problem.spec);
  dropUnitLetters(problem);
  dropUnitDims(problem);
  orderSpatialDims(problem);
}

} // namespace orzo
