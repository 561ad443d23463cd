#include "Spec/ElementMap.h"

#include <algorithm>

namespace orzo {

int64_t ElementMap::at(int64_t element) const {
  int64_t result = offset;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    result += element % digit->extent * digit->stride;
    element /= digit->extent;
  }
  return result;
}

int64_t ElementMap::reach() const {
  int64_t last = offset;
  for (const Digit &digit : digits) {
    if (digit.extent == 0)
      return 0;
    last += std::max<int64_t>(0, (digit.extent - 1) * digit.stride);
  }
  return last + 1;
}

bool ElementMap::isIdentity() const {
  return offset == 0 && (digits.empty() || (digits.size() == 1 && digits[0].stride == 1));
}

std::optional<ElementMap> elementMap(const std::vector<GraphLoop> &loops, size_t from, size_t to, int64_t elements,
                                     int64_t toOffset) {
  std::vector<GraphLoop> pairs;
  for (const GraphLoop &loop : loops)
    pairs.push_back({loop.extent, {loop.strides[from], loop.strides[to]}});
  std::ranges::stable_sort(pairs, std::greater(), [](const GraphLoop &loop) { return loop.strides[0]; });
  pairs = merged(std::move(pairs));
  int64_t count = 1;
  for (auto loop = pairs.rbegin(); loop != pairs.rend(); ++loop) {
    if (loop->strides[0] != count)
      return std::nullopt;
    count *= loop->extent;
  }
  if (count != elements)
    return std::nullopt;
  ElementMap map;
  map.offset = toOffset;
  for (const GraphLoop &loop : pairs)
    map.digits.push_back({loop.extent, loop.strides[1]});
  return map;
}

} // namespace orzo
