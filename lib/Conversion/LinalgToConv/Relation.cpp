#include "Conversion/LinalgToConv/Relation.h"

#include "Conversion/LinalgToConv/Component.h"
#include "orzo/Spec/Canonical.h"

#include <algorithm>

namespace orzo {
namespace {

using Roles = std::array<Role, 3>;

/// The axis that two tensors share, as a set of roles without its third.
Axis axisWithout(Role missing) { return missing == Role::W ? Axis::N : missing == Role::Y ? Axis::C : Axis::K; }

/// The spec under one assignment of roles to a, b, out.
class Assignment {
public:
  Assignment(const std::vector<Component> &components, const std::vector<RootDim> &dims, std::array<DataType, 3> types,
             Roles roles)
      : components(components), dims(dims), types(types), roles(roles), axes(components.size()) {}

  /// Why there is none, or nothing and `related` is set.
  std::optional<std::string> run();
  Related related;

private:
  int tensorOf(Role role) const {
    return static_cast<int>(std::find(roles.begin(), roles.end(), role) - roles.begin());
  }
  void chooseAxes();
  std::optional<std::string> addSpatial(int number);
  void layouts();

  const std::vector<Component> &components;
  const std::vector<RootDim> &dims;
  std::array<DataType, 3> types;
  Roles roles;
  std::vector<std::optional<Axis>> axes; ///< Of each component.
};

/// Of the components that could be an axis, one becomes it: the one that is the first dim of both tensors; else for n
/// the outermost in x, for c and k the longest. The others are spatial dims with one tap, one window or one position.
/// The first rule names no role, so that an assignment and its mirror images choose alike: n of extent 1 beside a dim
/// whose filter is 1 long and read by a constant index stays n.
void Assignment::chooseAxes() {
  for (Axis axis : {Axis::N, Axis::C, Axis::K}) {
    int chosen = -1;
    bool leads = false;
    auto extent = [&](int number) {
      return *std::max_element(components[number].extents.begin(), components[number].extents.end());
    };
    for (int number = 0; number < static_cast<int>(components.size()); ++number) {
      const Component &component = components[number];
      if (!component.isAxis)
        continue;
      int missing = -1, count = 0;
      for (int tensor = 0; tensor < 3; ++tensor)
        if (component.dims[tensor] < 0 || component.coefficients[tensor] == 0)
          missing = tensor, ++count;
      if (count != 1 || axisWithout(roles[missing]) != axis)
        continue;
      bool first = true;
      for (int tensor = 0; tensor < 3; ++tensor)
        first &= tensor == missing || dims[component.dims[tensor]].source == 0;
      if (leads)
        continue;
      leads = first;
      bool better = chosen < 0 || first ||
                    (axis == Axis::N ? component.dims[tensorOf(Role::X)] < components[chosen].dims[tensorOf(Role::X)]
                                     : extent(number) > extent(chosen));
      if (better)
        chosen = number;
    }
    if (chosen >= 0)
      axes[chosen] = axis;
  }
}

std::optional<std::string> Assignment::addSpatial(int number) {
  const Component &component = components[number];
  int x = tensorOf(Role::X), w = tensorOf(Role::W), y = tensorOf(Role::Y);
  SpatialDim dim;
  dim.in = component.extents[x];
  dim.filter = component.extents[w];
  dim.out = component.extents[y];
  // cx*h + cw*r + cy*p == c0; an index of extent 1 is 0 and its part may go.
  int64_t cx = component.coefficients[x], cw = component.coefficients[w], cy = component.coefficients[y];
  int64_t c0 = component.constant;
  // Without loops: at most one of the three indices is not 0, and its is the only one of that dim.
  if (cx == 0 && cw == 0 && cy == 0) {
    dim.padLow = component.fixed[y] + component.fixed[w] - component.fixed[x];
  } else {
    if (std::abs(cx) != 1) {
      if (dim.in != 1)
        return "no index steps by one where the others step";
      cx = 0;
    }
    if (cx != 0 ? cx < 0 : cy < 0 || (cy == 0 && cw < 0))
      cx = -cx, cw = -cw, cy = -cy, c0 = -c0;
    // With x: h = -cy*p - cw*r + c0. Without: 0 = cy*p + cw*r - c0.
    int64_t stride = cx != 0 ? -cy : cy, dilation = cx != 0 ? -cw : cw, pad = cx != 0 ? -c0 : c0;
    if (stride < 1) {
      if (dim.out != 1)
        return "one tensor is read backwards";
      stride = 1;
    }
    dim.stride = stride;
    dim.flip = dilation < 0;
    dim.dilation = std::max<int64_t>(std::abs(dilation), 1);
    if (dim.filter == 1)
      dim.flip = false, dim.dilation = 1;
    // h = stride*p - dilation*r - pad with r = filter-1-r' is stride*p + dilation*r' - (pad + dilation*(filter-1)).
    dim.padLow = pad + (dim.flip ? dim.dilation * (dim.filter - 1) : 0);
  }
  axes[number] = spatialAxis(static_cast<int>(related.spec.spatial.size()));
  related.spec.spatial.push_back(dim);
  if (related.spec.spatial.size() > 3)
    return "it has more than 3 spatial dims";
  return std::nullopt;
}

void Assignment::layouts() {
  for (int tensor = 0; tensor < 3; ++tensor) {
    Layout &layout = related.spec.layout(roles[tensor]);
    for (int dim = 0; dim < static_cast<int>(dims.size()); ++dim) {
      if (dims[dim].tensor != tensor)
        continue;
      auto component = std::find_if(components.begin(), components.end(),
                                    [&](const Component &each) { return each.dims[tensor] == dim; });
      if (component == components.end() || !axes[component - components.begin()])
        continue;
      layout.push_back(*axes[component - components.begin()]);
      related.sourceDims[tensor].push_back(dims[dim].source);
    }
  }
}

std::optional<std::string> Assignment::run() {
  related.roles = roles;
  related.spec.direction = roles[2] == Role::Y   ? Direction::FProp
                           : roles[2] == Role::X ? Direction::DGrad
                                                 : Direction::WGrad;
  for (int tensor = 0; tensor < 3; ++tensor)
    related.spec.type(roles[tensor]) = types[tensor];
  chooseAxes();
  ConvSpec &spec = related.spec;
  for (int number = 0; number < static_cast<int>(components.size()); ++number) {
    const Component &component = components[number];
    int64_t extent = *std::max_element(component.extents.begin(), component.extents.end());
    if (axes[number]) {
      (axes[number] == Axis::N ? spec.n : axes[number] == Axis::C ? spec.c : spec.k) = extent;
      continue;
    }
    bool everywhere = component.isAxis && component.coefficients == std::array<int64_t, 3>{0, 0, 0};
    if (everywhere && extent > 1) {
      if (spec.groups != 1)
        return "two loops step through all three tensors: more than one group dim";
      spec.groups = extent;
      axes[number] = Axis::G;
      continue;
    }
    bool idle = extent == 1 && component.constant == 0 && component.fixed == std::array<int64_t, 3>{0, 0, 0};
    if (idle)
      continue;
    if (std::optional<std::string> reason = addSpatial(number))
      return reason;
  }
  if (__builtin_mul_overflow(spec.c, spec.groups, &spec.c) || __builtin_mul_overflow(spec.k, spec.groups, &spec.k))
    return "its channels leave 63 bits";
  layouts();
  if (Status status = validate(spec); !status.ok())
    return status.message();
  return std::nullopt;
}

/// What canonicalise() prefers, seen from outside: fewer flips, smaller filters, then the text. Of equals the one that
/// needs the least renaming: a person then reads the words of the canonical form.
auto rank(const Canonical &canonical) {
  int flips = 0, renamed = 0;
  double taps = 1;
  for (int role = 0; role < 3; ++role)
    renamed += static_cast<int>(canonical.views[role].source) != role;
  for (const SpatialDim &dim : canonical.spec.spatial) {
    flips += dim.flip;
    taps *= static_cast<double>(dim.filter);
  }
  return std::tuple(flips, taps, canonical.spec.direction, text(canonical.spec), renamed);
}

} // namespace

OrRefusal<Related> relate(IndexSystem system, std::array<DataType, 3> types, mlir::Location location) {
  std::vector<RootDim> dims;
  for (int tensor = 0; tensor < 3; ++tensor) {
    const Access &access = system.accesses[tensor];
    for (auto [number, dim] : llvm::enumerate(access.dims)) {
      Interval all = {0, access.shape[number] - 1};
      if (access.shape[number] < 1)
        return Refusal{location, "a tensor is empty"};
      // What is masked out must be out of reach: a ConvSpec reads all of a tensor.
      Interval reached = dim.index.range(system.loops).intersect(all);
      if (!dim.present.contains(reached))
        return Refusal{location, "a part of a tensor is masked out"};
      dims.push_back({tensor, static_cast<int>(number), access.shape[number], dim.index});
    }
  }
  for (Interval loop : system.loops)
    if (loop.empty())
      return Refusal{location, "a loop has no iterations"};
  OrRefusal<std::vector<Component>> components = findComponents(system.loops, dims, location);
  if (!components)
    return components.refusal();

  std::optional<Related> best;
  std::optional<decltype(rank(Canonical{}))> bestRank;
  std::string reason;
  constexpr Role X = Role::X, W = Role::W, Y = Role::Y;
  for (Roles roles : {Roles{X, W, Y}, Roles{W, X, Y}, Roles{Y, W, X}, Roles{W, Y, X}, Roles{X, Y, W}, Roles{Y, X, W}}) {
    Assignment assignment(*components, dims, types, roles);
    if (std::optional<std::string> why = assignment.run()) {
      reason = *why;
      continue;
    }
    auto its = rank(canonicalise(assignment.related.spec));
    if (best && !(its < *bestRank))
      continue;
    best = assignment.related;
    bestRank = its;
  }
  if (!best)
    return Refusal{location, "no convolution has these indices: " + reason};
  return *best;
}

} // namespace orzo
