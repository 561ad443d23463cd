#ifndef ORZO_CONV_TO_GEMM_PASSES
#define ORZO_CONV_TO_GEMM_PASSES

include "mlir/Pass/PassBase.td"

def ConvToGemmPass : Pass<"orzo-conv-to-gemm", "::mlir::func::FuncOp"> {
  let summary = "Choose the lowering of @problem's convolution and write it as gemm ops";
  let description = [{
    See Lowering.h for the choice. The problem, the lowering and the reason stay on the function as gemm.problem,
    gemm.lowering and gemm.reason.
  }];
  let options = [Option<"lowering", "lowering", "std::string", "\"\"",
                        "Use this lowering: contract, implicit, wgrad or zero-insert (default: choose)">];
  let dependentDialects = ["::orzo::gemm::GemmDialect", "::orzo::dispatch::DispatchDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif
