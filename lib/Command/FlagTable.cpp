#include "Command/FlagTable.h"

#include <vector>

namespace orzo {

using Defaults = std::array<const char *, 3>;

static constexpr Defaults everywhere(const char *value) { return {value, value, value}; }
static constexpr Defaults miopenBoo(const char *miopen, const char *boo) { return {miopen, boo, nullptr}; }
static constexpr Defaults miopen(const char *value) { return {value, nullptr, nullptr}; }
static constexpr Defaults boo(const char *value) { return {nullptr, value, nullptr}; }
static constexpr Defaults fusilli(const char *value) { return {nullptr, nullptr, value}; }
/// A default of MIOpen and BOO; Fusilli insists on the flag.
static constexpr Defaults shared(const char *value) { return {value, value, required.data()}; }

static constexpr std::string_view ownTimer = "orzo always times";
static constexpr std::string_view ownPlan = "orzo chooses its own kernel; see orzo tune and --force-lowering";
static constexpr std::string_view ownData = "data are generated; see --data and --seed";
static constexpr std::string_view ownCheck = "verification is orzo's own; see --verify";
static constexpr std::string_view ownPoison = "outputs always start as NaN, between guard pages";
static constexpr std::string_view ownReport = "the report is orzo's own; see --format and --quiet";
static constexpr std::string_view ownDevice = "the device is orzo's; see --target";

std::span<const FlagRow> flagTable() {
  using enum ValueKind;
  using enum Effect;
  constexpr std::optional<Family> conv = Family::Conv, gemm = Family::Gemm, any = std::nullopt;
  static const std::vector<FlagRow> table = {
      // The problem: convolution.
      {Flag::Forw, 'F', "forw", "", conv, Integer, miopenBoo("0", "1"),
       "directions: 1 forward, 2 backward data, 4 backward weights", Used,
       "MIOpen: a mask, 0 is all; BOO: 1, 2, 4 or 6 (its 7 to 10 need a bias gradient)"},
      {Flag::Forw, 'F', "mode", "", conv, Integer, fusilli("1"),
       "direction: 1 forward, 2 data gradient or 4 weight gradient", Used, ""},
      {Flag::SpatialDim, '_', "spatial_dim", "", conv, Integer, shared("2"), "spatial dims", Used,
       "1, 2 or 3; in BOO the length of the layouts overrides it"},
      {Flag::Batch, 'n', "batchsize", "", conv, Integer, shared("100"), "batch N", Used, "0 is legal"},
      {Flag::InChannels, 'c', "in_channels", "", conv, Integer, shared("3"), "input channels C of all groups", Used,
       ""},
      {Flag::InD, '!', "in_d", "", conv, Integer, shared("32"), "input depth D", Used, "3-D only"},
      {Flag::InH, 'H', "in_h", "", conv, Integer, shared("32"), "input height H", Used, "the extent in 1-D"},
      {Flag::InW, 'W', "in_w", "", conv, Integer, shared("32"), "input width W", Used, ""},
      {Flag::OutChannels, 'k', "out_channels", "", conv, Integer, shared("32"), "output channels K of all groups", Used,
       ""},
      {Flag::FilD, '@', "fil_d", "", conv, Integer, shared("3"), "filter depth Z", Used, "3-D only"},
      {Flag::FilH, 'y', "fil_h", "", conv, Integer, shared("3"), "filter height Y", Used, ""},
      {Flag::FilW, 'x', "fil_w", "", conv, Integer, shared("3"), "filter width X", Used, ""},
      {Flag::StrideD, '#', "conv_stride_d", "", conv, Integer, shared("1"), "stride in depth", Used, "3-D only"},
      {Flag::StrideH, 'u', "conv_stride_h", "", conv, Integer, shared("1"), "stride in height", Used, ""},
      {Flag::StrideW, 'v', "conv_stride_w", "", conv, Integer, shared("1"), "stride in width", Used, ""},
      {Flag::PadD, '$', "pad_d", "", conv, Integer, shared("0"), "zero padding in depth, on both sides", Used,
       "3-D only"},
      {Flag::PadH, 'p', "pad_h", "", conv, Integer, shared("0"), "zero padding in height, on both sides", Used, ""},
      {Flag::PadW, 'q', "pad_w", "", conv, Integer, shared("0"), "zero padding in width, on both sides", Used, ""},
      {Flag::PadMode, 'z', "pad_mode", "", conv, Word, miopen("default"),
       "same, valid or default: padding by rule instead of by flag", Used,
       "same: max(Y - (H % u ? H % u : u), 0) / 2; valid: 0; only for -m conv with dilation 1 or a 1x1 filter"},
      {Flag::DilationD, '^', "dilation_d", "", conv, Integer, shared("1"), "filter dilation in depth", Used,
       "3-D only"},
      {Flag::DilationH, 'l', "dilation_h", "", conv, Integer, shared("1"), "filter dilation in height", Used, ""},
      {Flag::DilationW, 'j', "dilation_w", "", conv, Integer, shared("1"), "filter dilation in width", Used, ""},
      {Flag::OutPadD, '%', "trans_output_pad_d", "", conv, Integer, miopenBoo("0", "0"), "output padding in depth",
       Used, "-m trans in 3-D only; less than the stride"},
      {Flag::OutPadH, 'Y', "trans_output_pad_h", "", conv, Integer, miopenBoo("0", "0"), "output padding in height",
       Used, "-m trans only; less than the stride"},
      {Flag::OutPadW, 'X', "trans_output_pad_w", "", conv, Integer, miopenBoo("0", "0"), "output padding in width",
       Used, "-m trans only; less than the stride"},
      {Flag::Mode, 'm', "mode", "", conv, Word, miopenBoo("conv", "conv"), "conv or trans (transposed convolution)",
       Used, "trans: the filter is C, K/g, Y, X"},
      {Flag::Groups, 'g', "group_count", "", conv, Integer, everywhere("1"), "groups", Used, "they divide C and K"},
      {Flag::Bias, 'b', "bias", "", conv, Word, miopenBoo("", "0"), "1 adds a bias", Used,
       "1 is not supported yet: bias comes with the graph API"},
      {Flag::Bias, 'b', "bias", "", conv, None, fusilli(""), "adds a bias", Used,
       "not supported yet: bias comes with the graph API"},
      {Flag::InLayout, 'I', "in_layout", "", conv, Word, shared("NCHW"), "dimension order of the input", Used,
       "any order of N C D H W, either case; NCDHW by default in 3-D, NCH in 1-D"},
      {Flag::FilLayout, 'f', "fil_layout", "", conv, Word, shared("NCHW"), "dimension order of the filter", Used,
       "N (or K) is K, C is C/g, D H W (or T R S, Z Y X) the taps"},
      {Flag::OutLayout, 'O', "out_layout", "", conv, Word, shared("NCHW"), "dimension order of the output", Used,
       "C (or K) is K; D H W (or Z P Q)"},
      {Flag::TensorVect, 'Z', "tensor_vect", "", conv, Integer, miopen("0"), "vectorised channel layouts", Used,
       "only 0 is supported"},
      {Flag::NoMeaning, 'L', "vector_length", "", conv, Integer, miopen("1"), "vector length of -Z", Ignored,
       "there is no vectorised layout"},
      {Flag::InCast, 'U', "in_cast_type", "", conv, Word, miopen("-1"), "cast of the input before computing", Used,
       "only -1 (none) is supported"},
      {Flag::WeiCast, 'R', "wei_cast_type", "", conv, Word, miopen("-1"), "cast of the filter before computing", Used,
       "only -1 (none) is supported"},
      {Flag::OutCast, 'T', "out_cast_type", "", conv, Word, miopen("-1"), "cast of the output", Used,
       "only -1 (none) is supported"},
      {Flag::Fp16, 0, "fp16", "", conv, None, fusilli(""), "16-bit IEEE elements (f32 without it)", Used, ""},
      {Flag::Bf16, 0, "bf16", "", conv, None, fusilli(""), "bfloat16 elements (f32 without it)", Used, ""},
      // The problem: matrix product.
      {Flag::Forw, 'F', "forw", "", gemm, Integer, miopenBoo("0", "1"), "MIOpen: forward only; BOO: 1 C, 2 dA, 3 dB",
       Used, "MIOpen: 0 or 1"},
      {Flag::GemmM, 'm', "a_h", "", gemm, Integer, miopen("256"), "rows of op(A) and C", Used, ""},
      {Flag::GemmK, 'k', "a_w", "", gemm, Integer, miopen("256"), "columns of op(A), rows of op(B)", Used, ""},
      {Flag::GemmM, 'k', "a_w", "", gemm, Integer, boo("256"), "rows of op(A) and C", Used, "as BOO means it"},
      {Flag::GemmK, 'm', "a_h", "", gemm, Integer, boo("256"), "columns of op(A), rows of op(B)", Used,
       "as BOO means it"},
      {Flag::GemmN, 'n', "b_w", "", gemm, Integer, miopenBoo("256", "256"), "columns of op(B) and C", Used, ""},
      {Flag::TransA, 'u', "transA", "", gemm, Integer, miopenBoo("0", "0"), "1: A is stored transposed", Used, ""},
      {Flag::TransB, 'v', "transB", "", gemm, Integer, miopenBoo("0", "0"), "1: B is stored transposed", Used, ""},
      {Flag::GemmBatch, 'b', "batch", "batchsize", gemm, Integer, miopen("1"), "number of products", Used, ""},
      {Flag::ColMajor, 'C', "isColMajor", "", gemm, Integer, miopen("0"), "1: A, B and C are stored column by column",
       Used, ""},
      {Flag::Alpha, 'A', "alpha", "", gemm, Real, miopen("1.0"), "factor of the product", Used, "only 1 is supported"},
      {Flag::Beta, 'B', "beta", "", gemm, Real, miopen("0.0"), "factor of the old C", Used, "only 0 is supported"},
      // The run.
      {Flag::Iter, 'i', "iter", "", any, Integer, {"10", nullptr, required.data()}, "iterations", Option, "--iter"},
      {Flag::Iter, 0, "iter", "", any, Integer, boo("100"), "iterations", Option, "--iter"},
      {Flag::Verify, 'V', "verify", "", any, Integer, miopen("1"), "verification", Option, "0: --verify=off"},
      {Flag::VerifyNumerics, 0, "verify-numerics", "", any, None, boo(""), "verification", Option, "--verify=auto"},
      {Flag::Splat, 0, "splat-input-value", "", any, Real, boo(""), "one value in every input element", Option,
       "1: --data=ones; no other value has an effect"},
      {Flag::CacheDir, 0, "cache-dir", "", any, Word, boo(""), "folder of compiled kernels", Option, "--cache-dir"},
      {Flag::CommandsFile, 0, "commands-file", "", any, Word, boo(""), "file of commands", Used,
       "rejected inside a command: give the file to orzo itself"},
      {Flag::Help, 'h', "help", "", any, None, everywhere(""), "prints this help", Used, ""},
      {Flag::Help, '?', "", "", any, None, miopen(""), "prints this help", Used, ""},
      // Without effect here.
      {Flag::NoMeaning, 't', "time", "", any, Integer, miopenBoo("0", "1"), "kernel timing", Ignored, ownTimer},
      {Flag::NoMeaning, 'w', "wall", "", any, Integer, miopen("0"), "wall-clock timing, 2 with warm-up", Ignored,
       ownTimer},
      {Flag::NoMeaning, 'C', "verification_cache", "", conv, Word, miopen(""), "folder of reference outputs", Ignored,
       ownCheck},
      {Flag::NoMeaning, 's', "search", "", conv, Integer, miopen("0"), "1: exhaustive tuning", Ignored, ownPlan},
      {Flag::NoMeaning, 'S', "solution", "", conv, Word, miopen("-1"), "solver by number or name", Ignored, ownPlan},
      {Flag::NoMeaning, '&', "tuning_policy", "", conv, Integer, miopen("0"), "tuning policy", Ignored, ownPlan},
      {Flag::NoMeaning, 'P', "printconv", "", conv, Integer, miopen("1"), "prints the dims", Ignored, ownReport},
      {Flag::NoMeaning, 'r', "pad_val", "", conv, Integer, miopen("0"), "padding value; MIOpen too pads with 0",
       Ignored, "padding is zero"},
      {Flag::NoMeaning, 'o', "dump_output", "", conv, Integer, miopen("0"), "1: writes the tensors to files", Ignored,
       "tensors are not written to files"},
      {Flag::NoMeaning, 'd', "in_data", "", conv, Word, miopen(""), "file with the input", Ignored, ownData},
      {Flag::NoMeaning, 'e', "weights", "", conv, Word, miopen(""), "file with the filter", Ignored, ownData},
      {Flag::NoMeaning, 'D', "dout_data", "", conv, Word, miopen(""), "file with the output gradient", Ignored,
       ownData},
      {Flag::NoMeaning, 'a', "in_bias", "", conv, Word, miopen(""), "file with the bias", Ignored, ownData},
      {Flag::NoMeaning, 'G', "gpualloc", "", conv, Integer, miopen("0"), "1: data are made on the device", Ignored,
       ownData},
      {Flag::NoMeaning, 'N', "init_output_nan", "", conv, Integer, miopen("0"), "1: outputs start as NaN", Ignored,
       ownPoison},
      {Flag::NoMeaning, '~', "gpubuffer_check", "", conv, Integer, miopen("0"), "guard pages: 1 before, 2 behind",
       Ignored, ownPoison},
      {Flag::NoMeaning, 'M', "math_type", "", conv, Integer, miopen("1"), "allows TF32", Ignored,
       "f32 is computed in f32"},
      {Flag::NoMeaning, 'J', "use_hip_graph", "", conv, Integer, miopen("0"), "replay of a captured graph", Ignored,
       "there is one launch"},
      {Flag::NoMeaning, 'D', "device", "", any, Integer, fusilli("0"), "device number", Ignored, ownDevice},
      {Flag::NoMeaning, 'd', "dump", "", any, None, fusilli(""), "writes intermediate files", Ignored,
       "see orzo's --dump-ir"},
      {Flag::NoMeaning, 0, "gpu-id", "", any, Integer, boo("0"), "device number, -1 for all", Ignored, ownDevice},
      {Flag::NoMeaning, 0, "backend", "", any, Word, boo("iree_boo_experimental"), "compiler", Ignored,
       "orzo compiles"},
      {Flag::NoMeaning, 0, "csv", "", any, Word, boo(""), "file of results", Ignored, ownReport},
      {Flag::NoMeaning, 0, "verbose", "", any, None, boo(""), "prints more", Ignored, ownReport},
      {Flag::NoMeaning, 0, "no-verbose", "", any, None, boo(""), "prints less", Ignored, ownReport},
      {Flag::NoMeaning, 0, "numerics-verbose", "", any, None, boo(""), "prints error statistics", Ignored, ownReport},
      {Flag::NoMeaning, 0, "numerics-min-samples", "", any, Integer, boo("1000"), "samples of the check", Ignored,
       ownCheck},
      {Flag::NoMeaning, 0, "numerics-stddev-rtol", "", any, Real, boo("1.2"), "tolerance of the check", Ignored,
       ownCheck},
      {Flag::NoMeaning, 0, "numerics-stddev-atol", "", any, Real, boo("1e-5"), "tolerance of the check", Ignored,
       ownCheck},
      {Flag::NoMeaning, 0, "numerics-mean-rtol", "", any, Real, boo("0.2"), "tolerance of the check", Ignored,
       ownCheck},
      {Flag::NoMeaning, 0, "numerics-mean-atol", "", any, Real, boo("1e-5"), "tolerance of the check", Ignored,
       ownCheck},
      {Flag::NoMeaning, 0, "numerics-reference-dtype", "", any, Word, boo("float64"), "element type of the reference",
       Ignored, "the reference is f64"},
      {Flag::NoMeaning, 0, "skip-structured-tests", "", any, None, boo(""), "leaves the block-of-ones check out",
       Ignored, ownCheck},
  };
  return table;
}

std::string FlagRow::spelling() const {
  std::string text;
  if (letter)
    text += std::string("-") + letter;
  for (std::string_view longName : {name, alias})
    if (!longName.empty())
      text += (text.empty() ? "--" : "/--") + std::string(longName);
  return text;
}

const FlagRow &rowOf(Flag flag, Dialect dialect, Family family) {
  const FlagRow *fallback = nullptr;
  for (const FlagRow &row : flagTable()) {
    if (row.flag != flag || (row.family && *row.family != family))
      continue;
    if (row.defaultIn(dialect))
      return row;
    if (row.defaultIn(Dialect::MIOpen) || !fallback)
      fallback = &row;
  }
  return *fallback;
}

const FlagRow *findLetter(char letter, Dialect dialect, Family family) {
  for (const FlagRow &row : flagTable())
    if (letter && row.letter == letter && row.isIn(dialect, family))
      return &row;
  return nullptr;
}

const FlagRow *findName(std::string_view name, Dialect dialect, Family family) {
  for (const FlagRow &row : flagTable())
    if (!name.empty() && (row.name == name || row.alias == name) && row.isIn(dialect, family))
      return &row;
  return nullptr;
}

} // namespace orzo
