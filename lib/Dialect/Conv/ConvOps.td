// The conv ops: convolutions on tensors, before any lowering is chosen.
#ifndef ORZO_CONV_OPS
#define ORZO_CONV_OPS

include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Dialect/Conv/ConvBase.td"
include "Dialect/Conv/ConvInterfaces.td"

class Conv_Op<string mnemonic, string direction, string left, string right>
    : Op<Conv_Dialect, mnemonic, [Pure, DeclareOpInterfaceMethods<ConvOpInterface, ["getDirection"]>]> {
  let arguments = (ins AnyStaticShapeTensor:$lhs, AnyStaticShapeTensor:$rhs, Conv_GeometryAttr:$geometry);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `:` functional-type(operands, results) qualified($geometry) attr-dict";
  let description = "Operands in role order: " # left # ", " # right # ".";
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "const ::orzo::ConvSpec &":$spec), [{
    build($_builder, $_state, tensorType($_builder.getContext(), spec, ::orzo::resultRole(spec.direction)), lhs, rhs,
          GeometryAttr::get($_builder.getContext(), spec));
  }]>];
  let extraClassDefinition = "::orzo::Direction $cppClass::getDirection() { return ::orzo::Direction::" # direction # "; }";
}

def Conv_FpropOp : Conv_Op<"fprop", "FProp", "x", "w"> {
  let summary = "y[n,k,p] = sum over c, r of x[n,c,h] * w[k,c,r]";
}
def Conv_DgradOp : Conv_Op<"dgrad", "DGrad", "w", "y"> {
  let summary = "x[n,c,h] = sum over k, r, p of y[n,k,p] * w[k,c,r]";
}
def Conv_WgradOp : Conv_Op<"wgrad", "WGrad", "x", "y"> {
  let summary = "w[k,c,r] = sum over n, p of y[n,k,p] * x[n,c,h]";
}

#endif
