#include "Command/ConvCommand.h"

#include "Command/ConvLayout.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace orzo {

namespace {
/// The flags of one spatial dim.
struct DimFlags {
  std::string_view name;
  Flag in, filter, stride, pad, dilation, outPad;
};

/// One spatial dim as written; in and out are the command's, whichever way the relation is read.
struct WrittenDim {
  int64_t in, filter, stride, pad, dilation, outPad;
};
} // namespace

static constexpr std::array<DimFlags, 3> dimFlags = {{
    {"depth", Flag::InD, Flag::FilD, Flag::StrideD, Flag::PadD, Flag::DilationD, Flag::OutPadD},
    {"height", Flag::InH, Flag::FilH, Flag::StrideH, Flag::PadH, Flag::DilationH, Flag::OutPadH},
    {"width", Flag::InW, Flag::FilW, Flag::StrideW, Flag::PadW, Flag::DilationW, Flag::OutPadW},
}};

/// The flags of a problem's dims: height in 1-D; height and width in 2-D; all in 3-D.
static std::span<const DimFlags> flagsOfRank(int rank) { return std::span(dimFlags).subspan(rank == 3 ? 0 : 1, rank); }

static Expected<int> readRank(const FlagValues &values, NoteList &notes) {
  auto written = values.integer(Flag::SpatialDim);
  if (!written)
    return written.status();
  if (values.dialect() == Dialect::Boo)
    for (Flag flag : {Flag::InLayout, Flag::FilLayout, Flag::OutLayout}) {
      if (!values.written(flag))
        continue;
      int rank = rankOfLayout(*values.word(flag));
      if (rank < 1 || rank > 3)
        return Status::invalidArgument(values.described(flag) + ": a layout has 3, 4 or 5 letters, e.g. NCHW");
      if (values.written(Flag::SpatialDim) && *written != rank)
        notes.noEffect(values.spelling(Flag::SpatialDim), "the layouts say " + std::to_string(rank) + " spatial dims");
      return rank;
    }
  if (*written < 1 || *written > 3)
    return Status::invalidArgument(values.described(Flag::SpatialDim) + ": spatial dims must be 1, 2 or 3");
  return static_cast<int>(*written);
}

/// Reads `flag` into `place`, which keeps its value on failure.
static Status read(const FlagValues &values, Flag flag, int64_t least, int64_t &place) {
  auto value = values.size(flag, least);
  if (value)
    place = *value;
  return value.status();
}

static Expected<WrittenDim> readDim(const FlagValues &values, const DimFlags &flags, bool transposed) {
  WrittenDim dim{1, 1, 1, 0, 1, 0};
  struct Field {
    Flag flag;
    int64_t least;
    int64_t &place;
  } fields[] = {{flags.in, 1, dim.in},   {flags.filter, 1, dim.filter},     {flags.stride, 1, dim.stride},
                {flags.pad, 0, dim.pad}, {flags.dilation, 1, dim.dilation}, {flags.outPad, 0, dim.outPad}};
  for (const Field &field : fields)
    if (Status status = read(values, field.flag, field.least, field.place); !status.ok())
      return status;
  if (transposed && dim.outPad >= dim.stride)
    return Status::invalidArgument(values.described(flags.outPad) + ": output padding must be less than the stride, " +
                                   values.described(flags.stride));
  if (!transposed)
    dim.outPad = 0;
  return dim;
}

