#include "Renaming.h"

#include "RandomProblem.h"

#include <algorithm>
#include <numeric>

namespace orzo::test {

static Axis exchanged(Axis axis, Axis a, Axis b) { return axis == a ? b : axis == b ? a : axis; }

std::optional<Spelling> renameFilterAsOutput(const Spelling &from) {
  Spelling to = from;
  to.spec.spatial.clear();
  for (const SpatialDim &dim : from.spec.spatial) {
    if (dim.flip && dim.filter > 1)
      return std::nullopt;
    to.spec.spatial.push_back({dim.in, dim.out, dim.filter, dim.dilation, dim.stride, dim.padLow, false});
  }
  constexpr int order[3] = {0, 2, 1};
  for (int tensor = 0; tensor < 3; ++tensor) {
    to.memory[tensor] = from.memory[order[tensor]];
    to.spec.types[tensor] = from.spec.types[order[tensor]];
    to.spec.layouts[tensor].clear();
    for (Axis axis : from.spec.layouts[order[tensor]])
      to.spec.layouts[tensor].push_back(exchanged(axis, Axis::N, Axis::C));
  }
  to.spec.n = from.spec.c / from.spec.groups;
  to.spec.c = from.spec.n * from.spec.groups;
  constexpr Direction renamed[3] = {Direction::WGrad, Direction::DGrad, Direction::FProp};
  to.spec.direction = renamed[int(from.spec.direction)];
  return to;
}

std::optional<Spelling> renameInputAsOutput(const Spelling &from) {
  Spelling to = from;
  to.spec.spatial.clear();
  for (const SpatialDim &dim : from.spec.spatial) {
    if (dim.stride != 1 && dim.out > 1)
      return std::nullopt;
    // h = p + d*r - padLow, read backwards with r = R-1 - r'.
    to.spec.spatial.push_back({dim.out, dim.filter, dim.in, 1, dim.dilation,
                               dim.dilation * (dim.filter - 1) - dim.padLow, dim.filter > 1 ? !dim.flip : false});
  }
  constexpr int order[3] = {2, 1, 0};
  for (int tensor = 0; tensor < 3; ++tensor) {
    to.memory[tensor] = from.memory[order[tensor]];
    to.spec.types[tensor] = from.spec.types[order[tensor]];
    to.spec.layouts[tensor].clear();
    for (Axis axis : from.spec.layouts[order[tensor]])
      to.spec.layouts[tensor].push_back(exchanged(axis, Axis::C, Axis::K));
  }
  to.spec.c = from.spec.k;
  to.spec.k = from.spec.c;
  constexpr Direction renamed[3] = {Direction::DGrad, Direction::FProp, Direction::WGrad};
  to.spec.direction = renamed[int(from.spec.direction)];
  return to;
}

std::vector<Spelling> permuteSpatial(const Spelling &from) {
  std::vector<int> place(from.spec.spatial.size()); // old dim -> new dim
  std::iota(place.begin(), place.end(), 0);
  std::vector<Spelling> all;
  do {
    Spelling to = from;
    for (size_t old = 0; old < place.size(); ++old)
      to.spec.spatial[place[old]] = from.spec.spatial[old];
    for (Layout &layout : to.spec.layouts)
      for (Axis &axis : layout)
        if (int(axis) >= int(Axis::S0))
          axis = Axis(int(Axis::S0) + place[int(axis) - int(Axis::S0)]);
    all.push_back(to);
  } while (std::next_permutation(place.begin(), place.end()));
  return all;
}

static void insertUnitDim(ConvSpec &spec, int at, std::mt19937 &random) {
  for (Layout &layout : spec.layouts)
    for (Axis &axis : layout)
      if (int(axis) >= int(Axis::S0) + at)
        axis = Axis(int(axis) + 1);
  spec.spatial.insert(spec.spatial.begin() + at,
                      SpatialDim{1, 1, 1, pick(random, 1, 4), pick(random, 1, 4), 0, pick(random, 0, 1) == 1});
}

static void placeUnitLetters(ConvSpec &spec, int tensor, std::mt19937 &random) {
  bool isX = tensor == 0, isW = tensor == 1;
  std::vector<std::pair<Axis, int64_t>> axes = {
      {isW ? Axis::K : Axis::N, isW ? spec.k / spec.groups : spec.n},
      {Axis::G, spec.groups},
      {isX || isW ? Axis::C : Axis::K, (isX || isW ? spec.c : spec.k) / spec.groups}};
  for (size_t i = 0; i < spec.spatial.size(); ++i)
    axes.push_back({Axis(int(Axis::S0) + int(i)), isX   ? spec.spatial[i].in
                                                  : isW ? spec.spatial[i].filter
                                                        : spec.spatial[i].out});
  Layout &layout = spec.layouts[tensor];
  for (auto [axis, extent] : axes) {
    if (extent != 1)
      continue;
    layout.erase(std::remove(layout.begin(), layout.end(), axis), layout.end());
    if (pick(random, 0, 1))
      layout.insert(layout.begin() + pick(random, 0, int64_t(layout.size())), axis);
  }
}

Spelling decorate(const Spelling &from, std::mt19937 &random) {
  Spelling to = from;
  while (to.spec.spatial.size() < 3 && pick(random, 0, 1))
    insertUnitDim(to.spec, int(pick(random, 0, int64_t(to.spec.spatial.size()))), random);
  for (SpatialDim &dim : to.spec.spatial) {
    if (dim.out == 1)
      dim.stride = pick(random, 1, 5);
    if (dim.filter == 1) {
      dim.dilation = pick(random, 1, 5);
      dim.flip = pick(random, 0, 1) == 1;
    }
  }
  for (int tensor = 0; tensor < 3; ++tensor)
    placeUnitLetters(to.spec, tensor, random);
  return to;
}

std::vector<Spelling> allSpellings(const ConvSpec &spec) {
  std::vector<Spelling> steps = {{spec}};
  for (size_t next = 0; next < steps.size(); ++next)
    for (auto rename : {renameFilterAsOutput, renameInputAsOutput})
      if (std::optional<Spelling> other = rename(steps[next]))
        if (std::none_of(steps.begin(), steps.end(), [&](const Spelling &known) { return known == *other; }))
          steps.push_back(*other);
  std::vector<Spelling> all;
  for (const Spelling &step : steps)
    for (const Spelling &permuted : permuteSpatial(step))
      all.push_back(permuted);
  return all;
}

} // namespace orzo::test
