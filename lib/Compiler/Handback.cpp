#include "Compiler/Handback.h"

#include "Compiler/BoundNames.h"
#include "Compiler/Spelling.h"
#include "Export/Linalg/ExportIree.h"
#include "Export/Linalg/ExportLinalg.h"
#include "Export/Torch/ExportTorch.h"
#include "orzo/Spec/Canonical.h"

#include "mlir/IR/Verifier.h"

namespace orzo {

bool isHandback(std::string_view stopAfter) {
  return stopAfter == "torch" || stopAfter == "linalg" || stopAfter == "linalg-source" || stopAfter == "iree" ||
         stopAfter == "spelling";
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

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

static std::string noteOf(const LinalgChoice &choice) {
  return "written as " + std::string(choice.form) + ": " + choice.reason;
}

Expected<HandedBack> handBack(mlir::MLIRContext &context, const ConvSpec &spec, std::string_view stopAfter) {
  if (stopAfter == "torch")
    return handBackTorch(spec);
  LinalgExport exported =
      exportLinalg(context, spec, stopAfter == "linalg-source" ? LinalgForm::Source : LinalgForm::Lowered);
  if (mlir::failed(mlir::verify(*exported.module)))
    return Status::internal("the exported module does not verify");
  HandedBack out{print(*exported.module), {}};
  if (stopAfter != "linalg-source")
    out.notes.push_back(noteOf(exported.choice));
  return out;
}

static Expected<HandedBack> handBackAtBorder(mlir::ModuleOp source, const Binding &binding,
                                             const conv::BoundProblem &problem) {
  mlir::OwningOpRef<mlir::ModuleOp> border;
  if (binding.frontEnd == "torch") {
    border = fencedBorder(*source.getContext(), binding.entry, int(binding.arguments.size()), problem);
    if (!border)
      return Status::internal("the border of " + binding.entry + " does not parse");
    source = *border;
  }
  Expected<LinalgChoice> choice = rewriteConvolution(source, problem);
  if (!choice)
    return choice.status();
  if (mlir::failed(mlir::verify(source)))
    return Status::internal("the rewritten module does not verify");
  return HandedBack{print(source), {noteOf(*choice)}};
}

Expected<HandedBack> handBack(mlir::ModuleOp source, const Binding &binding, std::string_view stopAfter) {
  if (binding.problems.size() != 1)
    return Status::unsupported("the module has " + std::to_string(binding.problems.size()) +
                               " convolutions; one can be handed back");
  conv::BoundProblem problem = binding.problems.front();
  if (binding.frontEnd == "iree" || binding.frontEnd == "linalg")
    problem = withUnitDims(underCanonicalNames(problem));
  problem = atBorder(problem, binding);
  if (stopAfter == "spelling")
    return HandedBack{spellingText(source, problem), {}};
  if (stopAfter == "iree" && binding.frontEnd != "conv")
    return handBackAtBorder(source, binding, problem);
  return handBack(*source.getContext(), problem.spec, stopAfter);
}

} // namespace orzo
