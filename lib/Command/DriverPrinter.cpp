#include "Command/ConvLayout.h"
#include "Command/DriverCommand.h"

#include <algorithm>

namespace orzo {

static std::string suffix(DataType type) {
  return type == DataType::F32 ? "" : type == DataType::F16 ? "fp16" : "bfp16";
}

static Status requireOneType(const ConvSpec &spec) {
  DataType type = spec.type(Role::X);
  if (spec.type(Role::W) != type || spec.type(Role::Y) != type)
    return Status::unsupported("a driver command has one element type for all tensors; x, w and y have " +
                               std::string(name(type)) + ", " + std::string(name(spec.type(Role::W))) + " and " +
                               std::string(name(spec.type(Role::Y))));
  return Status::success();
}

/// MIOpen has no padHigh: its output extent follows from -p by rounding down.
static Status requireSymmetric(const SpatialDim &dim) {
  if (dim.flip && dim.filter > 1)
    return Status::unsupported("a driver command has no flipped filter");
  int64_t padded = dim.in + 2 * dim.padLow, span = dim.dilation * (dim.filter - 1) + 1;
  bool symmetric = dim.padLow >= 0 && padded >= span && (padded - span) / dim.stride + 1 == dim.out;
  if (!symmetric)
    return Status::unsupported("a driver command has one padding for both sides; none gives in " +
                               std::to_string(dim.in) + ", filter " + std::to_string(dim.filter) + ", out " +
                               std::to_string(dim.out) + ", stride " + std::to_string(dim.stride) + ", dilation " +
                               std::to_string(dim.dilation) + ", padLow " + std::to_string(dim.padLow) + ", padHigh " +
                               std::to_string(dim.padHigh()));
  return Status::success();
}

/// The axes of `role` longer than 1, in memory order.
static Layout longAxes(const ConvSpec &spec, Role role) {
  Layout axes;
  for (Axis axis : spec.layout(role))
    if (spec.extent(role, axis) != 1)
      axes.push_back(axis);
  return axes;
}

static Expected<std::string> printGemm(const ConvSpec &spec) {
  Layout outer[3];
  for (Role role : {Role::X, Role::W, Role::Y}) {
    Layout axes = longAxes(spec, role);
    if (spec.groups > 1 && axes.front() == Axis::G)
      axes.erase(axes.begin());
    else if (spec.groups > 1)
      return Status::unsupported("layout " + text(spec.layout(role), role, 0) + " of " + std::string(name(role)) +
                                 ": a gemm command has its batch outermost");
    outer[static_cast<int>(role)] = axes;
  }
  auto isOrder = [&](Role role, Axis first) {
    const Layout &axes = outer[static_cast<int>(role)];
    return axes.size() < 2 || axes.front() == first;
  };
  bool colMajor = !isOrder(Role::Y, Axis::N);
  bool transA = isOrder(Role::X, Axis::N) == colMajor && outer[0].size() == 2;
  bool transB = isOrder(Role::W, Axis::C) == colMajor && outer[1].size() == 2;
  std::string command = "gemm" + suffix(spec.type(Role::X)) + " -m " + std::to_string(spec.n) + " -n " +
                        std::to_string(spec.k / spec.groups) + " -k " + std::to_string(spec.c / spec.groups);
  if (spec.groups > 1)
    command += " -b " + std::to_string(spec.groups);
  if (colMajor)
    command += " -C 1";
  if (transA)
    command += " -u 1";
  if (transB)
    command += " -v 1";
  return command + " -F 1 -t 1";
}

Expected<std::string> printDriverCommand(const ConvSpec &spec) {
  if (Status status = requireOneType(spec); !status.ok())
    return status;
  if (spec.rank() == 0 && spec.direction == Direction::FProp)
    return printGemm(spec);
  std::vector<SpatialDim> dims = spec.spatial;
  for (const SpatialDim &dim : dims)
    if (Status status = requireSymmetric(dim); !status.ok())
      return status;
  dims.insert(dims.begin(), std::max(0, 2 - spec.rank()), SpatialDim{});
  int rank = static_cast<int>(dims.size());
  std::string layouts[3];
  for (Role role : {Role::X, Role::W, Role::Y}) {
    auto letters = driverLayout(spec, role, rank);
    if (!letters)
      return letters;
    layouts[static_cast<int>(role)] = letters.take();
  }

  std::string command = "conv" + suffix(spec.type(Role::X));
  auto flag = [&](std::string_view spelling, const std::string &value) {
    command += " " + std::string(spelling) + " " + value;
  };
  // The flags of one quantity, depth first: --in_d, -H, -W.
  auto each = [&](std::string_view depth, std::string_view height, std::string_view width, int64_t SpatialDim::*field) {
    std::string_view spelling[] = {depth, height, width};
    for (int index = 0; index < rank; ++index)
      flag(spelling[index + 3 - rank], std::to_string(dims[index].*field));
  };
  flag("-n", std::to_string(spec.n));
  flag("-c", std::to_string(spec.c));
  each("--in_d", "-H", "-W", &SpatialDim::in);
  flag("-k", std::to_string(spec.k));
  each("--fil_d", "-y", "-x", &SpatialDim::filter);
  each("--pad_d", "-p", "-q", &SpatialDim::padLow);
  each("--conv_stride_d", "-u", "-v", &SpatialDim::stride);
  each("--dilation_d", "-l", "-j", &SpatialDim::dilation);
  if (rank == 3)
    flag("--spatial_dim", "3");
  if (std::any_of(std::begin(layouts), std::end(layouts),
                  [&](const auto &one) { return one != defaultLayout(rank); })) {
    flag("--in_layout", layouts[0]);
    flag("--fil_layout", layouts[1]);
    flag("--out_layout", layouts[2]);
  }
  flag("-m", "conv");
  flag("-g", std::to_string(spec.groups));
  flag("-F", spec.direction == Direction::FProp ? "1" : spec.direction == Direction::DGrad ? "2" : "4");
  flag("-t", "1");
  return command;
}

} // namespace orzo
