#include "orzo/Spec/ConvSpec.h"

#include <algorithm>

namespace orzo {

/// No count of elements, bytes, positions or operations may be larger: sums of two of them still fit int64_t.
static constexpr int64_t largestCount = int64_t(1) << 62;

static Status violated(const std::string &message) { return Status::invalidArgument(message); }
static std::string number(int64_t value) { return std::to_string(value); }

static Status checkBatch(const ConvSpec &spec) {
  if (spec.n < 0)
    return violated("C1: n must be at least 0; got " + number(spec.n));
  return Status::success();
}

static Status checkChannels(const ConvSpec &spec) {
  for (auto [letter, value] : {std::pair('c', spec.c), std::pair('k', spec.k)})
    if (value < 1)
      return violated(std::string("C2: ") + letter + " must be at least 1; got " + number(value));
  return Status::success();
}

static Status checkGroups(const ConvSpec &spec) {
  if (spec.groups < 1)
    return violated("C3: groups must be at least 1; got " + number(spec.groups));
  return Status::success();
}

static Status checkGroupsDivide(const ConvSpec &spec) {
  for (auto [letter, value] : {std::pair('c', spec.c), std::pair('k', spec.k)})
    if (value % spec.groups != 0)
      return violated("C4: groups must divide c and k; got groups " + number(spec.groups) + " and " + letter + " " +
                      number(value) + "; a multiple of " + number(spec.groups) + " would work");
  return Status::success();
}

static Status checkRank(const ConvSpec &spec) {
  if (spec.rank() > 3)
    return violated("C5: there may be 0 to 3 spatial dims; got " + number(spec.rank()));
  return Status::success();
}

static Status checkExtents(const ConvSpec &spec) {
  for (int i = 0; i < spec.rank(); ++i) {
    const SpatialDim &dim = spec.spatial[i];
    for (auto [role, extent] :
         {std::pair(Role::X, dim.in), std::pair(Role::W, dim.filter), std::pair(Role::Y, dim.out)})
      if (extent < 1)
        return violated("C6: the extent of " + std::string(name(role)) + " along " +
                        letter(role, spatialAxis(i), spec.rank()) + " must be at least 1; got " + number(extent) +
                        (role == Role::Y ? " (the filter must fit into the padded input)" : ""));
  }
  return Status::success();
}

static Status checkSteps(const ConvSpec &spec) {
  for (int i = 0; i < spec.rank(); ++i)
    for (auto [what, value] :
         {std::pair("stride", spec.spatial[i].stride), std::pair("dilation", spec.spatial[i].dilation)})
      if (value < 1)
        return violated(std::string("C7: the ") + what + " along " + letter(Role::X, spatialAxis(i), spec.rank()) +
                        " must be at least 1; got " + number(value));
  return Status::success();
}

static bool contains(const std::vector<Axis> &axes, Axis axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

static std::string lettersOf(const std::vector<Axis> &axes, Role role, int rank) { return text(axes, role, rank); }

static Status checkLayoutAxes(const ConvSpec &spec) {
  for (Role role : {Role::X, Role::W, Role::Y}) {
    std::vector<Axis> known = axesOf(role, spec.rank());
    for (size_t i = 0; i < spec.layout(role).size(); ++i)
      if (!contains(known, spec.layout(role)[i]))
        return violated("C8: the layout of " + std::string(name(role)) + " has an axis that " +
                        std::string(name(role)) + " does not have, at position " + number(int64_t(i)) +
                        "; it may have " + lettersOf(known, role, spec.rank()));
  }
  return Status::success();
}

static Status checkLayoutOnce(const ConvSpec &spec) {
  for (Role role : {Role::X, Role::W, Role::Y}) {
    const Layout &layout = spec.layout(role);
    for (auto axis = layout.begin(); axis != layout.end(); ++axis)
      if (std::find(axis + 1, layout.end(), *axis) != layout.end())
        return violated("C9: the layout of " + std::string(name(role)) + " must have each letter once; got '" +
                        text(layout, role, spec.rank()) + "', which has '" + letter(role, *axis, spec.rank()) +
                        "' twice");
  }
  return Status::success();
}

static Status checkLayoutComplete(const ConvSpec &spec) {
  for (Role role : {Role::X, Role::W, Role::Y})
    for (Axis axis : axesOf(role, spec.rank()))
      if (spec.extent(role, axis) != 1 && !contains(spec.layout(role), axis))
        return violated("C10: the layout of " + std::string(name(role)) + " lacks '" + letter(role, axis, spec.rank()) +
                        "', whose extent is " + number(spec.extent(role, axis)) + "; got '" +
                        text(spec.layout(role), role, spec.rank()) + "'; only letters of extent 1 may be left out");
  return Status::success();
}

static Status checkOperandTypes(const ConvSpec &spec) {
  auto [first, second] = operandRoles(spec.direction);
  if (spec.type(first) != spec.type(second))
    return violated("C11: the operands of " + std::string(name(spec.direction)) + " must have one element type; got " +
                    std::string(name(first)) + " " + std::string(name(spec.type(first))) + " and " +
                    std::string(name(second)) + " " + std::string(name(spec.type(second))));
  return Status::success();
}

static Status checkAccumulate(const ConvSpec &spec) {
  if (spec.accumulate != DataType::F32)
    return violated("C12: the accumulate type must be f32; got " + std::string(name(spec.accumulate)));
  return Status::success();
}

/// Multiplies `product` by `factor`; false where the result would be larger than largestCount. An extent of 0 counts
/// as 1: the strides of an empty tensor are still computed.
static bool multiply(int64_t &product, int64_t factor) {
  return !__builtin_mul_overflow(product, std::max<int64_t>(factor, 1), &product) && product <= largestCount;
}

static Status checkTensorSizes(const ConvSpec &spec) {
  for (Role role : {Role::X, Role::W, Role::Y}) {
    int64_t bytes = int64_t(byteSize(spec.type(role)));
    bool fits = true;
    for (Axis axis : axesOf(role, spec.rank()))
      fits = fits && multiply(bytes, spec.extent(role, axis));
    if (!fits)
      return violated("C13: " + std::string(name(role)) +
                      " must have at most 2^62 bytes; its extents multiply to more");
  }
  return Status::success();
}

/// Bounds every position that index arithmetic meets in any member of the problem's orbit: with i = in-1, s =
/// (out-1)*stride, d = (filter-1)*dilation, the orbit's values of padLow are padLow, padHigh, d - padLow, s - padLow,
/// d - padHigh and s - padHigh, and i, s, d change places. So the bound is the same for each spelling of a problem.
static Status checkPositions(const ConvSpec &spec) {
  using Wide = __int128;
  for (int index = 0; index < spec.rank(); ++index) {
    const SpatialDim &dim = spec.spatial[index];
    Wide s = Wide(dim.out - 1) * dim.stride, d = Wide(dim.filter - 1) * dim.dilation;
    Wide low = dim.padLow, high = s + d + 1 - dim.in - low;
    Wide reach = 0;
    for (Wide pad : {low, high, d - low, s - low, d - high, s - high})
      reach = std::max(reach, pad < 0 ? -pad : pad);
    reach += Wide(dim.in) + std::max<Wide>(s, dim.stride) + std::max<Wide>(d, dim.dilation);
    if (reach > largestCount)
      return violated("C14: positions along " + std::string(1, letter(Role::X, spatialAxis(index), spec.rank())) +
                      " must stay within 2^62; got in " + number(dim.in) + ", filter " + number(dim.filter) + ", out " +
                      number(dim.out) + ", stride " + number(dim.stride) + ", dilation " + number(dim.dilation) +
                      ", padLow " + number(dim.padLow));
  }
  return Status::success();
}

static Status checkWork(const ConvSpec &spec) {
  int64_t flops = 2;
  bool fits = multiply(flops, spec.n) && multiply(flops, spec.c / spec.groups) && multiply(flops, spec.k);
  for (const SpatialDim &dim : spec.spatial) {
    int64_t visits = spec.direction == Direction::DGrad ? (dim.in - 1) / dim.stride + 1 : dim.out;
    fits = fits && multiply(flops, visits) && multiply(flops, dim.filter);
  }
  if (!fits)
    return violated("C15: the problem must have at most 2^62 floating-point operations; its extents multiply to more");
  return Status::success();
}

Status validate(const ConvSpec &spec) {
  // In order of number; each may rely on those before it.
  for (auto check : {checkBatch, checkChannels, checkGroups, checkGroupsDivide, checkRank, checkExtents, checkSteps,
                     checkLayoutAxes, checkLayoutOnce, checkLayoutComplete, checkOperandTypes, checkAccumulate,
                     checkTensorSizes, checkPositions, checkWork})
    if (Status status = check(spec); !status.ok())
      return status;
  return Status::success();
}

} // namespace orzo
