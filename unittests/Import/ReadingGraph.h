// A torch module as a graph, for tests.
#pragma once

#include "Compiler/Diagnostics.h"
#include "Compiler/ParserGuard.h"
#include "Import/Torch/ImportTorchGraph.h"
#include "Pipeline/Registry.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo::test {

/// `source` parsed and read; errors with file, line and column.
inline Expected<ImportedGraph> readGraph(const std::string &source) {
  if (Status status = guardParser(source, "test.mlir"); !status.ok())
    return status;
  mlir::DialectRegistry registry;
  registerInputDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  Diagnostics diagnostics(&context, "test.mlir");
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(source, "test.mlir"), llvm::SMLoc());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return diagnostics.status(StatusCode::InvalidArgument, "test.mlir: the parser failed without a message");
  mlir::FailureOr<ImportedGraph> imported = importTorchGraph(*module);
  if (mlir::failed(imported))
    return diagnostics.status(StatusCode::InvalidArgument, "test.mlir: reading failed without a message");
  return std::move(*imported);
}

/// Its canonical text, or the message.
inline std::string graphText(const std::string &source) {
  Expected<ImportedGraph> graph = readGraph(source);
  return graph ? text(graph->problem.spec) : graph.status().message();
}

} // namespace orzo::test
