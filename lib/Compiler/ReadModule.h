// ReadModule: MLIR source of any front end to a module of problems.
#pragma once

#include "Compiler/Diagnostics.h"
#include "Import/Binding/Binding.h"

#include <string>
#include <vector>

namespace orzo {

/// Parses `source` and takes off what is spelling. A module of torch ops becomes conv ops (importTorch) or, where there
/// is more in it, a graph (importTorchGraph, whose @problem says its text in `orzo.graph`), one of linalg ops with or
/// without IREE's borders a @problem of linalg ops (importLinalg), orzo's own conv ops stay as they are.
/// InvalidArgument: does not parse or verify. Unsupported: is something else; both with location and reason. The
/// dialects of registerInputDialects() must be registered in `context`.
Expected<ImportedModule> readModule(mlir::MLIRContext &context, Diagnostics &diagnostics, const std::string &source,
                                    const std::string &inputName);

/// What a source computes, and how it is called.
struct ReadProblems {
  Binding binding;                    ///< With its problems; a graph has none.
  std::vector<std::string> canonical; ///< The canonical text of each, or of the graph.
};

/// readModule() and raising, in a context of its own, for those who want no IR. Unsupported also where something is not
/// raised.
Expected<ReadProblems> readProblems(const std::string &source, const std::string &inputName);

} // namespace orzo
