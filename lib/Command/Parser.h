// From tokens to dialect, base and flag values: the grammar of the three programs.
//
// MIOpen    base { flag value }. After a single dash only the first letter counts (-in_layout is -i); the value is the
//           next token, verbatim, so it may begin with a dash. --name wants the exact name. Also taken here: --name=v,
//           -F=1 and, for whole numbers, -F2.
// BOO       argparse: -F 1, -F1, -F=1, --name v, --name=v, --na v where that names one flag; the base may stand
//           anywhere; a value begins with a dash only if it is a number.
// Fusilli   the same without abbreviations; its own flags (--iter, --device, --dump) usually stand before the base.
//
// A command without a program name is MIOpen's, unless its grammar cannot be: flags before the base, or a long flag
// that only BOO or only Fusilli has. Then it is read as theirs, and a note says so.
#pragma once

#include "Command/FlagValues.h"

#include <span>
#include <string>

namespace orzo {

struct ParsedCommand {
  FlagValues values;
  bool wantsHelp = false;
};

/// Reads the tokens of one command, program name included or not. Notes go to `notes`. Errors:
/// InvalidArgument: no base, an unknown base or flag (with a suggestion), a missing value, a value that is not a whole
/// number where one is due, a word that is neither flag nor value. Unsupported: a base orzo does not compute.
Expected<ParsedCommand> parseTokens(std::span<const std::string> tokens, NoteList &notes);

} // namespace orzo
