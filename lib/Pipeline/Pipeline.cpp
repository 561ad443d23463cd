#include "Pipeline/Pipeline.h"

#include "Conversion/ConvToGemm/Passes.h"
#include "Conversion/LinalgToConv/Passes.h"
#include "Conversion/LinalgToLoops/Passes.h"
#include "Dialect/Conv/Transforms/Passes.h"
#include "Dialect/Dispatch/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

namespace orzo {

std::string_view name(Phase phase) {
  switch (phase) {
  case Phase::Import:
    return "import";
  case Phase::Conv:
    return "conv";
  case Phase::Dispatch:
    return "dispatch";
  case Phase::Kernel:
    return "kernel";
  case Phase::Target:
    break;
  }
  return "target";
}

std::string_view sentence(Phase phase) {
  switch (phase) {
  case Phase::Import:
    return "the problem as it was given, on tensors: conv ops, or linalg where that is the source";
  case Phase::Conv:
    return "the canonical problem: every spelling of it prints this text";
  case Phase::Dispatch:
    return "the lowering is chosen: kernels by name and the flat program that runs them over memory";
  case Phase::Kernel:
    return "the loops of every kernel, blocked and vectorised by its plan";
  case Phase::Target:
    break;
  }
  return "the kernels as the target's own code";
}

Expected<Phase> parsePhase(std::string_view text) {
  std::string known;
  for (Phase phase : allPhases) {
    if (text == name(phase))
      return phase;
    known += (known.empty() ? "" : ", ") + std::string(name(phase));
  }
  return Status::invalidArgument("unknown phase '" + std::string(text) + "'; the phases are " + known);
}

void addPhase(mlir::OpPassManager &passes, Phase phase, const PipelineOptions &options) {
  if (phase == Phase::Conv) {
    // By what it computes, while it is still whole: after this there are convolutions, or what is none.
    passes.addPass(createLinalgToConvPass(options.raised));
    // One representative per problem, before anything is decided: what follows depends on the problem alone, never on
    // how it was spelled.
    passes.addPass(conv::createCanonicaliseConvPass());
  }
  if (phase == Phase::Dispatch) {
    // The lowering first, while the whole relation is still in sight: no later pass can see that a convolution was a
    // matrix product.
    passes.addNestedPass<mlir::func::FuncOp>(createConvToGemmPass({options.lowering}));
    // Pointwise work into the kernels that make its operands, once it is known which kernels there are.
    passes.addNestedPass<mlir::func::FuncOp>(dispatch::createFuseMapsPass());
    // Regions before functions: what belongs to one launch is decided while values are still tensors.
    passes.addNestedPass<mlir::func::FuncOp>(dispatch::createFormDispatchesPass());
    passes.addPass(dispatch::createOutlineDispatchesPass());
    // Memory last: liveness is that of the final order of launches.
    passes.addPass(dispatch::createAssignBuffersPass());
  }
}

void addLinalgDispatch(mlir::OpPassManager &passes) {
  // Tensors to memory, results to arguments, all of the shapes that their types say.
  mlir::bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion = mlir::bufferization::LayoutMapOption::IdentityLayoutMap;
  passes.addPass(mlir::bufferization::createOneShotBufferizePass(bufferize));
  mlir::bufferization::BufferResultsToOutParamsPassOptions results;
  results.addResultAttribute = true;
  results.hoistStaticAllocs = true;
  results.modifyPublicFunctions = true;
  passes.addPass(mlir::bufferization::createBufferResultsToOutParamsPass(results));
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  // Last: the workspace is what is allocated by now.
  passes.addPass(createOutlineLoopsPass());
}

} // namespace orzo
