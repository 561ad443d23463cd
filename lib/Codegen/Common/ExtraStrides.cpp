#include "Codegen/Common/ExtraStrides.h"

#include <algorithm>
#include <cstdlib>

namespace orzo {
namespace {

/// `map` without digits of extent 1, and with neighbours merged where one digit says the same.
ElementMap merged(const ElementMap &map) {
  ElementMap result;
  result.offset = map.offset;
  for (const ElementMap::Digit &digit : map.digits) {
    if (digit.extent == 0) // There are no elements at all.
      return {{}, map.offset};
    if (digit.extent == 1)
      continue;
    if (!result.digits.empty() && result.digits.back().stride == digit.stride * digit.extent)
      result.digits.back() = {result.digits.back().extent * digit.extent, digit.stride};
    else
      result.digits.push_back(digit);
  }
  return result;
}

class Splitter {
public:
  Splitter(const ElementMap &map, const Nest &nest) : map(merged(map)), nest(nest) {}

  std::optional<ExtraStrides> run() {
    for (size_t dim = 0; dim < nest.batch.size(); ++dim)
      dims.push_back({&result.batch, dim, nest.batch[dim].out});
    for (size_t dim = 0; dim < nest.m.size(); ++dim)
      dims.push_back({&result.m, dim, nest.m[dim].out, &NestPhase::m});
    for (size_t dim = 0; dim < nest.n.size(); ++dim)
      dims.push_back({&result.n, dim, nest.n[dim].out, &NestPhase::n});
    int64_t boundary = 1;
    for (size_t digit = map.digits.size(); digit-- > 1;)
      boundaries.push_back(boundary *= map.digits[digit].extent);
    for (Dim &dim : dims)
      if (!split(dim))
        return std::nullopt;
    for (const NestPhase &phase : nest.phases) {
      std::optional<int64_t> base = baseOf(phase);
      if (!base)
        return std::nullopt;
      result.bases.push_back(*base);
    }
    return std::move(result);
  }

private:
  struct Dim {
    std::vector<ExtraStrides::Part> *parts;
    size_t number;
    int64_t out; ///< Elements of the result between neighbours; negative along a flipped tap.
    std::vector<int64_t> NestPhase::*extents = nullptr; ///< Null: a batch dim, the same in every phase.
    std::vector<ExtraStrides::Part> mine = {};          ///< Innermost first.
  };

  int64_t extentOf(const Dim &dim, const NestPhase &phase) const {
    return dim.extents ? (phase.*dim.extents)[dim.number] : nest.batchExtents[dim.number];
  }

  /// Of a part of `dim`, in `phase`.
  int64_t extentOf(const Dim &dim, const ExtraStrides::Part &part, const NestPhase &phase) const {
    int64_t extent = (extentOf(dim, phase) + part.divisor - 1) / part.divisor;
    return part.isOutermost ? extent : std::min(extent, part.extent);
  }

  /// Cuts `dim` at the boundaries that it reaches across, and appends its parts.
  bool split(Dim &dim) {
    int64_t most = 0;
    for (const NestPhase &phase : nest.phases)
      most = std::max(most, extentOf(dim, phase));
    ExtraStrides::Part rest{dim.number, 1, most};
    int64_t step = std::abs(dim.out);
    for (int64_t boundary : boundaries) {
      int64_t distance = step * rest.divisor;
      if (rest.extent <= 1 || distance * (rest.extent - 1) < boundary || distance % boundary == 0)
        continue;
      if (boundary % distance != 0)
        return false;
      int64_t inner = boundary / distance, divisor = rest.divisor * inner;
      // Only the outermost index of a list may end in the middle of what is inside of it, and only forwards.
      bool mayEndEarly = !dim.extents || (dim.number == 0 && dim.out > 0);
      for (const NestPhase &phase : nest.phases)
        if (!mayEndEarly && extentOf(dim, phase) % divisor != 0)
          return false;
      dim.mine.push_back({dim.number, rest.divisor, inner, 0, false});
      rest.divisor = divisor;
      rest.extent = (most + divisor - 1) / divisor;
    }
    dim.mine.push_back(rest);
    for (ExtraStrides::Part &part : dim.mine)
      if (part.extent > 1)
        part.stride = (map.at(step * part.divisor) - map.offset) * (dim.out < 0 ? -1 : 1);
    dim.parts->insert(dim.parts->end(), dim.mine.rbegin(), dim.mine.rend());
    return true;
  }

  /// The extra's element at index 0; nullopt where the sums of what moves below a boundary would cross it.
  std::optional<int64_t> baseOf(const NestPhase &phase) const {
    if (nest.rows(phase) == 0 || nest.columns(phase) == 0 || nest.batchCount() == 0)
      return 0;
    int64_t least = phase.outBase, back = 0;
    for (const Dim &dim : dims)
      if (dim.out < 0) {
        least += (extentOf(dim, phase) - 1) * dim.out;
        for (const ExtraStrides::Part &part : dim.mine)
          back -= (extentOf(dim, part, phase) - 1) * part.stride;
      }
    for (int64_t boundary : boundaries) {
      int64_t below = least % boundary;
      for (const Dim &dim : dims)
        for (const ExtraStrides::Part &part : dim.mine)
          if (int64_t distance = std::abs(dim.out) * part.divisor; distance % boundary != 0)
            below += (extentOf(dim, part, phase) - 1) * distance;
      if (below >= boundary)
        return std::nullopt;
    }
    return map.at(least) + back;
  }

  ElementMap map;
  const Nest &nest;
  std::vector<int64_t> boundaries; ///< Where the next digit begins to count, from the innermost on.
  std::vector<Dim> dims;
  ExtraStrides result;
};

} // namespace

std::optional<ExtraStrides> extraStrides(const ElementMap &map, const Nest &nest) { return Splitter(map, nest).run(); }

} // namespace orzo
