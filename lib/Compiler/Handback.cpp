#include "Compiler/Handback.h"

#include "Export/Linalg/ExportLinalg.h"
#include "Export/Torch/ExportTorch.h"
#include "orzo/Spec/Canonical.h"

#include "mlir/IR/Verifier.h"

namespace orzo {

bool isHandback(std::string_view stopAfter) {
  return stopAfter == "torch" || stopAfter == "linalg" || stopAfter == "linalg-source" || stopAfter == "iree";
}

static Expected<HandedBack> handBackTorch(const ConvSpec &spec) {
  Expected<std::string> own = exportTorch(spec);
  if (own)
    return HandedBack{own.take(), {}};
  for (const Canonical &member : orbit(spec))
    if (Expected<std::string> other = exportTorch(member.spec))
      return HandedBack{other.take(),
                        {"written as " + std::string(name(member.spec.direction)) +
                         ", the same problem under other names: " + own.status().message()}};
  return own.status();
}

Expected<HandedBack> handBack(mlir::MLIRContext &context, const ConvSpec &spec, std::string_view stopAfter) {
  if (stopAfter == "torch")
    return handBackTorch(spec);
  LinalgExport exported =
      exportLinalg(context, spec, stopAfter == "linalg-source" ? LinalgForm::Source : LinalgForm::Lowered);
  if (mlir::failed(mlir::verify(*exported.module)))
    return Status::internal("the exported module does not verify");
  HandedBack out;
  llvm::raw_string_ostream stream(out.text);
  exported.module->print(stream);
  if (stopAfter != "linalg-source")
    out.notes.push_back("written as " + std::string(exported.choice.form) + ": " + exported.choice.reason);
  return out;
}

} // namespace orzo
