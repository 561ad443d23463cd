#ifndef ORZO_CONV_PASSES
#define ORZO_CONV_PASSES

include "mlir/Pass/PassBase.td"

def CanonicaliseConvPass : Pass<"orzo-canonicalise-conv", "::mlir::ModuleOp"> {
  let summary = "Replace the convolution of @problem by its canonical representative";
  let description = [{
    Takes functions @problem, @problem_1 ... that return one conv op of their two arguments; those of linalg ops are left
    alone. Spec's canonicalise() renames the tensors; no memory moves, so the function's arguments become the canonical
    problem's operands in role order. A remark says so when anything changed, with the argument that each new one is.
  }];
  let dependentDialects = ["::orzo::conv::ConvDialect"];
}

#endif
