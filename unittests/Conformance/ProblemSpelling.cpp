#include "ProblemSpelling.h"

#include <algorithm>

namespace orzo::conformance {

Layout layoutOf(Role role, int rank, LayoutOrder order) {
  Layout spatial;
  for (int dim = 0; dim < rank; ++dim)
    spatial.push_back(spatialAxis(dim));
  Layout layout;
  auto append = [&](const Layout &axes) { layout.insert(layout.end(), axes.begin(), axes.end()); };
  Axis own = role == Role::Y ? Axis::K : Axis::C;
  if (role == Role::W) {
    bool inner = order == LayoutOrder::ChannelsInner;
    if (inner)
      append(spatial);
    append({Axis::G});
    append({inner || order == LayoutOrder::BatchLast ? Axis::C : Axis::K});
    if (order == LayoutOrder::First)
      append({Axis::C});
    if (!inner)
      append(spatial);
    if (order != LayoutOrder::First)
      append({order == LayoutOrder::Last ? Axis::C : Axis::K});
    return layout;
  }
  if (order != LayoutOrder::BatchLast)
    append({Axis::N});
  if (order == LayoutOrder::Last || order == LayoutOrder::ChannelsInner)
    append(spatial);
  append({Axis::G, own});
  if (order == LayoutOrder::First || order == LayoutOrder::BatchLast)
    append(spatial);
  if (order == LayoutOrder::BatchLast)
    append({Axis::N});
  return layout;
}

void setLayouts(ConvSpec &spec, LayoutOrder order) {
  for (Role role : {Role::X, Role::W, Role::Y})
    spec.layout(role) = layoutOf(role, spec.rank(), order);
}

SpatialDim window(int64_t in, int64_t filter, int64_t stride, int64_t padLow, int64_t padHigh, int64_t dilation) {
  int64_t out = (in + padLow + padHigh - dilation * (filter - 1) - 1) / stride + 1;
  return {in, filter, out, stride, dilation, padLow, false};
}

SpatialDim transposedWindow(int64_t input, int64_t filter, int64_t stride, int64_t pad, int64_t outputPadding,
                            int64_t dilation) {
  int64_t output = (input - 1) * stride - 2 * pad + dilation * (filter - 1) + 1 + outputPadding;
  return {output, filter, input, stride, dilation, pad, false};
}

int64_t transposedExtent(const SpatialDim &dim, int64_t padHigh) {
  int64_t outputPadding = std::min<int64_t>(dim.stride - 1, 1);
  int64_t high = padHigh + outputPadding;
  return (dim.out - 1) * dim.stride - dim.padLow - high + dim.dilation * (dim.filter - 1) + 1 + outputPadding;
}

} // namespace orzo::conformance
