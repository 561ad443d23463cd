// Diagnostics: MLIR's errors, warnings and remarks on their way to a Status.
#pragma once

#include "orzo/Support/Status.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <string>

namespace orzo {

/// Gathers MLIR's diagnostics while it lives: the first error, and remarks and warnings as notes. The only place where
/// they leave MLIR. Each begins with file, line and column, or with the input's name where it has none.
class Diagnostics {
public:
  Diagnostics(mlir::MLIRContext *context, std::string inputName);

  /// The failure that an error among the diagnostics means; `otherwise` when there was none. A message that says
  /// "unsupported" is one of a pass that knows the input to be legal.
  Status status(StatusCode code, const std::string &otherwise) const;

  /// "file:line:column: ".
  std::string locationText(mlir::Location location) const;

  std::string notes, error;

private:
  std::string inputName;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace orzo
