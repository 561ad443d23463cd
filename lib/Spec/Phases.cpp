#include "orzo/Spec/Phases.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace orzo {

int64_t PhaseTable::phaseCount() const {
  int64_t count = 1;
  for (const DimPhases &dim : dims)
    count *= static_cast<int64_t>(dim.phases.size());
  return count;
}

std::vector<DimPhase> PhaseTable::phase(int64_t index) const {
  std::vector<DimPhase> selected(dims.size());
  for (size_t dim = dims.size(); dim-- > 0;) {
    auto count = static_cast<int64_t>(dims[dim].phases.size());
    selected[dim] = dims[dim].phases[index % count];
    index /= count;
  }
  return selected;
}

/// Taps r = first, first + step, ... written as indices into the filter as stored: mirrored where it is flipped.
static void setTaps(const SpatialDim &dim, int64_t first, int64_t step, DimPhases &out, DimPhase &phase) {
  phase.tapBegin = dim.flip ? dim.filter - 1 - first : first;
  out.tapStep = dim.flip ? -step : step;
}

static DimPhases forwardDim(const SpatialDim &dim) {
  DimPhases out;
  out.inStride = dim.stride;
  out.offsetStep = dim.dilation;
  DimPhase phase;
  phase.extent = dim.out;
  phase.tapCount = dim.filter;
  phase.offsetBegin = -dim.padLow;
  setTaps(dim, 0, 1, out, phase);
  out.phases.push_back(phase);
  return out;
}

static DimPhases backwardDim(const SpatialDim &dim) {
  int64_t common = std::gcd(dim.stride, dim.dilation);
  int64_t step = dim.stride / common;
  DimPhases out;
  out.outStride = dim.stride;
  out.tapStep = dim.flip ? -step : step;
  out.offsetStep = -(dim.dilation / common);
  for (int64_t residue = 0; residue < std::min(dim.stride, dim.in); ++residue) {
    DimPhase phase;
    phase.outBegin = residue;
    phase.extent = (dim.in - residue + dim.stride - 1) / dim.stride;
    int64_t first = 0;
    while (first < std::min(step, dim.filter) && (residue + dim.padLow - first * dim.dilation) % dim.stride != 0)
      ++first;
    if (first < std::min(step, dim.filter)) {
      phase.tapCount = (dim.filter - first + step - 1) / step;
      phase.offsetBegin = (residue + dim.padLow - first * dim.dilation) / dim.stride; // exact
      setTaps(dim, first, step, out, phase);
    }
    out.phases.push_back(phase);
  }
  // Heavy phases first: they are started first and leave the light ones to fill the gaps.
  std::stable_sort(out.phases.begin(), out.phases.end(),
                   [](const DimPhase &a, const DimPhase &b) { return a.tapCount > b.tapCount; });
  return out;
}

PhaseTable phases(const ConvSpec &spec) {
  assert(spec.direction != Direction::WGrad && "a wgrad has taps, not phases");
  PhaseTable table;
  for (const SpatialDim &dim : spec.spatial)
    table.dims.push_back(spec.direction == Direction::FProp ? forwardDim(dim) : backwardDim(dim));
  return table;
}

PhaseTable wgradTaps(const ConvSpec &spec) {
  PhaseTable table;
  for (const SpatialDim &dim : spec.spatial)
    table.dims.push_back(forwardDim(dim));
  return table;
}

} // namespace orzo
