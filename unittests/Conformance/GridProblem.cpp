#include "CoveringGrid.h"
#include "ProblemSpelling.h"

#include <algorithm>

namespace orzo::conformance {

const std::array<Factor, factorCount> &gridFactors() {
  static const std::array<Factor, factorCount> factors = {{
      {"direction", {"fprop", "dgrad", "wgrad", "transposed"}},
      {"filter", {"unit", "three", "even", "mixed", "long"}},
      {"stride", {"one", "two", "three", "mixed"}},
      {"dilation", {"one", "two", "mixed"}},
      {"padLow", {"zero", "negative", "positive", "beyond"}},
      {"padHigh", {"zero", "negative", "positive"}},
      {"groups", {"one", "some", "depthwise", "multiplier"}},
      {"rank", {"3", "2", "1", "0"}},
      {"layout", {"last", "first", "mixed", "batch-last"}},
      {"type", {"f32", "bf16", "f16", "bf16-to-f32"}},
      {"remainder", {"eight", "one", "three", "exact", "over"}},
      {"flip", {"none", "some", "all"}},
  }};
  return factors;
}

std::string text(const GridRow &row) {
  std::string line;
  for (int factor = 0; factor < factorCount; ++factor)
    line += std::string(line.empty() ? "" : " ") + gridFactors()[factor].name + ":" +
            gridFactors()[factor].levels[row[factor]];
  return line;
}

std::string text(const Triple &triple) {
  std::string line;
  for (int i = 0; i < 3; ++i)
    line += std::string(line.empty() ? "" : " ") + gridFactors()[triple.factors[i]].name + ":" +
            gridFactors()[triple.factors[i]].levels[triple.levels[i]];
  return line;
}

namespace {

using Three = std::array<int64_t, 3>;

constexpr std::array<Three, 5> filters = {{{1, 1, 1}, {3, 3, 3}, {2, 2, 2}, {1, 3, 2}, {7, 4, 5}}};
constexpr std::array<Three, 4> strides = {{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {2, 1, 3}}};
constexpr std::array<Three, 3> dilations = {{{1, 1, 1}, {2, 2, 2}, {1, 2, 3}}};

/// Channels and pixels beside the register tiles' 6x16 and 12x32 and the pairs of dot products.
struct Remainder {
  int64_t perGroupC, perGroupK; ///< Channels of one group, where there are several per group.
  int64_t depthwise;            ///< Channels where each is a group.
  int64_t batch, batchAlone;    ///< The latter without spatial dims.
  Three out;
};
constexpr std::array<Remainder, 5> remainders = {{
    {8, 8, 8, 2, 8, {4, 4, 2}},     // eight
    {1, 1, 1, 1, 1, {1, 1, 1}},     // one
    {3, 5, 3, 3, 3, {3, 2, 2}},     // three
    {32, 32, 32, 4, 24, {6, 4, 2}}, // exact: 24, 96, 192 pixels are multiples of 6 and 12
    {17, 33, 33, 1, 17, {7, 5, 3}}, // over
}};

/// Factors that spatial dims alone give a meaning, and levels that speak of two different dims.
bool fitsRank(const GridRow &row, int rank) {
  for (int factor : {FactorFilter, FactorStride, FactorDilation, FactorPadLow, FactorPadHigh, FactorFlip})
    if (rank == 0 && row[factor] != 0)
      return false;
  return rank > 1 ||
         (row[FactorFilter] != 3 && row[FactorStride] != 3 && row[FactorDilation] != 2 && row[FactorFlip] != 1);
}

int64_t padLowOf(int level, int64_t reach, int dim) {
  switch (level) {
  case 1:
    return -1 - dim % 2;
  case 2:
    return 1 + dim % 2;
  case 3:
    return reach + 1; // A whole window lies in the padding.
  default:
    return 0;
  }
}

std::vector<SpatialDim> spatialOf(const GridRow &row, int rank) {
  std::vector<SpatialDim> spatial;
  for (int i = 0; i < rank; ++i) {
    SpatialDim dim;
    dim.filter = filters[row[FactorFilter]][i];
    dim.stride = strides[row[FactorStride]][i];
    dim.dilation = dilations[row[FactorDilation]][i];
    dim.out = remainders[row[FactorRemainder]].out[i];
    int64_t reach = dim.dilation * (dim.filter - 1) + 1;
    dim.padLow = padLowOf(row[FactorPadLow], reach, i);
    int64_t padHigh = std::array<int64_t, 3>{0, -1 - i, 2}[row[FactorPadHigh]];
    dim.flip = row[FactorFlip] == 2 || (row[FactorFlip] == 1 && i == 0);
    // Padding beyond the filter leaves nothing of a short input: more outputs make it longer.
    dim.in = 1; // Makes padHigh() what is missing.
    while ((dim.out - 1) * dim.stride + reach - dim.padLow - padHigh < 1)
      ++dim.out;
    dim.in = row[FactorDirection] == 3 ? transposedExtent(dim, padHigh)
                                       : (dim.out - 1) * dim.stride + reach - dim.padLow - padHigh;
    spatial.push_back(dim);
  }
  return spatial;
}

std::array<Layout, 3> layoutsOf(const ConvSpec &last, int level) {
  static constexpr std::array<LayoutOrder, 4> orders[3] = {
      {LayoutOrder::Last, LayoutOrder::First, LayoutOrder::Last, LayoutOrder::BatchLast},
      {LayoutOrder::Last, LayoutOrder::First, LayoutOrder::BatchLast, LayoutOrder::BatchLast},
      {LayoutOrder::Last, LayoutOrder::First, LayoutOrder::First, LayoutOrder::BatchLast}};
  std::array<Layout, 3> layouts;
  for (Role role : {Role::X, Role::W, Role::Y})
    layouts[static_cast<int>(role)] = layoutOf(role, last.rank(), orders[static_cast<int>(role)][level]);
  return layouts;
}

} // namespace

std::optional<ConvSpec> gridProblem(const GridRow &row) {
  int rank = 3 - row[FactorRank];
  const Remainder &sizes = remainders[row[FactorRemainder]];
  // One channel is one group: nothing to split, and not called depthwise.
  if (!fitsRank(row, rank) || (row[FactorGroups] != 0 && row[FactorRemainder] == 1))
    return std::nullopt;
  static constexpr std::array<Direction, 4> directions = {Direction::FProp, Direction::DGrad, Direction::WGrad,
                                                          Direction::DGrad};
  int64_t c = sizes.perGroupC, k = sizes.perGroupK, groups = 1;
  if (row[FactorGroups] == 1) {
    groups = row[FactorRemainder] == 0 ? 3 : 2;
    c *= groups;
    k *= groups;
  } else if (row[FactorGroups] >= 2) {
    groups = c = sizes.depthwise;
    k = row[FactorGroups] == 2 ? c : 2 * c;
  }
  static constexpr std::array<DataType, 4> types = {DataType::F32, DataType::BF16, DataType::F16, DataType::BF16};
  ConvSpec spec = channelsLast(directions[row[FactorDirection]], rank == 0 ? sizes.batchAlone : sizes.batch, c, k,
                               groups, spatialOf(row, rank), types[row[FactorType]]);
  if (row[FactorType] == 3)
    spec.type(resultRole(spec.direction)) = DataType::F32;
  spec.layouts = layoutsOf(spec, row[FactorLayout]);
  if (!validate(spec).ok())
    return std::nullopt;
  return spec;
}

} // namespace orzo::conformance
