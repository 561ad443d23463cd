// GemmOpInterface: what a kernel emitter asks of a gemm op.
#ifndef ORZO_GEMM_INTERFACES
#define ORZO_GEMM_INTERFACES

include "mlir/IR/OpBase.td"

def GemmOpInterface : OpInterface<"GemmOpInterface"> {
  let cppNamespace = "::orzo::gemm";
  let description = [{
    One matrix product over strided operands: out = epilogue(lhs * rhs), operands `lhs`, `rhs` and destination `out` all
    tensors or all memrefs.
  }];
  let methods = [
    InterfaceMethod<"What is computed.", "::orzo::gemm::Problem", "problem">,
    InterfaceMethod<"The first input.", "::mlir::Value", "getLhsValue", (ins), "", [{ return $_op->getOperand(0); }]>,
    InterfaceMethod<"The second input.", "::mlir::Value", "getRhsValue", (ins), "", [{ return $_op->getOperand(1); }]>,
    InterfaceMethod<"The destination; every element of it is written.", "::mlir::Value", "getOutValue", (ins), "",
                    [{ return $_op->getOperand(2); }]>,
    InterfaceMethod<"One block: argument the f32 accumulator, gemm.yield of one f32.", "::mlir::Region &",
                    "getEpilogueRegion", (ins), "", [{ return $_op->getRegion(0); }]>,
    InterfaceMethod<"Whether the epilogue yields its argument.", "bool", "hasIdentityEpilogue", (ins), "", [{
      return ::orzo::gemm::isIdentity($_op->getRegion(0));
    }]>,
  ];
  let verify = [{ return ::orzo::gemm::verifyGemmOp($_op); }];
  let verifyWithRegions = 1;
}

#endif
