#include "Spec/CanonicalRules.h"

#include <algorithm>
#include <tuple>

namespace orzo {

/// What the representative has the least of, most important first.
static std::tuple<int64_t, int64_t, Direction, std::string> cost(const ConvSpec &spec) {
  int64_t flips = 0, filterProduct = 1;
  for (const SpatialDim &dim : spec.spatial) {
    flips += dim.flip;
    filterProduct *= dim.filter;
  }
  return {flips, filterProduct, spec.direction, text(spec)};
}

Canonical canonicalise(const ConvSpec &spec) {
  std::vector<Canonical> orbit = {sourceView(spec)};
  normalise(orbit.front());
  for (size_t next = 0; next < orbit.size(); ++next) {
    for (auto step : {swapFilterAndOutput, swapInputAndOutput}) {
      std::optional<Canonical> member = step(orbit[next]);
      if (!member)
        continue;
      normalise(*member);
      bool known =
          std::any_of(orbit.begin(), orbit.end(), [&](const Canonical &other) { return other.spec == member->spec; });
      if (!known)
        orbit.push_back(std::move(*member));
    }
  }
  return *std::min_element(orbit.begin(), orbit.end(),
                           [](const Canonical &a, const Canonical &b) { return cost(a.spec) < cost(b.spec); });
}

} // namespace orzo
