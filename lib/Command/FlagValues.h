// The flags of one command: what was written, and the table's defaults for the rest.
#pragma once

#include "Command/FlagTable.h"
#include "Command/NoteList.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orzo {

/// A whole number: optional sign and decimal digits, nothing else. InvalidArgument says what was got; the caller adds
/// the flag.
Expected<int64_t> parseInteger(std::string_view text);

/// A number as strtod reads it, with nothing behind it.
Expected<double> parseReal(std::string_view text);

/// Largest value of an extent, stride, padding ... on a command line: what the drivers' own 32-bit integers hold.
inline constexpr int64_t largestSize = 2147483647;

class FlagValues {
public:
  FlagValues(Dialect dialect, Base base) : ofDialect(dialect), ofBase(base) {}

  Dialect dialect() const { return ofDialect; }
  const Base &base() const { return ofBase; }

  /// Adds one written flag; `spelling` is as written ("-F", "--forw"). InvalidArgument when `value` is not of the row's
  /// kind. A flag without effect is noted in `notes`; of one written twice the last counts, with a note.
  Status write(const FlagRow &row, const std::string &spelling, const std::string &value, NoteList &notes);

  bool written(Flag flag) const { return find(flag); }

  /// The flag as written, or "" when it is not.
  std::string spelling(Flag flag) const;

  /// For messages: "-g 0" when written, "-g (default 1)" when not.
  std::string described(Flag flag) const;

  /// Written value, or the default (MIOpen's for a flag the dialect lacks). InvalidArgument for a flag without default
  /// that is not written.
  Expected<std::string> word(Flag flag) const;
  Expected<int64_t> integer(Flag flag) const;
  Expected<double> real(Flag flag) const;

  /// integer() within [least, largestSize]; InvalidArgument names the flag, the value and the bound.
  Expected<int64_t> size(Flag flag, int64_t least) const;

  /// Like size() with the values 0 and 1 only.
  Expected<bool> boolean(Flag flag) const;

private:
  struct Written {
    Flag flag;
    std::string spelling;
    std::string value;
  };
  const Written *find(Flag flag) const;

  Dialect ofDialect;
  Base ofBase;
  std::vector<Written> flags;
};

} // namespace orzo
