// ParserGuard: sources on which MLIR 22's own parser is known to crash, found before it sees them.
//
// - linalg.transpose, broadcast and reduce read `permutation = [...]` or `dimensions = [...]` and use the list even
// where it did
//   not parse. Anything but whole numbers in brackets there is reported here instead.
// - tensor.expand_shape and collapse_shape verify by reassociation groups before these are checked: groups that are
// empty or do
//   not count 0, 1, 2 ... are reported here.
// To go once upstream checks both.
#pragma once

#include "orzo/Support/Status.h"

#include <string>

namespace orzo {

/// Success, or InvalidArgument "name:line:column: ..." at the first such place of `source`.
Status guardParser(const std::string &source, const std::string &inputName);

} // namespace orzo
