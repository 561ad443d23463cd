#ifndef ORZO_LINALG_TO_LOOPS_PASSES
#define ORZO_LINALG_TO_LOOPS_PASSES

include "mlir/Pass/PassBase.td"

def OutlineLoopsPass : Pass<"orzo-outline-loops", "::mlir::ModuleOp"> {
  let summary = "Make one launch of func.func @problem, which computes on memory";
  let description = [{
    func.func @problem of memrefs => a dispatch.func marked `loops` with its body, and dispatch.program @problem, which binds
    the function's arguments ("arg0", ...) and the memrefs that it returned before (those with the argument attribute
    `bufferize.result`; "result0", ...) and runs it once. What the body allocates becomes one piece of the workspace.
    Allocations must be of static shape.
  }];
  let dependentDialects = ["::orzo::dispatch::DispatchDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::linalg::LinalgDialect"];
}

#endif
