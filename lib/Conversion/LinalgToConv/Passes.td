#ifndef ORZO_LINALG_TO_CONV_PASSES
#define ORZO_LINALG_TO_CONV_PASSES

include "mlir/Pass/PassBase.td"

def LinalgToConvPass : Pass<"orzo-linalg-to-conv", "::mlir::ModuleOp"> {
  let summary = "Raise functions of linalg and tensor ops to convolutions, by what they compute";
  let description = [{
    See RaiseConv.h. A function each of whose results is a convolution of two arguments becomes one `func.func` per
    result: @problem, @problem_1, ... Any other function of linalg ops stays as it is, and a remark at the op that stands in
    the way says why. Functions without linalg and tensor ops are not looked at.
  }];
  let dependentDialects = ["::orzo::conv::ConvDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::affine::AffineDialect"];
}

#endif
