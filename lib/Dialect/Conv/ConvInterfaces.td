// ConvOpInterface: what the three convolution ops have in common.
#ifndef ORZO_CONV_INTERFACES
#define ORZO_CONV_INTERFACES

include "mlir/IR/OpBase.td"

def ConvOpInterface : OpInterface<"ConvOpInterface"> {
  let cppNamespace = "::orzo::conv";
  let description = "A convolution: the relation of orzo/Spec/ConvSpec.h, one of whose three tensors is the result.";
  let methods = [
    InterfaceMethod<"Which of the three tensors the op computes.", "::orzo::Direction", "getDirection">,
    InterfaceMethod<"The layouts, strides, dilations, pads, flips and groups.", "::orzo::conv::GeometryAttr",
                    "getGeometry">,
    InterfaceMethod<"The problem, rebuilt from types and geometry; the op must have been verified.", "::orzo::ConvSpec",
                    "getSpec", (ins), "", [{ return ::orzo::conv::specOf($_op.getOperation()).take(); }]>,
    InterfaceMethod<"The operand or result that plays `role`.", "::mlir::Value", "getTensor",
                    (ins "::orzo::Role":$role), "", [{
      ::std::array<::orzo::Role, 2> operands = ::orzo::operandRoles($_op.getDirection());
      if (role == operands[0])
        return $_op->getOperand(0);
      return role == operands[1] ? $_op->getOperand(1) : $_op->getResult(0);
    }]>,
  ];
  let verify = [{ return ::orzo::conv::verifyConvOp($_op); }];
}

#endif
