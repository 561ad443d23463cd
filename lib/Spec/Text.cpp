#include "orzo/Spec/Canonical.h"

namespace orzo {

static std::string joined(const ConvSpec &spec, auto field) {
  std::string text;
  for (const SpatialDim &dim : spec.spatial)
    text += (text.empty() ? "" : "x") + std::to_string(field(dim));
  return text;
}

std::string text(const ConvSpec &spec) {
  std::string line = "conv.v1 " + std::string(name(spec.direction));
  line += " n" + std::to_string(spec.n) + " c" + std::to_string(spec.c) + " k" + std::to_string(spec.k) + " g" +
          std::to_string(spec.groups);
  if (spec.rank() > 0) {
    line += " in" + joined(spec, [](const SpatialDim &dim) { return dim.in; });
    std::string filter;
    for (const SpatialDim &dim : spec.spatial)
      filter += (filter.empty() ? "" : "x") + std::to_string(dim.filter) + (dim.flip ? "~" : "");
    line += " f" + filter;
    line += " out" + joined(spec, [](const SpatialDim &dim) { return dim.out; });
    line += " s" + joined(spec, [](const SpatialDim &dim) { return dim.stride; });
    line += " d" + joined(spec, [](const SpatialDim &dim) { return dim.dilation; });
    line += " p" + joined(spec, [](const SpatialDim &dim) { return dim.padLow; });
  }
  for (Role role : {Role::X, Role::W, Role::Y})
    line += " " + std::string(name(role)) + ":" + text(spec.layout(role), role, spec.rank()) + ":" +
            std::string(name(spec.type(role)));
  return line + " acc:" + std::string(name(spec.accumulate));
}

} // namespace orzo
