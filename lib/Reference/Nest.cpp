#include "Reference/Nest.h"

#include <array>

namespace orzo::reference {

NestAxes nestAxes(const ConvSpec &spec) {
  switch (spec.direction) {
  case Direction::FProp:
    return {Role::X, Role::W, Axis::K, Axis::C, false};
  case Direction::DGrad:
    return {Role::Y, Role::W, Axis::C, Axis::K, false};
  case Direction::WGrad:
    break;
  }
  if (spec.c >= spec.k)
    return {Role::Y, Role::X, Axis::C, Axis::N, true, Axis::K};
  return {Role::X, Role::Y, Axis::K, Axis::N, true, Axis::C};
}

std::vector<Axis> operandOrder(const ConvSpec &spec, Role role) {
  std::vector<Axis> order;
  if (role == Role::W) {
    order.push_back(Axis::G);
  } else {
    order.push_back(Axis::N);
  }
  for (int dim = 0; dim < spec.rank(); ++dim)
    order.push_back(spatialAxis(dim));
  if (role != Role::W) {
    order.push_back(Axis::G);
    order.push_back(role == Role::X ? Axis::C : Axis::K);
    return order;
  }
  // Few lanes: neighbours along the reduction instead, so that one lane is a contiguous dot product.
  NestAxes axes = nestAxes(spec);
  bool lanesInside = spec.extent(Role::W, axes.lane) >= 8;
  order.push_back(lanesInside ? axes.reduced : axes.lane);
  order.push_back(lanesInside ? axes.lane : axes.reduced);
  return order;
}

/// The relation along one dim: every (p, r) whose h lies inside, filed under the result's index.
static std::vector<std::vector<Pair>> walk(const SpatialDim &dim, Role result, Role a, int64_t aStride, Role b,
                                           int64_t bStride) {
  std::array<int64_t, 3> extents = {dim.in, dim.filter, dim.out};
  std::vector<std::vector<Pair>> lists(extents[static_cast<int>(result)]);
  for (int64_t p = 0; p < dim.out; ++p)
    for (int64_t r = 0; r < dim.filter; ++r) {
      int64_t h = dim.stride * p + dim.dilation * r - dim.padLow;
      if (h < 0 || h >= dim.in)
        continue;
      std::array<int64_t, 3> index = {h, dim.flip ? dim.filter - 1 - r : r, p};
      lists[index[static_cast<int>(result)]].push_back(
          {index[static_cast<int>(a)] * aStride, index[static_cast<int>(b)] * bStride});
    }
  return lists;
}

Nest::Nest(const ConvSpec &spec, const NestAxes &axes, const Operand &a, const Operand &b)
    : spec(spec), axes(axes), a(a), b(b) {
  Role result = resultRole(spec.direction);
  rowAxes.push_back(Axis::G);
  if (!axes.hasRow)
    rowAxes.push_back(Axis::N);
  for (int dim = 0; dim < spec.rank(); ++dim) {
    Axis axis = spatialAxis(dim);
    rowAxes.push_back(axis);
    pairs.push_back(walk(spec.spatial[dim], result, axes.a, a.stride(axis), axes.b, b.stride(axis)));
  }
  if (axes.hasRow)
    rowAxes.push_back(axes.row);
  for (Axis axis : rowAxes)
    rows *= spec.extent(result, axis);
  lanes = spec.extent(result, axes.lane);
  laneDistance = spec.elementStride(result, axes.lane);
}

int64_t Nest::resultOffset(int64_t index) const {
  Role result = resultRole(spec.direction);
  int64_t offset = 0;
  for (size_t position = rowAxes.size(); position-- > 0;) {
    int64_t extent = spec.extent(result, rowAxes[position]);
    offset += index % extent * spec.elementStride(result, rowAxes[position]);
    index /= extent;
  }
  return offset;
}

std::pair<int64_t, int64_t> Nest::locate(int64_t element) const {
  Role result = resultRole(spec.direction);
  auto indexAlong = [&](Axis axis) -> int64_t {
    int64_t stride = spec.elementStride(result, axis);
    return stride ? element / stride % spec.extent(result, axis) : 0;
  };
  int64_t row = 0;
  for (Axis axis : rowAxes)
    row = row * spec.extent(result, axis) + indexAlong(axis);
  return {row, indexAlong(axes.lane)};
}

Row Nest::row(int64_t index, std::vector<Pair> &storage, int64_t &storageKey) const {
  Role result = resultRole(spec.direction);
  std::array<int64_t, 7> along = {};
  for (size_t position = rowAxes.size(); position-- > 0;) {
    int64_t extent = spec.extent(result, rowAxes[position]);
    along[static_cast<int>(rowAxes[position])] = index % extent;
    index /= extent;
  }
  int64_t key = 0;
  for (int dim = 0; dim < spec.rank(); ++dim)
    key = key * static_cast<int64_t>(pairs[dim].size()) + along[static_cast<int>(spatialAxis(dim))];
  if (key != storageKey) {
    storage.assign(1, {});
    for (int dim = 0; dim < spec.rank(); ++dim) {
      std::vector<Pair> longer;
      for (const Pair &before : storage)
        for (const Pair &next : pairs[dim][along[static_cast<int>(spatialAxis(dim))]])
          longer.push_back({before.a + next.a, before.b + next.b});
      storage = std::move(longer);
    }
    storageKey = key;
  }
  Row row;
  row.a = a.values.get();
  row.b = b.values.get();
  for (Axis axis : rowAxes)
    if (!isSpatial(axis)) {
      row.a += along[static_cast<int>(axis)] * a.stride(axis);
      row.b += along[static_cast<int>(axis)] * b.stride(axis);
    }
  row.pairs = storage.data();
  row.pairCount = static_cast<int64_t>(storage.size());
  // wgrad walks its images outside of the pairs, which lie closer together.
  if (axes.reduced == Axis::N) {
    row.outerCount = spec.n;
    row.aOuter = a.stride(Axis::N);
    row.bOuter = b.stride(Axis::N);
  } else {
    row.reductionCount = spec.extent(axes.a, axes.reduced);
    row.aReduction = a.stride(axes.reduced);
    row.bReduction = b.stride(axes.reduced);
  }
  row.bLane = b.stride(axes.lane);
  return row;
}

} // namespace orzo::reference
