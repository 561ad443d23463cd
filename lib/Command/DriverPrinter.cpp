#include "Command/ConvLayout.h"
#include "Command/DriverCommand.h"
#include "Command/FlagTable.h"

#include <algorithm>
#include <cctype>

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

/// "-n", "--in_d": the letter where it is one that needs no quoting, else the name; layouts by name, as logs have them.
static std::string spelling(Flag flag, Dialect dialect, Family family) {
  const FlagRow &row = rowOf(flag, dialect, family);
  bool isLayout = flag == Flag::InLayout || flag == Flag::FilLayout || flag == Flag::OutLayout;
  bool hasLetter = row.letter && std::isalnum(static_cast<unsigned char>(row.letter)) && !isLayout;
  return hasLetter ? std::string("-") + row.letter : "--" + std::string(row.name);
}

/// The program's name and a blank, for those that need it to be known by.
static std::string program(Dialect dialect) {
  return dialect == Dialect::MIOpen ? "" : std::string(programName(dialect)) + " ";
}

static std::string directionMask(Direction direction) {
  return direction == Direction::FProp ? "1" : direction == Direction::DGrad ? "2" : "4";
}

static Expected<std::string> printGemm(const ConvSpec &spec, Dialect dialect) {
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
  bool lacksFlag = dialect == Dialect::Boo && (colMajor || spec.groups > 1);
  if (lacksFlag)
    return Status::unsupported(std::string(programName(dialect)) + "'s gemm has no batch and no column-major order");
  std::string command = program(dialect) + "gemm" + suffix(spec.type(Role::X));
  auto flag = [&](Flag which, int64_t value) {
    command += " " + spelling(which, dialect, Family::Gemm) + " " + std::to_string(value);
  };
  flag(Flag::GemmM, spec.n);
  flag(Flag::GemmN, spec.k / spec.groups);
  flag(Flag::GemmK, spec.c / spec.groups);
  if (spec.groups > 1)
    flag(Flag::GemmBatch, spec.groups);
  if (colMajor)
    flag(Flag::ColMajor, 1);
  if (transA)
    flag(Flag::TransA, 1);
  if (transB)
    flag(Flag::TransB, 1);
  return command + " -F 1 -t 1";
}

Expected<std::string> printDriverCommand(const ConvSpec &spec, Dialect dialect) {
  if (Status status = requireOneType(spec); !status.ok())
    return status;
  if (spec.rank() == 0 && spec.direction == Direction::FProp && dialect != Dialect::Fusilli)
    if (Expected<std::string> gemm = printGemm(spec, dialect); gemm || dialect == Dialect::MIOpen)
      return gemm;
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

  bool typeIsFlag = dialect == Dialect::Fusilli;
  DataType type = spec.type(Role::X);
  std::string command = program(dialect) + "conv" + (typeIsFlag ? "" : suffix(type));
  if (typeIsFlag && type != DataType::F32)
    command += type == DataType::F16 ? " --fp16" : " --bf16";
  auto flag = [&](Flag which, const std::string &value) {
    command += " " + spelling(which, dialect, Family::Conv) + " " + value;
  };
  // The flags of one quantity, depth first.
  auto each = [&](Flag depth, Flag height, Flag width, int64_t SpatialDim::*field) {
    Flag flags[] = {depth, height, width};
    for (int index = 0; index < rank; ++index)
      flag(flags[index + 3 - rank], std::to_string(dims[index].*field));
  };
  // A program without defaults wants everything said.
  bool saysAll = dialect == Dialect::Fusilli;
  flag(Flag::Batch, std::to_string(spec.n));
  flag(Flag::InChannels, std::to_string(spec.c));
  each(Flag::InD, Flag::InH, Flag::InW, &SpatialDim::in);
  flag(Flag::OutChannels, std::to_string(spec.k));
  each(Flag::FilD, Flag::FilH, Flag::FilW, &SpatialDim::filter);
  each(Flag::PadD, Flag::PadH, Flag::PadW, &SpatialDim::padLow);
  each(Flag::StrideD, Flag::StrideH, Flag::StrideW, &SpatialDim::stride);
  each(Flag::DilationD, Flag::DilationH, Flag::DilationW, &SpatialDim::dilation);
  if (rank == 3 || saysAll)
    flag(Flag::SpatialDim, std::to_string(rank));
  if (saysAll || std::any_of(std::begin(layouts), std::end(layouts),
                             [&](const auto &one) { return one != defaultLayout(rank); })) {
    flag(Flag::InLayout, layouts[0]);
    flag(Flag::FilLayout, layouts[1]);
    flag(Flag::OutLayout, layouts[2]);
  }
  if (rowOf(Flag::Mode, dialect, Family::Conv).isIn(dialect, Family::Conv))
    flag(Flag::Mode, "conv");
  flag(Flag::Groups, std::to_string(spec.groups));
  flag(Flag::Forw, directionMask(spec.direction));
  if (saysAll)
    flag(Flag::Iter, "10");
  else
    command += " -t 1";
  return command;
}

} // namespace orzo
