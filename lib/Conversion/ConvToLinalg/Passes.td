#ifndef ORZO_CONV_TO_LINALG_PASSES
#define ORZO_CONV_TO_LINALG_PASSES

include "mlir/Pass/PassBase.td"

def ConvToLinalgPass : Pass<"orzo-conv-to-linalg"> {
  let summary = "Write convolutions as linalg ops, for compilers that read those";
  let description = [{
    See ConvToLinalg.h for the forms. Which one each op took, and why, stays in the remark that is emitted at it.
  }];
  let options = [Option<"form", "form", "std::string", "\"lowered\"",
                        "lowered: contractions and phases where the problem has them; source: one generic">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif
