#include "Compiler/ReadModule.h"

#include "Compiler/ParserGuard.h"
#include "Conversion/LinalgToConv/Passes.h"
#include "Dialect/Conv/Transforms/Passes.h"
#include "Import/Graph/ImportGraph.h"
#include "Import/Linalg/ImportLinalg.h"
#include "Import/Torch/ImportTorch.h"
#include "Import/Torch/ImportTorchGraph.h"
#include "Pipeline/Registry.h"
#include "orzo/Spec/Canonical.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"

namespace orzo {

static bool hasConv(mlir::ModuleOp module) {
  return module
      .walk([](mlir::Operation *op) {
        return mlir::isa<conv::ConvOpInterface>(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// orzo's own form: @problem, and nothing to take off.
static mlir::FailureOr<ImportedModule> importConv(mlir::OwningOpRef<mlir::ModuleOp> module) {
  conv::ConvOpInterface problem = conv::problemOf(*module);
  if (!problem)
    return mlir::failure();
  ImportedModule imported;
  imported.binding.frontEnd = "conv";
  imported.binding.entry = "problem";
  conv::BoundProblem bound;
  bound.spec = problem.getSpec();
  std::array<Role, 2> operands = operandRoles(bound.spec.direction);
  for (Role role : {Role::X, Role::W, Role::Y}) {
    conv::TensorBinding &tensor = bound.tensors[static_cast<int>(role)];
    tensor.isResult = role == resultRole(bound.spec.direction);
    tensor.index = role == operands[1] ? 1 : 0;
    tensor.shape = bound.spec.shape(role);
    for (int dim = 0; dim < static_cast<int>(tensor.shape.size()); ++dim)
      tensor.dims.push_back(dim);
    if (!tensor.isResult) {
      std::string type;
      llvm::raw_string_ostream(type) << problem.getTensor(role).getType();
      imported.binding.arguments.push_back({ArgumentUse::Operand, type, tensor.shape, tensor.index});
    }
  }
  imported.binding.destinations = {-1};
  imported.binding.problems = {bound};
  imported.module = std::move(module);
  return std::move(imported);
}

/// Convolutions as they always were; anything more is a graph, whose errors count then.
static mlir::FailureOr<ImportedModule> importTorchModule(mlir::ModuleOp module) {
  mlir::FailureOr<ImportedModule> imported = mlir::failure();
  {
    mlir::ScopedDiagnosticHandler silent(module.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
    imported = importTorch(module);
  }
  if (mlir::succeeded(imported))
    return imported;
  mlir::FailureOr<ImportedGraph> graph = importTorchGraph(module);
  if (mlir::failed(graph))
    return mlir::failure();
  const GraphSpec &spec = graph->problem.spec;
  if (onlyConvolution(spec)) // Its reader could not say why it has no views of the arguments' memory: this one did.
    return importTorch(module);
  ImportedModule whole;
  whole.module = importGraph(*module.getContext(), spec);
  whole.binding = std::move(graph->binding);
  return std::move(whole);
}

Expected<ImportedModule> readModule(mlir::MLIRContext &context, Diagnostics &diagnostics, const std::string &source,
                                    const std::string &inputName) {
  if (Status status = guardParser(source, inputName); !status.ok())
    return status;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(source, inputName), llvm::SMLoc());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return diagnostics.status(StatusCode::InvalidArgument, inputName + ": the parser failed without a message");
  mlir::FailureOr<ImportedModule> imported = mlir::failure();
  if (isTorchModule(*module))
    imported = importTorchModule(*module);
  else if (hasConv(*module))
    imported = importConv(std::move(module));
  else
    imported = importLinalg(*module);
  if (mlir::failed(imported))
    return diagnostics.status(StatusCode::InvalidArgument, inputName + ": reading failed without a message");
  return std::move(*imported);
}

Expected<ReadProblems> readProblems(const std::string &source, const std::string &inputName) {
  mlir::DialectRegistry registry;
  registerInputDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<conv::ConvDialect, mlir::func::FuncDialect>();
  Diagnostics diagnostics(&context, inputName);
  Expected<ImportedModule> imported = readModule(context, diagnostics, source, inputName);
  if (!imported)
    return imported.status();
  ReadProblems read{std::move(imported->binding), {}};
  for (auto function : imported->module->getOps<mlir::func::FuncOp>()) {
    if (auto graph = function->getAttrOfType<mlir::StringAttr>("orzo.graph")) {
      read.canonical.push_back(graph.str());
      return read;
    }
    if (!read.binding.problems.empty())
      break;
    OrRefusal<std::vector<conv::BoundProblem>> problems = raiseConvs(function);
    if (!problems)
      return Status::unsupported(diagnostics.locationText(problems.refusal().location) +
                                 "unsupported: not one convolution: " + problems.refusal().reason);
    bindProblems(read.binding, std::move(*problems));
  }
  for (const conv::BoundProblem &problem : read.binding.problems)
    read.canonical.push_back(text(canonicalise(problem.spec).spec));
  return read;
}

} // namespace orzo
