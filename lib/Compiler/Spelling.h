// Spelling: how a source module says its problem, as facts that two sources can be held against each other by.
#pragma once

#include "Dialect/Conv/Binding.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace orzo {

/// The problem's text in the source's own names on the first line, then a line "topic<TAB>text" a fact: what it is
/// written as, entry, direction (where an op says one), arguments in order, layouts, transposes, zeros, filter,
/// completion. `source` is the module as it was parsed.
std::string spellingText(mlir::ModuleOp source, const conv::BoundProblem &problem);

} // namespace orzo
