#include "RandomProblem.h"

#include <algorithm>

namespace orzo::test {

int64_t pick(std::mt19937 &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

void shuffleLayouts(ConvSpec &spec, std::mt19937 &random) {
  for (Role role : {Role::X, Role::W, Role::Y}) {
    std::vector<std::pair<Axis, int64_t>> axes;
    if (role != Role::W)
      axes.push_back({Axis::N, spec.n});
    axes.push_back({Axis::G, spec.groups});
    if (role != Role::Y)
      axes.push_back({Axis::C, spec.c / spec.groups});
    if (role != Role::X)
      axes.push_back({Axis::K, spec.k / spec.groups});
    for (size_t i = 0; i < spec.spatial.size(); ++i) {
      const SpatialDim &dim = spec.spatial[i];
      axes.push_back({Axis(int(Axis::S0) + int(i)), role == Role::X ? dim.in : role == Role::W ? dim.filter : dim.out});
    }
    Layout layout;
    for (auto [axis, extent] : axes)
      if (extent != 1 || pick(random, 0, 2) == 0)
        layout.push_back(axis);
    std::shuffle(layout.begin(), layout.end(), random);
    spec.layouts[int(role)] = layout;
  }
}

ConvSpec randomProblem(const ProblemKind &kind, std::mt19937 &random) {
  ConvSpec spec;
  spec.direction = Direction(pick(random, 0, 2));
  spec.n = pick(random, 1, 3);
  spec.groups = kind.grouped ? pick(random, 2, 3) : 1;
  spec.c = spec.groups * (kind.grouped && pick(random, 0, 1) ? 1 : pick(random, 1, 3));
  spec.k = spec.groups * pick(random, 1, 3);
  int64_t rank = pick(random, kind.minRank, kind.maxRank);
  int64_t large = rank == 1 ? 6 : rank == 2 ? 4 : 3;
  for (int64_t i = 0; i < rank; ++i) {
    SpatialDim dim;
    dim.in = pick(random, 1, large);
    dim.filter = pick(random, 1, 3);
    dim.out = pick(random, 1, large);
    dim.stride = pick(random, 0, 1) ? 1 : pick(random, 2, 3);
    dim.dilation = pick(random, 0, 1) ? 1 : pick(random, 2, 3);
    dim.padLow = pick(random, 0, 1) ? pick(random, 0, 1) : pick(random, -2, 4);
    spec.spatial.push_back(dim);
  }
  if (kind.unitDim)
    spec.spatial[pick(random, 0, rank - 1)] = {1, 1, 1, pick(random, 1, 3), pick(random, 1, 3), 0, false};
  if (kind.flipped) {
    SpatialDim &dim = spec.spatial[pick(random, 0, rank - 1)];
    dim.filter = pick(random, 2, 3);
    dim.flip = true;
  }
  auto operands = DataType(pick(random, 0, 2));
  spec.types = {operands, operands, operands};
  int result = spec.direction == Direction::FProp ? 2 : spec.direction == Direction::DGrad ? 0 : 1;
  spec.types[result] = DataType(pick(random, 0, 2));
  shuffleLayouts(spec, random);
  return spec;
}

} // namespace orzo::test
