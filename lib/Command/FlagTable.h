// The one table of driver flags: parsing, help, notes and the table in docs/Command.md all derive from it.
//
// A row is a spelling (letter and long name), the dialects that have it with their defaults, and what it does here.
// Where two dialects spell one meaning differently there are two rows with the same Flag (Fusilli's --mode is MIOpen's
// --forw; BOO's gemm exchanges -m and -k). To add a flag: add its row; if it means something, add its Flag and read
// that in ConvCommand.cpp or GemmCommand.cpp.
#pragma once

#include "Command/Base.h"
#include "Command/Dialect.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orzo {

/// What a flag means, for those that mean something here.
enum class Flag : uint8_t {
  NoMeaning,
  Help,
  Forw,
  Mode,
  SpatialDim,
  Batch,
  InChannels,
  OutChannels,
  Groups,
  InD,
  InH,
  InW,
  FilD,
  FilH,
  FilW,
  StrideD,
  StrideH,
  StrideW,
  PadD,
  PadH,
  PadW,
  DilationD,
  DilationH,
  DilationW,
  OutPadD,
  OutPadH,
  OutPadW,
  PadMode,
  InLayout,
  FilLayout,
  OutLayout,
  TensorVect,
  InCast,
  WeiCast,
  OutCast,
  Bias,
  Fp16,
  Bf16,
  GemmM,
  GemmN,
  GemmK,
  GemmBatch,
  TransA,
  TransB,
  ColMajor,
  Alpha,
  Beta,
  Iter,
  Verify,
  VerifyNumerics,
  Splat,
  CacheDir,
  CommandsFile,
};

enum class ValueKind : uint8_t {
  None,    ///< The flag takes no value.
  Integer, ///< A whole number of 64 bits.
  Real,
  Word,
};

enum class Effect : uint8_t {
  Used,    ///< Part of the problem.
  Option,  ///< Sets an option of the run.
  Ignored, ///< Accepted; a note names it and says why it has no effect.
};

/// Marks a flag that has no default and must be written.
inline constexpr std::string_view required = "required";

struct FlagRow {
  Flag flag;
  char letter; ///< 0: none.
  std::string_view name;
  std::string_view alias; ///< A second long name, or "".
  /// nullopt: every family.
  std::optional<Family> family;
  ValueKind kind;
  /// Indexed by Dialect; nullptr: the dialect has no such flag.
  std::array<const char *, 3> defaults;
  std::string_view meaning;
  Effect effect;
  /// Used, Option: how, where the meaning leaves that open. Ignored: why.
  std::string_view detail;

  const char *defaultIn(Dialect dialect) const { return defaults[static_cast<int>(dialect)]; }
  bool isIn(Dialect dialect, Family of) const { return defaultIn(dialect) && (!family || *family == of); }
  /// "-F/--forw", "--pad_mode", "-?".
  std::string spelling() const;
};

std::span<const FlagRow> flagTable();

/// The row that gives `flag` (one that `family` has) its default in `dialect`: the dialect's own, or MIOpen's where the
/// dialect lacks the flag.
const FlagRow &rowOf(Flag flag, Dialect dialect, Family family);

/// The row of the one-letter or the exact long spelling, or nullptr.
const FlagRow *findLetter(char letter, Dialect dialect, Family family);
const FlagRow *findName(std::string_view name, Dialect dialect, Family family);

/// Help for people: every flag that `base` has in `dialect`, with default, meaning and effect, e.g. for `conv -h`.
std::string flagHelp(Dialect dialect, const Base &base);

/// The table as Markdown, as docs/Command.md contains it.
std::string flagTableMarkdown();

} // namespace orzo
