#include "Sample.h"

namespace orzo::test {

int64_t pick(std::mt19937 &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

ConvSpec Sample::spec() const {
  ConvSpec spec;
  spec.direction = direction;
  spec.n = n;
  spec.c = c;
  spec.k = k;
  spec.groups = groups;
  spec.spatial = dims;
  spec.types = {type, type, type};
  for (Role role : {Role::X, Role::W, Role::Y}) {
    Layout &layout = spec.layout(role);
    auto add = [&](bool grouped, Axis axis) {
      if (grouped && groups > 1)
        layout.push_back(Axis::G);
      layout.push_back(axis);
    };
    bool w = role == Role::W;
    add(w, w ? Axis::K : Axis::N);
    if (!channelsLast)
      add(!w, role == Role::Y ? Axis::K : Axis::C);
    for (int dim = 0; dim < rank(); ++dim)
      layout.push_back(spatialAxis(dim));
    if (channelsLast)
      add(!w, role == Role::Y ? Axis::K : Axis::C);
  }
  return spec;
}

std::vector<int64_t> Sample::shape(Role role) const {
  std::vector<int64_t> spatial;
  for (const SpatialDim &dim : dims)
    spatial.push_back(role == Role::X ? dim.in : role == Role::W ? dim.filter : dim.out);
  std::vector<int64_t> shape = {role == Role::W ? k : n};
  int64_t channels = role == Role::X ? c : role == Role::W ? c / groups : k;
  if (!channelsLast)
    shape.push_back(channels);
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  if (channelsLast)
    shape.push_back(channels);
  return shape;
}

std::vector<int64_t> Sample::logicalToMemory(Role) const {
  std::vector<int64_t> order = {0, channelsLast ? rank() + 1 : 1};
  for (int dim = 0; dim < rank(); ++dim)
    order.push_back(channelsLast ? 1 + dim : 2 + dim);
  return order;
}

Sample randomSample(std::mt19937 &random) {
  Sample sample;
  sample.direction = static_cast<Direction>(pick(random, 0, 2));
  sample.n = pick(random, 1, 3);
  sample.groups = pick(random, 0, 2) ? 1 : pick(random, 2, 3);
  sample.c = sample.groups * pick(random, 1, 3);
  sample.k = sample.groups * pick(random, 1, 3);
  sample.channelsLast = pick(random, 0, 1);
  sample.type = static_cast<DataType>(pick(random, 0, 2));
  int rank = static_cast<int>(pick(random, 1, 3));
  while (sample.rank() < rank) {
    SpatialDim dim;
    dim.filter = pick(random, 1, 3);
    dim.stride = pick(random, 0, 1) ? 1 : pick(random, 2, 3);
    dim.dilation = pick(random, 0, 2) ? 1 : pick(random, 2, 3);
    dim.padLow = pick(random, 0, 2) ? 0 : pick(random, 1, 4);
    dim.in = pick(random, 1, rank == 3 ? 5 : 8);
    int64_t room = dim.in + 2 * dim.padLow - dim.dilation * (dim.filter - 1) - 1;
    if (room < 0)
      continue;
    dim.out = room / dim.stride + 1;
    sample.dims.push_back(dim);
  }
  return sample;
}

} // namespace orzo::test
