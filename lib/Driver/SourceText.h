// SourceText: an MLIR file's contents, looked at before any parser sees them.
//
// What a parser would answer with a puzzle or, on deep nesting, with an exhausted stack, is refused here with a place
// and a reason.
#pragma once

#include "orzo/Support/Status.h"

#include <string>

namespace orzo::driver {

/// Brackets open at once: far more than modules have, and few enough for a recursive parser.
inline constexpr size_t deepestNesting = 256;

/// `contents` without a byte-order mark. InvalidArgument "name:line:column: ..." where they hold nothing but blanks and
/// comments, are no text (a NUL byte), or open more than deepestNesting brackets at once; Unsupported for bytecode.
Expected<std::string> checkSourceText(std::string contents, const std::string &name);

} // namespace orzo::driver
