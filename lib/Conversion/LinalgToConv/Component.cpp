#include "Conversion/LinalgToConv/Component.h"

#include <algorithm>
#include <numeric>

namespace orzo {
namespace {

/// An index that is one loop: sign*loop + offset.
struct SingleLoop {
  int loop, sign;
  int64_t offset;
};

class Finder {
public:
  Finder(Loops &loops, std::vector<RootDim> &dims, mlir::Location location)
      : loops(loops), dims(dims), location(location) {}

  OrRefusal<std::vector<Component>> run();

private:
  Refusal refuse(std::string reason) const { return {location, std::move(reason)}; }
  bool countWhole(const std::vector<int> &members);
  std::vector<std::vector<int>> group(bool onlyLong) const;
  OrRefusal<Component> relation(const std::vector<int> &members);
  OrRefusal<Component> relationOf(const std::vector<int> &members);
  /// The loops that take part in a relation: all at first, so that it says strides and dilations of dims of extent 1 as
  /// the source does; if there is none, those of more than one iteration.
  llvm::SmallVector<int> loopsOf(const IndexExpr &index) const {
    return longLoopsOnly ? index.longLoops(loops) : index.loops();
  }
  OrRefusal<Component> ofTwoLoops(Component component, int first, int second);
  OrRefusal<Component> ofOneLoop(Component component, int loop);
  OrRefusal<Component> ofNoLoop(Component component);
  bool covers(const Component &component, int tensor, const SingleLoop &single, int partner, int third) const;
  std::optional<SingleLoop> single(const Component &component, int tensor) const;
  int64_t fixedIndex(IndexExpr index) const;
  bool takeApart(const std::vector<int> &members);
  std::string shapeOf(const std::vector<int> &members) const;

