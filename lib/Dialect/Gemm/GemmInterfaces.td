// GemmOpInterface: what a kernel emitter asks of a gemm op.
#ifndef ORZO_GEMM_INTERFACES
#define ORZO_GEMM_INTERFACES

include "mlir/IR/OpBase.td"

def GemmOpInterface : OpInterface<"GemmOpInterface"> {
  let cppNamespace = "::orzo::gemm";
  let description = [{
    One matrix product over strided operands: out = epilogue(lhs * rhs, extras), operands `lhs`, `rhs`, destination `out`
    and `extras` all tensors or all memrefs. The result's element type may be another than the problem says: it is
    rounded once, after the epilogue.
  }];
  let methods = [
    InterfaceMethod<"What is computed.", "::orzo::gemm::Problem", "problem">,
    InterfaceMethod<"The first input.", "::mlir::Value", "getLhsValue", (ins), "", [{ return $_op->getOperand(0); }]>,
    InterfaceMethod<"The second input.", "::mlir::Value", "getRhsValue", (ins), "", [{ return $_op->getOperand(1); }]>,
    InterfaceMethod<"The destination; every element of it is written.", "::mlir::Value", "getOutValue", (ins), "",
                    [{ return $_op->getOperand(2); }]>,
    InterfaceMethod<"Further operands of the epilogue.", "::mlir::OperandRange", "getExtraValues", (ins), "",
                    [{ return $_op->getOperands().drop_front(3); }]>,
    InterfaceMethod<"Which element of each extra belongs to an element of the result.",
                    "::std::vector<::orzo::ElementMap>", "getElementMaps", (ins), "",
                    [{ return ::orzo::gemm::elementMapsOf($_op); }]>,
    InterfaceMethod<"One block: arguments the accumulator and one element of each extra, f32; gemm.yield of one f32.",
                    "::mlir::Region &",
                    "getEpilogueRegion", (ins), "", [{ return $_op->getRegion(0); }]>,
    InterfaceMethod<"Whether the epilogue yields its argument.", "bool", "hasIdentityEpilogue", (ins), "", [{
      return ::orzo::gemm::isIdentity($_op->getRegion(0));
    }]>,
  ];
  let verify = [{ return ::orzo::gemm::verifyGemmOp($_op); }];
  let verifyWithRegions = 1;
}

#endif