/// pad_mode: replaces the paddings of `dims` by rule.
static Status applyPadMode(const FlagValues &values, std::vector<WrittenDim> &dims, bool transposed, NoteList &notes) {
  auto mode = values.word(Flag::PadMode);
  if (!mode)
    return mode.status();
  std::transform(mode->begin(), mode->end(), mode->begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (*mode == "default")
    return Status::success();
  if (*mode != "same" && *mode != "valid")
    return Status::invalidArgument(values.described(Flag::PadMode) + ": padding mode must be same, valid or default");
  auto all = [&](auto one) { return std::all_of(dims.begin(), dims.end(), one); };
  if (transposed || (!all([](const WrittenDim &dim) { return dim.dilation == 1; }) &&
                     !all([](const WrittenDim &dim) { return dim.filter == 1; }))) {
    notes.noEffect(values.described(Flag::PadMode),
                   transposed ? "it does not apply to -m trans" : "it does not apply to dilated filters");
    return Status::success();
  }
  for (WrittenDim &dim : dims) {
    int64_t rest = dim.in % dim.stride;
    dim.pad = *mode == "valid" ? 0 : std::max<int64_t>(dim.filter - (rest ? rest : dim.stride), 0) / 2;
  }
  for (const DimFlags &flags : flagsOfRank(static_cast<int>(dims.size())))
    if (values.written(flags.pad))
      notes.noEffect(values.spelling(flags.pad), values.described(Flag::PadMode) + " sets the padding");
  return Status::success();
}

/// The relation of one dim, or InvalidArgument where it has no output.
static Expected<SpatialDim> relation(const FlagValues &values, const DimFlags &flags, const WrittenDim &dim,
                                     bool transposed) {
  // 128 bits: every factor may be 2^31.
  __int128 span = static_cast<__int128>(dim.dilation) * (dim.filter - 1) + 1;
  auto number = [](__int128 value) { return std::to_string(static_cast<int64_t>(value)); };
  std::string along =
      "along " + std::string(flags.name) + " (" + values.described(flags.in) + ", " + values.described(flags.filter);
  for (Flag flag : {flags.stride, flags.pad, flags.dilation, flags.outPad})
    if (values.written(flag))
      along += ", " + values.described(flag);
  along += "): ";
  SpatialDim result{.filter = dim.filter, .stride = dim.stride, .dilation = dim.dilation, .padLow = dim.pad};
  if (transposed) {
    __int128 out = static_cast<__int128>(dim.in - 1) * dim.stride + span - 2 * dim.pad + dim.outPad;
    if (out < 1 || out > largestSize)
      return Status::invalidArgument(along + "the transposed convolution's output would have " +
                                     (out < 1 ? number(out) : "more than " + std::to_string(largestSize)) +
                                     " elements, (in-1)*stride + dilation*(filter-1) + 1 - 2*pad + output padding");
    result.in = static_cast<int64_t>(out);
    result.out = dim.in;
    return result;
  }
  __int128 padded = static_cast<__int128>(dim.in) + 2 * dim.pad;
  if (span > padded)
    return Status::invalidArgument(along + "filter larger than padded input: dilation*(filter-1)+1 = " + number(span) +
                                   ", in+2*pad = " + number(padded));
  result.in = dim.in;
  result.out = static_cast<int64_t>((padded - span) / dim.stride) + 1;
  return result;
}

static Expected<std::vector<SpatialDim>> readSpatial(const FlagValues &values, int rank, bool transposed,
                                                     NoteList &notes) {
  std::vector<WrittenDim> dims;
  for (const DimFlags &flags : flagsOfRank(rank)) {
    auto dim = readDim(values, flags, transposed);
    if (!dim)
      return dim.status();
    dims.push_back(*dim);
  }
  if (Status status = applyPadMode(values, dims, transposed, notes); !status.ok())
    return status;
  std::vector<SpatialDim> spatial;
  for (size_t index = 0; index < dims.size(); ++index) {
    auto dim = relation(values, flagsOfRank(rank)[index], dims[index], transposed);
    if (!dim)
      return dim.status();
    spatial.push_back(*dim);
  }
  return spatial;
}

/// Flags of dims the problem does not have, and output padding without -m trans.
static void noteUnusedDims(const FlagValues &values, int rank, bool transposed, NoteList &notes) {
  std::span<const DimFlags> used = flagsOfRank(rank);
  for (const DimFlags &flags : dimFlags) {
    bool inUse = std::any_of(used.begin(), used.end(), [&](const DimFlags &one) { return one.in == flags.in; });
    std::string why = "the problem is " + std::to_string(rank) + "-D";
    for (Flag flag : {flags.in, flags.filter, flags.stride, flags.pad, flags.dilation, flags.outPad})
      if (!inUse && values.written(flag))
        notes.noEffect(values.spelling(flag), why);
    if (inUse && !transposed && values.written(flags.outPad))
      notes.noEffect(values.spelling(flags.outPad), "output padding belongs to -m trans");
  }
}

/// What is legal in the drivers but not computed here.
static Status refuseUnsupported(const FlagValues &values) {
  auto bias = values.word(Flag::Bias);
  if (!bias)
    return bias.status();
  bool asFlag = values.dialect() == Dialect::Fusilli && values.written(Flag::Bias);
  if (asFlag || (!bias->empty() && *bias != "0"))
    return Status::unsupported(values.described(Flag::Bias) + ": bias comes with the graph API; without it use " +
                               (asFlag ? "the command without " + values.spelling(Flag::Bias) : "-b 0"));
  auto vector = values.integer(Flag::TensorVect);
  if (!vector)
    return vector.status();
  if (*vector != 0)
    return Status::unsupported(values.described(Flag::TensorVect) + ": vectorised layouts are not supported; -Z 0 is");
  for (Flag flag : {Flag::InCast, Flag::WeiCast, Flag::OutCast})
    if (auto cast = values.word(flag); cast && !cast->empty() && *cast != "-1")
      return Status::unsupported(values.described(flag) + ": casts before or after computing are not supported; -1 " +
                                 "(none) is");
  return Status::success();
}

static Expected<DataType> readType(const FlagValues &values) {
  bool fp16 = values.written(Flag::Fp16), bf16 = values.written(Flag::Bf16);
  if (fp16 && bf16)
    return Status::invalidArgument("--fp16 and --bf16 exclude each other");
  return fp16 ? DataType::F16 : bf16 ? DataType::BF16 : values.base().type;
}

/// The -F mask: bits 1, 2, 4.
static Expected<int> readMask(const FlagValues &values) {
  auto mask = values.integer(Flag::Forw);
  if (!mask)
    return mask.status();
  std::string got = values.described(Flag::Forw);
  switch (values.dialect()) {
  case Dialect::MIOpen:
    if (*mask < 0 || *mask > 7)
      return Status::invalidArgument(got + ": directions are a sum of 1 (forward), 2 (backward data) and 4 (backward "
                                           "weights); 0 is all three");
    return *mask == 0 ? 7 : static_cast<int>(*mask);
  case Dialect::Boo:
    if (*mask == 1 || *mask == 2 || *mask == 4 || *mask == 6)
      return static_cast<int>(*mask);
    if (*mask >= 7 && *mask <= 10)
      return Status::unsupported(got +
                                 ": this iree-boo-driver mode computes a bias gradient, which comes with the graph "
                                 "API; 1, 2, 4 and 6 work here");
    if (*mask == 0 || *mask == 3 || *mask == 5)
      return Status::unsupported(got + ": iree-boo-driver has no such mode; 1, 2, 4 and 6 work, and as a command of "
                                       "MIOpenDriver every sum of 1, 2 and 4");
    return Status::invalidArgument(got + ": iree-boo-driver's modes are 1 (forward), 2 (input gradient), 4 (weight "
                                         "gradient) and 6 (both)");
  case Dialect::Fusilli:
    break;
  }
  if (*mask != 1 && *mask != 2 && *mask != 4)
    return Status::invalidArgument(got + ": must be 1 (forward), 2 (data gradient) or 4 (weight gradient)");
  return static_cast<int>(*mask);
}

static Status readLayouts(const FlagValues &values, bool transposed, ConvSpec &spec) {
  struct Entry {
    Flag flag;
    DriverTensor tensor;
    Role role;
  };
  for (Entry entry : {Entry{Flag::InLayout, DriverTensor::Input, transposed ? Role::Y : Role::X},
                      Entry{Flag::FilLayout, DriverTensor::Filter, Role::W},
                      Entry{Flag::OutLayout, DriverTensor::Output, transposed ? Role::X : Role::Y}}) {
    auto letters = values.word(entry.flag);
    if (!letters)
      return letters.status();
    if (!values.written(entry.flag))
      *letters = defaultLayout(spec.rank());
    auto layout = parseDriverLayout(*letters, entry.tensor, entry.role, spec.rank(), spec.groups > 1);
    if (!layout)
      return layout.status().within(values.written(entry.flag)
                                        ? values.spelling(entry.flag)
                                        : rowOf(entry.flag, values.dialect(), Family::Conv).spelling());
    spec.layout(entry.role) = layout.take();
  }
  return Status::success();
}

static Status readChannels(const FlagValues &values, bool transposed, ConvSpec &spec) {
  int64_t &in = transposed ? spec.k : spec.c;
  int64_t &out = transposed ? spec.c : spec.k;
  struct Field {
    Flag flag;
    int64_t least;
    int64_t &place;
  } fields[] = {
      {Flag::Batch, 0, spec.n}, {Flag::InChannels, 1, in}, {Flag::OutChannels, 1, out}, {Flag::Groups, 1, spec.groups}};
  for (const Field &field : fields)
    if (Status status = read(values, field.flag, field.least, field.place); !status.ok())
      return status;
  for (Flag flag : {Flag::InChannels, Flag::OutChannels})
    if (*values.integer(flag) % spec.groups != 0)
      return Status::invalidArgument(values.described(flag) + ": " +
                                     std::string(rowOf(flag, values.dialect(), Family::Conv).meaning) +
                                     " must be divisible by the groups, " + values.described(Flag::Groups));
  return Status::success();
}

Expected<std::vector<DriverProblem>> convProblems(const FlagValues &values, NoteList &notes) {
  if (Status status = refuseUnsupported(values); !status.ok())
    return status;
  auto mode = values.word(Flag::Mode);
  if (!mode)
    return mode.status();
  if (*mode != "conv" && *mode != "trans")
    return Status::invalidArgument(values.described(Flag::Mode) + ": mode must be conv or trans");
  bool transposed = *mode == "trans";
  auto mask = readMask(values);
  if (!mask)
    return mask.status();
  auto type = readType(values);
  if (!type)
    return type.status();
  auto rank = readRank(values, notes);
  if (!rank)
    return rank.status();
  auto spatial = readSpatial(values, *rank, transposed, notes);
  if (!spatial)
    return spatial.status();
  noteUnusedDims(values, *rank, transposed, notes);

  ConvSpec spec;
  spec.spatial = spatial.take();
  spec.types = {*type, *type, *type};
  if (Status status = readChannels(values, transposed, spec); !status.ok())
    return status;
  if (Status status = readLayouts(values, transposed, spec); !status.ok())
    return status;

  static constexpr std::array<Direction, 3> plain = {Direction::FProp, Direction::DGrad, Direction::WGrad};
  static constexpr std::array<Direction, 3> backwards = {Direction::DGrad, Direction::FProp, Direction::WGrad};
  std::vector<DriverProblem> problems;
  for (int index = 0; index < 3; ++index) {
    if (!(*mask & (1 << index)))
      continue;
    DriverProblem problem{spec, std::string(name(plain[index])), 1 << index};
    problem.spec.direction = (transposed ? backwards : plain)[index];
    if (transposed)
      problem.label = "trans " + problem.label;
    problems.push_back(std::move(problem));
  }
  return problems;
}

} // namespace orzo
