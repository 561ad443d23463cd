#include "Compiler/Diagnostics.h"

namespace orzo {

/// The parser's words for an op that no dialect here has: legal elsewhere, so not the input's fault.
static std::string unknownOp(const std::string &message) {
  for (std::string_view before : {"custom op '", "not found for custom op '"}) {
    size_t begin = message.find(before);
    if (begin == std::string::npos || (before[0] == 'c' && message.find("is unknown") == std::string::npos))
      continue;
    begin += before.size();
    size_t end = message.find('\'', begin);
    if (end != std::string::npos)
      return "unsupported: op '" + message.substr(begin, end - begin) + "' is none that is read";
  }
  return message;
}

Diagnostics::Diagnostics(mlir::MLIRContext *context, std::string inputName)
    : inputName(std::move(inputName)), handler(context, [this](mlir::Diagnostic &diagnostic) {
        std::string line = locationText(diagnostic.getLocation());
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          notes += line + diagnostic.str() + "\n";
        else if (error.empty())
          error = line + unknownOp(diagnostic.str());
        return mlir::success();
      }) {}

Status Diagnostics::status(StatusCode code, const std::string &otherwise) const {
  if (error.empty())
    return Status::internal(otherwise);
  return {error.find("unsupported: ") != std::string::npos ? StatusCode::Unsupported : code, error};
}

std::string Diagnostics::locationText(mlir::Location location) const {
  auto file = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!file || file.getLine() == 0)
    return inputName + ": ";
  return file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" + std::to_string(file.getColumn()) +
         ": ";
}

} // namespace orzo
