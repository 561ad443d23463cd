#include "orzo/Spec/Difference.h"

#include "Spec/CanonicalRules.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <tuple>

namespace orzo {

std::string_view name(Field field) {
  switch (field) {
  case Field::Direction:
    return "direction";
  case Field::Batch:
    return "batch";
  case Field::InChannels:
    return "input channels";
  case Field::OutChannels:
    return "output channels";
  case Field::Groups:
    return "groups";
  case Field::In:
    return "input extent";
  case Field::Filter:
    return "filter extent";
  case Field::Out:
    return "output extent";
  case Field::Stride:
    return "stride";
  case Field::Dilation:
    return "dilation";
  case Field::PadLow:
    return "padding in front";
  case Field::Flip:
    return "flip";
  case Field::Layout:
    return "layout";
  case Field::Type:
    return "element type";
  case Field::Accumulate:
    break;
  }
  return "accumulate type";
}

static std::string text(int64_t value) { return std::to_string(value); }
static std::string text(bool value) { return value ? "yes" : "no"; }
static std::string text(Direction value) { return std::string(name(value)); }
static std::string text(DataType value) { return std::string(name(value)); }

static std::vector<Difference> differencesOf(const ConvSpec &a, const ConvSpec &b) {
  std::vector<Difference> found;
  auto add = [&](Field field, const auto &first, const auto &second, int dim = -1, Role role = Role::X) {
    if (first != second)
      found.push_back({field, dim, role, text(first), text(second)});
  };
  add(Field::Direction, a.direction, b.direction);
  add(Field::Batch, a.n, b.n);
  add(Field::InChannels, a.c, b.c);
  add(Field::OutChannels, a.k, b.k);
  add(Field::Groups, a.groups, b.groups);
  for (int dim = 0; dim < a.rank(); ++dim) {
    const SpatialDim &first = a.spatial[dim], &second = b.spatial[dim];
    add(Field::In, first.in, second.in, dim);
    add(Field::Filter, first.filter, second.filter, dim);
    add(Field::Out, first.out, second.out, dim);
    add(Field::Stride, first.stride, second.stride, dim);
    add(Field::Dilation, first.dilation, second.dilation, dim);
    add(Field::PadLow, first.padLow, second.padLow, dim);
    add(Field::Flip, first.flip, second.flip, dim);
  }
  for (Role role : {Role::X, Role::W, Role::Y}) {
    // Letters of extent 1 were left out: an axis that only one of them has is told by its extent already.
    Layout first, second;
    auto isIn = [](const Layout &layout, Axis axis) {
      return std::find(layout.begin(), layout.end(), axis) != layout.end();
    };
    for (Axis axis : a.layout(role))
      if (isIn(b.layout(role), axis))
        first.push_back(axis);
    for (Axis axis : b.layout(role))
      if (isIn(a.layout(role), axis))
        second.push_back(axis);
    if (first != second)
      found.push_back({Field::Layout, -1, role, orzo::text(a.layout(role), role, a.rank()),
                       orzo::text(b.layout(role), role, b.rank())});
    add(Field::Type, a.type(role), b.type(role), -1, role);
  }
  add(Field::Accumulate, a.accumulate, b.accumulate);
  return found;
}

/// The same problem with its spatial dims in another order: dim i of it is dim order[i] of `problem`. Views name source
/// axes by position in the layout, so they stay.
static Canonical reordered(const Canonical &problem, const std::vector<int> &order) {
  Canonical out = problem;
  std::vector<Axis> renamed(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    out.spec.spatial[i] = problem.spec.spatial[order[i]];
    renamed[order[i]] = spatialAxis(static_cast<int>(i));
  }
  for (Layout &layout : out.spec.layouts)
    for (Axis &axis : layout)
      if (isSpatial(axis))
        axis = renamed[spatialIndex(axis)];
  return out;
}

static Canonical ofRank(const Canonical &problem, int rank) {
  Canonical out = problem;
  out.spec.spatial.resize(rank);
  return out;
}

static std::vector<Canonical> allOrders(const std::vector<Canonical> &members, int rank) {
  std::vector<Canonical> all;
  for (const Canonical &member : members) {
    std::vector<int> order(rank);
    std::iota(order.begin(), order.end(), 0);
    do
      all.push_back(reordered(ofRank(member, rank), order));
    while (std::next_permutation(order.begin(), order.end()));
  }
  return all;
}

static int highestRank(const std::vector<Canonical> &members) {
  int rank = 0;
  for (const Canonical &member : members)
    rank = std::max(rank, member.spec.rank());
  return rank;
}

Alignment align(const ConvSpec &first, const ConvSpec &second, std::optional<Direction> wanted) {
  std::vector<Canonical> firsts = orbit(first), seconds = orbit(second);
  ConvSpec canonical = canonicalise(first).spec;
  int rank = std::max(highestRank(firsts), highestRank(seconds));
  std::vector<Canonical> others = allOrders(seconds, rank);
  std::optional<Alignment> best;
  std::tuple<size_t, bool, bool> bestCost;
  for (const Canonical &member : firsts) {
    Canonical one = ofRank(member, rank);
    for (const Canonical &other : others) {
      std::vector<Difference> differences = differencesOf(one.spec, other.spec);
      bool isWanted = !wanted || one.spec.direction == *wanted;
      std::tuple cost(differences.size(), !isWanted, member.spec != canonical);
      if (best && cost >= bestCost)
        continue;
      best = Alignment{one, other, std::move(differences)};
      bestCost = cost;
    }
  }
  return *best;
}

std::optional<std::string> dimLetter(const Canonical &aligned, const ConvSpec &given, int dim) {
  auto capital = [](char one) { return std::string(1, static_cast<char>(std::toupper(one))); };
  for (Role role : {Role::W, Role::X, Role::Y}) {
    const Layout &layout = aligned.spec.layout(role);
    auto found = std::find(layout.begin(), layout.end(), spatialAxis(dim));
    if (found == layout.end())
      continue;
    const View &view = aligned.views[static_cast<int>(role)];
    return capital(letter(view.source, view.sourceAxes[found - layout.begin()], given.rank()));
  }
  return std::nullopt;
}

} // namespace orzo