  Loops &loops;
  std::vector<RootDim> &dims;
  mlir::Location location;
  bool longLoopsOnly = false;
};

/// Where an index of one loop is a division, only every so-many-th iteration has an index: renames one such loop of
/// `members` to count those. For relations that are not found otherwise: what a loop leaves out is then no longer in
/// sight.
bool Finder::countWhole(const std::vector<int> &members) {
  for (int member : members) {
    IndexExpr index = dims[member].index;
    llvm::SmallVector<int> used = index.longLoops(loops);
    if (used.size() != 1 || index.divisor() == 1 || index.divisor() > (int64_t(1) << 20))
      continue;
    int loop = used[0];
    for (int other : index.loops())
      if (other != loop)
        index = index.substitute(other, IndexExpr::constant(loops[other].low));
    int64_t factor = index.coefficient(loop), divisor = index.divisor();
    if (std::gcd(factor, divisor) != 1)
      continue;
    int64_t first = 0;
    while ((__int128(factor) * first + index.constant()) % divisor != 0)
      ++first;
    Interval counted = {ceilDivide(loops[loop].low - first, divisor), floorDivide(loops[loop].high - first, divisor)};
    if (counted.empty())
      continue;
    loops[loop] = counted;
    IndexExpr renamed = IndexExpr::loop(loop).times(divisor).plus(first);
    for (RootDim &other : dims)
      other.index = other.index.substitute(loop, renamed);
    return true;
  }
  return false;
}

/// Members of each group, in the order of their first.
std::vector<std::vector<int>> Finder::group(bool onlyLong) const {
  std::vector<std::vector<int>> groups;
  std::vector<int> of(dims.size(), -1);
  for (int dim = 0; dim < static_cast<int>(dims.size()); ++dim) {
    auto used = onlyLong ? dims[dim].index.longLoops(loops) : dims[dim].index.loops();
    int home = -1;
    for (int other = 0; other < dim; ++other) {
      auto its = onlyLong ? dims[other].index.longLoops(loops) : dims[other].index.loops();
      if (!llvm::any_of(used, [&](int loop) { return llvm::is_contained(its, loop); }))
        continue;
      if (home < 0) {
        home = of[other];
        continue;
      }
      if (of[other] == home)
        continue;
      int absorbed = of[other];
      groups[home].insert(groups[home].end(), groups[absorbed].begin(), groups[absorbed].end());
      for (int member : groups[absorbed])
        of[member] = home;
      groups[absorbed].clear();
    }
    if (home < 0) {
      home = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    groups[home].push_back(dim);
    of[dim] = home;
  }
  std::erase_if(groups, [](const std::vector<int> &members) { return members.empty(); });
  return groups;
}

/// Splits each member that is a number in digits: coefficients 1, e1, e1*e2 ... of loops 0 ... e1-1, 0 ... e2-1, ...
bool Finder::takeApart(const std::vector<int> &members) {
  for (int member : members) {
    RootDim dim = dims[member];
    llvm::SmallVector<int> used = dim.index.longLoops(loops);
    if (used.size() < 2 || dim.index.divisor() != 1 || dim.index.constant() != 0)
      continue;
    std::sort(used.begin(), used.end(),
              [&](int a, int b) { return dim.index.coefficient(a) > dim.index.coefficient(b); });
    int64_t step = 1;
    bool digits = true;
    for (int loop : llvm::reverse(used)) {
      digits &= dim.index.coefficient(loop) == step && loops[loop].low == 0;
      if (!digits)
        break;
      step *= loops[loop].high + 1;
    }
    if (!digits || step != dim.extent)
      continue;
    std::vector<RootDim> parts;
    for (int loop : used)
      parts.push_back({dim.tensor, dim.source, loops[loop].high + 1, IndexExpr::loop(loop)});
    dims.erase(dims.begin() + member);
    dims.insert(dims.begin() + member, parts.begin(), parts.end());
    return true;
  }
  return false;
}

/// The value of an index without long loops; -1 where the division leaves a rest (it is nowhere).
int64_t Finder::fixedIndex(IndexExpr index) const {
  for (int loop : index.loops())
    index = index.substitute(loop, IndexExpr::constant(loops[loop].low));
  return index.divisor() == 1 ? index.constant() : -1;
}

std::optional<SingleLoop> Finder::single(const Component &component, int tensor) const {
  if (component.dims[tensor] < 0)
    return std::nullopt;
  const IndexExpr &index = dims[component.dims[tensor]].index;
  llvm::SmallVector<int> used = loopsOf(index);
  if (used.size() != 1 || index.divisor() != 1 || std::abs(index.coefficient(used[0])) != 1)
    return std::nullopt;
  int64_t offset = index.constant();
  for (int loop : index.loops())
    if (loop != used[0])
      offset += index.coefficient(loop) * loops[loop].low;
  return SingleLoop{used[0], static_cast<int>(index.coefficient(used[0])), offset};
}

/// Whether indices of `tensor` that its loop does not reach take part in nothing: with no index of `partner` is the
/// third one inside.
bool Finder::covers(const Component &component, int tensor, const SingleLoop &single, int partner, int third) const {
  int64_t last = component.extents[tensor] - 1;
  Interval bound = loops[single.loop];
  int64_t a = single.sign * bound.low + single.offset, b = single.sign * bound.high + single.offset;
  auto outside = [&](Interval missing) {
    if (missing.empty())
      return true;
    // coefficients[third] * i3 = constant - c_t * i_t - c_p * i_p
    __int128 low = component.constant, high = component.constant;
    for (auto [which, range] :
         {std::pair(tensor, missing), std::pair(partner, Interval{0, component.extents[partner] - 1})}) {
      __int128 first = -__int128(component.coefficients[which]) * range.low;
      __int128 second = -__int128(component.coefficients[which]) * range.high;
      low += std::min(first, second);
      high += std::max(first, second);
    }
    __int128 factor = component.coefficients[third], end = factor * (component.extents[third] - 1);
    return high < std::min<__int128>(0, end) || low > std::max<__int128>(0, end);
  };
  return outside({0, std::min(a, b) - 1}) && outside({std::max(a, b) + 1, last});
}

static bool normalise(Component &component) {
  int64_t common = std::gcd(std::gcd(component.coefficients[0], component.coefficients[1]), component.coefficients[2]);
  if (common == 0)
    return component.constant == 0;
  if (component.constant % common != 0)
    return false;
  for (int64_t &coefficient : component.coefficients)
    coefficient /= common;
  component.constant /= common;
  return true;
}

OrRefusal<Component> Finder::ofTwoLoops(Component component, int first, int second) {
  // The two tensors whose index is a loop each, and the third.
  std::array<std::optional<SingleLoop>, 3> singles;
  for (int tensor = 0; tensor < 3; ++tensor)
    singles[tensor] = single(component, tensor);
  for (auto [s, t, third] : {std::array{2, 1, 0}, std::array{2, 0, 1}, std::array{0, 1, 2}}) {
    if (!singles[s] || !singles[t] || singles[s]->loop == singles[t]->loop || component.dims[third] < 0)
      continue;
    // i_s = sign*u + offset, so u = sign*(i_s - offset); put into the third index, times its divisor.
    IndexExpr index = dims[component.dims[third]].index;
    Component related = component;
    __int128 constant = index.constant();
    for (int loop : index.loops())
      if (loop != first && loop != second)
        constant += __int128(index.coefficient(loop)) * loops[loop].low;
    for (int tensor : {s, t}) {
      int64_t factor = index.coefficient(singles[tensor]->loop) * singles[tensor]->sign;
      related.coefficients[tensor] = -factor;
      constant -= __int128(factor) * singles[tensor]->offset;
    }
    related.coefficients[third] = index.divisor();
    if (constant > (int64_t(1) << 60) || constant < -(int64_t(1) << 60))
      return refuse("an index leaves 60 bits");
    related.constant = static_cast<int64_t>(constant);
    if (related.coefficients[s] == 0 || related.coefficients[t] == 0 || !normalise(related))
      return refuse("two of the three indices are tied to each other");
    if (!covers(related, s, *singles[s], t, third) || !covers(related, t, *singles[t], s, third))
      return refuse("the loops run over a part of a tensor only");
    return related;
  }
  return refuse("no two of the three indices are loops of their own");
}

OrRefusal<Component> Finder::ofOneLoop(Component component, int loop) {
  llvm::SmallVector<int> with, without;
  for (int tensor = 0; tensor < 3; ++tensor) {
    bool uses = component.dims[tensor] >= 0 && dims[component.dims[tensor]].index.coefficient(loop) != 0;
    (uses ? with : without).push_back(tensor);
  }
  if (with.size() == 1)
    return refuse("a loop runs over one tensor only: it sums or broadcasts");
  for (int tensor : without)
    if (component.dims[tensor] >= 0 &&
        (component.extents[tensor] != 1 || fixedIndex(dims[component.dims[tensor]].index) != 0))
      return refuse("one index of a longer dim is used");
  std::array<std::optional<SingleLoop>, 3> singles;
  bool identity = true;
  for (int tensor : with) {
    singles[tensor] = single(component, tensor);
    identity &= singles[tensor] && singles[tensor]->sign == 1 && singles[tensor]->offset == 0 &&
                loops[loop] == Interval{0, component.extents[tensor] - 1};
  }
  if (with.size() == 3) {
    if (!identity)
      return refuse("one loop steps through all three tensors, and not alike");
    component.isAxis = true;
    return component;
  }
  for (auto [s, other] : {std::pair(with[0], with[1]), std::pair(with[1], with[0])}) {
    if (!singles[s])
      continue;
    // i_other * divisor = factor * sign * (i_s - offset) + rest.
    IndexExpr index = dims[component.dims[other]].index;
    for (int each : index.loops())
      if (each != loop)
        index = index.substitute(each, IndexExpr::constant(loops[each].low));
    int64_t factor = index.coefficient(loop) * singles[s]->sign;
    Component related = component;
    related.coefficients[other] = index.divisor();
    related.coefficients[s] = -factor;
    __int128 constant = __int128(index.constant()) - __int128(factor) * singles[s]->offset;
    if (constant > (int64_t(1) << 60) || constant < -(int64_t(1) << 60))
      return refuse("an index leaves 60 bits");
    related.constant = static_cast<int64_t>(constant);
    if (!normalise(related))
      return refuse("an index is there for no iteration");
    // A third dim of extent 1 says that a filter, output or input dim belongs here.
    related.isAxis = identity && component.dims[without[0]] < 0;
    int third = without.empty() ? s : without[0];
    // With one index of the third tensor (0), the partner's part in the relation is the other's.
    Component bounds = related;
    if (!covers(bounds, s, *singles[s], third, other))
      return refuse("the loops run over a part of a tensor only");
    return related;
  }
  return refuse("no index is a loop of its own");
}

OrRefusal<Component> Finder::ofNoLoop(Component component) {
  int longDims = 0, outside = 0;
  int64_t pad = 0;
  for (int tensor = 0; tensor < 3; ++tensor) {
    if (component.dims[tensor] >= 0)
      component.fixed[tensor] = fixedIndex(dims[component.dims[tensor]].index);
    int64_t fixed = component.fixed[tensor];
    longDims += component.extents[tensor] != 1;
    outside += fixed < 0 || fixed >= component.extents[tensor];
    pad += fixed;
  }
  // One index of one longer dim is a dim whose other indices are padded away or cut off.
  if (longDims > 1 || (longDims == 1 && outside > 0))
    return refuse("one index of a longer dim is used");
  if (longDims == 0 && (outside > 1 || (outside == 1 && pad == 0)))
    return refuse("every read is outside of a tensor");
  return component;
}

std::string Finder::shapeOf(const std::vector<int> &members) const {
  constexpr std::array names = {"the first operand", "the second operand", "the result"};
  std::string text;
  for (int member : members)
    text +=
        (text.empty() ? "dim " : ", dim ") + std::to_string(dims[member].source) + " of " + names[dims[member].tensor];
  return text;
}

OrRefusal<Component> Finder::relation(const std::vector<int> &members) {
  longLoopsOnly = false;
  if (OrRefusal<Component> all = relationOf(members))
    return all;
  longLoopsOnly = true;
  return relationOf(members);
}

OrRefusal<Component> Finder::relationOf(const std::vector<int> &members) {
  Component component;
  llvm::SmallVector<int> used;
  for (int member : members) {
    const RootDim &dim = dims[member];
    if (dim.index.overflowed())
      return refuse("an index leaves 62 bits");
    if (component.dims[dim.tensor] >= 0)
      return refuse("two dims of one tensor belong together");
    component.dims[dim.tensor] = member;
    component.extents[dim.tensor] = dim.extent;
    for (int loop : loopsOf(dim.index))
      if (!llvm::is_contained(used, loop))
        used.push_back(loop);
  }
  if (used.size() > 2)
    return refuse("more than two loops belong together");
  if (used.size() == 2)
    return ofTwoLoops(component, used[0], used[1]);
  return used.size() == 1 ? ofOneLoop(component, used[0]) : ofNoLoop(component);
}

OrRefusal<std::vector<Component>> Finder::run() {
  // Splitting adds dims, so this ends: no digit is split again.
  for (int round = 0; round < 64; ++round) {
    std::vector<Component> components;
    bool again = false;
    for (const std::vector<int> &members : group(false)) {
      OrRefusal<Component> component = relation(members);
      if (component) {
        components.push_back(*component);
        continue;
      }
      if (takeApart(members) || countWhole(members)) {
        again = true;
        break;
      }
      // Loops of one iteration may have tied together what does not belong together.
      bool separable = false;
      for (const std::vector<int> &part : group(true))
        separable |=
            part.size() < members.size() && std::includes(members.begin(), members.end(), part.begin(), part.end());
      if (separable) {
        for (int member : members)
          for (int loop : dims[member].index.loops())
            if (loops[loop].low == loops[loop].high)
              dims[member].index = dims[member].index.substitute(loop, IndexExpr::constant(loops[loop].low));
        again = true;
        break;
      }
      Refusal refusal = component.refusal();
      refusal.reason += " (" + shapeOf(members) + ")";
      return refusal;
    }
    if (!again)
      return components;
  }
  return refuse("its indices are too tangled");
}

} // namespace

OrRefusal<std::vector<Component>> findComponents(Loops loops, std::vector<RootDim> &dims, mlir::Location location) {
  return Finder(loops, dims, location).run();
}

} // namespace orzo
