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

std::vector<Canonical> orbit(const ConvSpec &spec) {
  std::vector<Canonical> members = {sourceView(spec)};
  normalise(members.front());
  for (size_t next = 0; next < members.size(); ++next) {
    for (auto step : {swapFilterAndOutput, swapInputAndOutput}) {
      std::optional<Canonical> member = step(members[next]);
      if (!member)
        continue;
      normalise(*member);
      bool known = std::any_of(members.begin(), members.end(),
                               [&](const Canonical &other) { return other.spec == member->spec; });
      if (!known)
        members.push_back(std::move(*member));
    }
  }
  return members;
}

Canonical canonicalise(const ConvSpec &spec) {
  std::vector<Canonical> members = orbit(spec);
  return *std::min_element(members.begin(), members.end(),
                           [](const Canonical &a, const Canonical &b) { return cost(a.spec) < cost(b.spec); });
}

} // namespace orzo
