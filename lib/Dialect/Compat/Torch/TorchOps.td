// Types and ops of torch-mlir's torch dialect that graphs of convolutions, pointwise, matmul and reduction nodes use. Read
// and printed only: what they mean is in lib/Import/Torch.
#ifndef ORZO_TORCH_OPS
#define ORZO_TORCH_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Torch_Dialect : Dialect {
  let name = "torch";
  let cppNamespace = "::orzo::torch";
  let summary = "The part of torch-mlir's torch dialect that graphs of convolutions use";
  let useDefaultTypePrinterParser = 0;
  let extraClassDeclaration = [{
    void registerTypes();
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

//===--- Types ------------------------------------------------------------------------------------------------------===//

class Torch_Type<string name, string typeMnemonic> : TypeDef<Torch_Dialect, name> { let mnemonic = typeMnemonic; }
def Torch_Int : Torch_Type<"Int", "int">;
def Torch_Bool : Torch_Type<"Bool", "bool">;
def Torch_Float : Torch_Type<"Float", "float">;
def Torch_None : Torch_Type<"None", "none">;
def Torch_Str : Torch_Type<"Str", "str">;
def Torch_Number : Torch_Type<"Number", "number">;
def Torch_Device : Torch_Type<"Device", "Device">;

// `!torch.list<int>`: the element type is spelled without its `!torch.`.
class Torch_Wrapper<string name, string typeMnemonic> : Torch_Type<name, typeMnemonic> {
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` custom<BareType>($elementType) `>`";
}
def Torch_List : Torch_Wrapper<"List", "list">;
def Torch_Optional : Torch_Wrapper<"Optional", "optional">;

class Torch_TensorType<string name, string typeMnemonic> : Torch_Type<name, typeMnemonic> {
  let description = [{
    `<[16,?,1],bf16>`, `<*,f32>` (no sizes), `<[2],unk>` (no element type), or nothing at all. A size `?` is
    ShapedType::kDynamic.
  }];
  let parameters = (ins "bool":$hasSizes, ArrayRefParameter<"int64_t">:$sizes, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
}
def Torch_VTensor : Torch_TensorType<"VTensor", "vtensor">;          // A value.
def Torch_NonValueTensor : Torch_TensorType<"NonValueTensor", "tensor">; // Memory that may be overwritten.

//===--- Constants, lists, borders ----------------------------------------------------------------------------------===//

class Torch_Op<string mnemonic, list<Trait> traits = []> : Op<Torch_Dialect, mnemonic, traits>;

class Torch_Constant<string what, Attr attribute, Type type> : Torch_Op<"constant." # what, [Pure]> {
  let arguments = (ins attribute:$value);
  let results = (outs type:$result);
  let assemblyFormat = "$value attr-dict";
}
def Torch_ConstantIntOp : Torch_Constant<"int", I64Attr, Torch_Int>;
def Torch_ConstantFloatOp : Torch_Constant<"float", F64Attr, Torch_Float>;
def Torch_ConstantBoolOp : Torch_Constant<"bool", BoolAttr, Torch_Bool>;
def Torch_ConstantStrOp : Torch_Constant<"str", StrAttr, Torch_Str>;
def Torch_ConstantDeviceOp : Torch_Constant<"device", StrAttr, Torch_Device>;
def Torch_ConstantNoneOp : Torch_Op<"constant.none", [Pure]> {
  let results = (outs Torch_None:$result);
  let assemblyFormat = "attr-dict";
}

def Torch_PrimListConstructOp : Torch_Op<"prim.ListConstruct", [Pure]> {
  let arguments = (ins Variadic<AnyType>:$elements);
  let results = (outs Torch_List:$result);
  let assemblyFormat = "$elements attr-dict `:` functional-type($elements, results)";
}
def Torch_VTensorLiteralOp : Torch_Op<"vtensor.literal", [Pure]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Torch_VTensor:$result);
  let assemblyFormat = "`` `(` $value `)` attr-dict `:` qualified(type($result))";
}
def Torch_OverwriteTensorContentsOp : Torch_Op<"overwrite.tensor.contents"> {
  let arguments = (ins Torch_VTensor:$value, Torch_NonValueTensor:$overwritten);
  let assemblyFormat = [{
    $value `overwrites` $overwritten attr-dict `:` qualified(type($value)) `,` qualified(type($overwritten))
  }];
}
def Torch_CopyToVTensorOp : Torch_Op<"copy.to_vtensor"> {
  let arguments = (ins Torch_NonValueTensor:$operand);
  let results = (outs Torch_VTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<CopyType>(type($operand), type($result))";
}

//===--- aten: `op %a, %b : Ta, Tb -> Tr, Ts` -----------------------------------------------------------------------===//

class Torch_AtenBase<string mnemonic, dag ins, dag outs> : Torch_Op<mnemonic, [Pure]> {
  let arguments = ins;
  let results = outs;
  let assemblyFormat = "operands attr-dict `:` qualified(type(operands)) `->` qualified(type(results))";
}
class Torch_Aten1<string mnemonic, dag ins> : Torch_AtenBase<mnemonic, ins, (outs AnyType:$result)>;
class Torch_Unary<string mnemonic> : Torch_Aten1<mnemonic, (ins AnyType:$self)>;
class Torch_Binary<string mnemonic> : Torch_Aten1<mnemonic, (ins AnyType:$self, AnyType:$other)>;
class Torch_Ternary<string mnemonic> : Torch_Aten1<mnemonic, (ins AnyType:$self, AnyType:$second, AnyType:$third)>;

// Convolutions and matrix products.
def Torch_AtenConvolutionOp : Torch_Aten1<"aten.convolution",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$dilation,
        AnyType:$transposed, AnyType:$output_padding, AnyType:$groups)>;
def Torch_AtenUnderscoreConvolutionOp : Torch_Aten1<"aten._convolution",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$dilation,
        AnyType:$transposed, AnyType:$output_padding, AnyType:$groups, AnyType:$benchmark, AnyType:$deterministic,
        AnyType:$vendor_enabled, AnyType:$allow_tf32)>;
def Torch_AtenConvolutionBackwardOp : Torch_AtenBase<"aten.convolution_backward",
    (ins AnyType:$grad_output, AnyType:$input, AnyType:$weight, AnyType:$bias_sizes, AnyType:$stride,
        AnyType:$padding, AnyType:$dilation, AnyType:$transposed, AnyType:$output_padding, AnyType:$groups,
        AnyType:$output_mask), (outs AnyType:$grad_input, AnyType:$grad_weight, AnyType:$grad_bias)>;
def Torch_AtenConv1dOp : Torch_Aten1<"aten.conv1d",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$dilation,
        AnyType:$groups)>;
def Torch_AtenConv2dOp : Torch_Aten1<"aten.conv2d",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$dilation,
        AnyType:$groups)>;
def Torch_AtenConv3dOp : Torch_Aten1<"aten.conv3d",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$dilation,
        AnyType:$groups)>;
def Torch_AtenConv1dPaddingOp : Torch_Aten1<"aten.conv1d.padding",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$dilation,
        AnyType:$groups)>;
def Torch_AtenConv2dPaddingOp : Torch_Aten1<"aten.conv2d.padding",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$dilation,
        AnyType:$groups)>;
def Torch_AtenConv3dPaddingOp : Torch_Aten1<"aten.conv3d.padding",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$dilation,
        AnyType:$groups)>;
def Torch_AtenConvTranspose1dOp : Torch_Aten1<"aten.conv_transpose1d",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$output_padding,
        AnyType:$groups, AnyType:$dilation)>;
def Torch_AtenConvTranspose2dInputOp : Torch_Aten1<"aten.conv_transpose2d.input",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$output_padding,
        AnyType:$groups, AnyType:$dilation)>;
def Torch_AtenConvTranspose3dInputOp : Torch_Aten1<"aten.conv_transpose3d.input",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$stride, AnyType:$padding, AnyType:$output_padding,
        AnyType:$groups, AnyType:$dilation)>;
def Torch_AtenMmOp : Torch_Binary<"aten.mm">;
def Torch_AtenBmmOp : Torch_Binary<"aten.bmm">;
def Torch_AtenMatmulOp : Torch_Binary<"aten.matmul">;
def Torch_AtenAddmmOp : Torch_Aten1<"aten.addmm",
    (ins AnyType:$self, AnyType:$mat1, AnyType:$mat2, AnyType:$beta, AnyType:$alpha)>;
def Torch_AtenBaddbmmOp : Torch_Aten1<"aten.baddbmm",
    (ins AnyType:$self, AnyType:$batch1, AnyType:$batch2, AnyType:$beta, AnyType:$alpha)>;
def Torch_AtenLinearOp : Torch_Aten1<"aten.linear", (ins AnyType:$input, AnyType:$weight, AnyType:$bias)>;

// The same memory under other names.
def Torch_AtenPermuteOp : Torch_Aten1<"aten.permute", (ins AnyType:$self, AnyType:$dims)>;
def Torch_AtenTransposeIntOp : Torch_Aten1<"aten.transpose.int", (ins AnyType:$self, AnyType:$dim0, AnyType:$dim1)>;
def Torch_AtenTOp : Torch_Unary<"aten.t">;
def Torch_AtenNumpyTOp : Torch_Unary<"aten.numpy_T">;
def Torch_AtenViewOp : Torch_Aten1<"aten.view", (ins AnyType:$self, AnyType:$size)>;
def Torch_AtenReshapeOp : Torch_Aten1<"aten.reshape", (ins AnyType:$self, AnyType:$size)>;
def Torch_AtenUnsafeViewOp : Torch_Aten1<"aten._unsafe_view", (ins AnyType:$self, AnyType:$size)>;
def Torch_AtenFlattenUsingIntsOp : Torch_Aten1<"aten.flatten.using_ints",
    (ins AnyType:$self, AnyType:$start_dim, AnyType:$end_dim)>;
def Torch_AtenUnsqueezeOp : Torch_Aten1<"aten.unsqueeze", (ins AnyType:$self, AnyType:$dim)>;
def Torch_AtenSqueezeOp : Torch_Unary<"aten.squeeze">;
def Torch_AtenSqueezeDimOp : Torch_Aten1<"aten.squeeze.dim", (ins AnyType:$self, AnyType:$dim)>;
def Torch_AtenExpandOp : Torch_Aten1<"aten.expand", (ins AnyType:$self, AnyType:$size, AnyType:$implicit)>;
def Torch_AtenBroadcastToOp : Torch_Aten1<"aten.broadcast_to", (ins AnyType:$self, AnyType:$size)>;
def Torch_AtenSliceTensorOp : Torch_Aten1<"aten.slice.Tensor",
    (ins AnyType:$self, AnyType:$dim, AnyType:$start, AnyType:$end, AnyType:$step)>;
def Torch_AtenSelectIntOp : Torch_Aten1<"aten.select.int", (ins AnyType:$self, AnyType:$dim, AnyType:$index)>;
def Torch_AtenAsStridedOp : Torch_Aten1<"aten.as_strided",
    (ins AnyType:$self, AnyType:$size, AnyType:$stride, AnyType:$storage_offset)>;
def Torch_AtenConstantPadNdOp : Torch_Aten1<"aten.constant_pad_nd", (ins AnyType:$self, AnyType:$pad, AnyType:$value)>;
def Torch_AtenContiguousOp : Torch_Aten1<"aten.contiguous", (ins AnyType:$self, AnyType:$memory_format)>;
def Torch_AtenCloneOp : Torch_Aten1<"aten.clone", (ins AnyType:$self, AnyType:$memory_format)>;
def Torch_AtenDetachOp : Torch_Unary<"aten.detach">;
def Torch_AtenAliasOp : Torch_Unary<"aten.alias">;
def Torch_AtenToDtypeOp : Torch_Aten1<"aten.to.dtype",
    (ins AnyType:$self, AnyType:$dtype, AnyType:$non_blocking, AnyType:$copy, AnyType:$memory_format)>;
def Torch_AtenToCopyOp : Torch_Aten1<"aten._to_copy",
    (ins AnyType:$self, AnyType:$dtype, AnyType:$layout, AnyType:$device, AnyType:$pin_memory, AnyType:$non_blocking,
        AnyType:$memory_format)>;
def Torch_PrimsConvertElementTypeOp : Torch_Aten1<"prims.convert_element_type", (ins AnyType:$a, AnyType:$dtype)>;

// New tensors.
def Torch_AtenEmptyMemoryFormatOp : Torch_Aten1<"aten.empty.memory_format",
    (ins AnyType:$size, AnyType:$dtype, AnyType:$layout, AnyType:$device, AnyType:$pin_memory,
        AnyType:$memory_format)>;
def Torch_AtenZerosOp : Torch_Aten1<"aten.zeros",
    (ins AnyType:$size, AnyType:$dtype, AnyType:$layout, AnyType:$device, AnyType:$pin_memory)>;
def Torch_AtenOnesOp : Torch_Aten1<"aten.ones",
    (ins AnyType:$size, AnyType:$dtype, AnyType:$layout, AnyType:$device, AnyType:$pin_memory)>;
def Torch_AtenFullOp : Torch_Aten1<"aten.full",
    (ins AnyType:$size, AnyType:$fill_value, AnyType:$dtype, AnyType:$layout, AnyType:$device, AnyType:$pin_memory)>;
def Torch_AtenEmptyLikeOp : Torch_Aten1<"aten.empty_like",
    (ins AnyType:$self, AnyType:$dtype, AnyType:$layout, AnyType:$device, AnyType:$pin_memory,
        AnyType:$memory_format)>;
def Torch_AtenZerosLikeOp : Torch_Aten1<"aten.zeros_like",
    (ins AnyType:$self, AnyType:$dtype, AnyType:$layout, AnyType:$device, AnyType:$pin_memory,
        AnyType:$memory_format)>;

// Pointwise.
def Torch_AtenReluOp : Torch_Unary<"aten.relu">;
def Torch_AtenSigmoidOp : Torch_Unary<"aten.sigmoid">;
def Torch_AtenTanhOp : Torch_Unary<"aten.tanh">;
def Torch_AtenSiluOp : Torch_Unary<"aten.silu">;
def Torch_AtenAbsOp : Torch_Unary<"aten.abs">;
def Torch_AtenCeilOp : Torch_Unary<"aten.ceil">;
def Torch_AtenFloorOp : Torch_Unary<"aten.floor">;
def Torch_AtenExpOp : Torch_Unary<"aten.exp">;
def Torch_AtenLogOp : Torch_Unary<"aten.log">;
def Torch_AtenNegOp : Torch_Unary<"aten.neg">;
def Torch_AtenErfOp : Torch_Unary<"aten.erf">;
def Torch_AtenSqrtOp : Torch_Unary<"aten.sqrt">;
def Torch_AtenRsqrtOp : Torch_Unary<"aten.rsqrt">;
def Torch_AtenSinOp : Torch_Unary<"aten.sin">;
def Torch_AtenCosOp : Torch_Unary<"aten.cos">;
def Torch_AtenTanOp : Torch_Unary<"aten.tan">;
def Torch_AtenReciprocalOp : Torch_Unary<"aten.reciprocal">;
def Torch_AtenLogicalNotOp : Torch_Unary<"aten.logical_not">;
def Torch_AtenSignOp : Torch_Unary<"aten.sign">;
def Torch_AtenRoundOp : Torch_Unary<"aten.round">;
def Torch_AtenSquareOp : Torch_Unary<"aten.square">;
def Torch_AtenRelu6Op : Torch_Unary<"aten.relu6">;
def Torch_AtenGeluOp : Torch_Aten1<"aten.gelu", (ins AnyType:$self, AnyType:$approximate)>;
def Torch_AtenEluOp : Torch_Aten1<"aten.elu",
    (ins AnyType:$self, AnyType:$alpha, AnyType:$scale, AnyType:$input_scale)>;
def Torch_AtenSoftplusOp : Torch_Aten1<"aten.softplus", (ins AnyType:$self, AnyType:$beta, AnyType:$threshold)>;
def Torch_AtenLeakyReluOp : Torch_Aten1<"aten.leaky_relu", (ins AnyType:$self, AnyType:$negative_slope)>;
def Torch_AtenHardtanhOp : Torch_Aten1<"aten.hardtanh", (ins AnyType:$self, AnyType:$min_val, AnyType:$max_val)>;
def Torch_AtenClampOp : Torch_Aten1<"aten.clamp", (ins AnyType:$self, AnyType:$min, AnyType:$max)>;
def Torch_AtenClampMinOp : Torch_Binary<"aten.clamp_min">;
def Torch_AtenClampMaxOp : Torch_Binary<"aten.clamp_max">;
def Torch_AtenThresholdOp : Torch_Ternary<"aten.threshold">;
def Torch_AtenAddTensorOp : Torch_Aten1<"aten.add.Tensor", (ins AnyType:$self, AnyType:$other, AnyType:$alpha)>;
def Torch_AtenSubTensorOp : Torch_Aten1<"aten.sub.Tensor", (ins AnyType:$self, AnyType:$other, AnyType:$alpha)>;
def Torch_AtenAddScalarOp : Torch_Aten1<"aten.add.Scalar", (ins AnyType:$self, AnyType:$other, AnyType:$alpha)>;
def Torch_AtenSubScalarOp : Torch_Aten1<"aten.sub.Scalar", (ins AnyType:$self, AnyType:$other, AnyType:$alpha)>;
def Torch_AtenRsubScalarOp : Torch_Aten1<"aten.rsub.Scalar", (ins AnyType:$self, AnyType:$other, AnyType:$alpha)>;
def Torch_AtenMulTensorOp : Torch_Binary<"aten.mul.Tensor">;
def Torch_AtenMulScalarOp : Torch_Binary<"aten.mul.Scalar">;
def Torch_AtenDivTensorOp : Torch_Binary<"aten.div.Tensor">;
def Torch_AtenDivScalarOp : Torch_Binary<"aten.div.Scalar">;
def Torch_AtenMaximumOp : Torch_Binary<"aten.maximum">;
def Torch_AtenMinimumOp : Torch_Binary<"aten.minimum">;
def Torch_AtenPowTensorTensorOp : Torch_Binary<"aten.pow.Tensor_Tensor">;
def Torch_AtenPowTensorScalarOp : Torch_Binary<"aten.pow.Tensor_Scalar">;
def Torch_AtenFmodTensorOp : Torch_Binary<"aten.fmod.Tensor">;
def Torch_AtenFmodScalarOp : Torch_Binary<"aten.fmod.Scalar">;
def Torch_AtenRemainderTensorOp : Torch_Binary<"aten.remainder.Tensor">;
def Torch_AtenRemainderScalarOp : Torch_Binary<"aten.remainder.Scalar">;
def Torch_AtenLogicalAndOp : Torch_Binary<"aten.logical_and">;
def Torch_AtenLogicalOrOp : Torch_Binary<"aten.logical_or">;
def Torch_AtenEqTensorOp : Torch_Binary<"aten.eq.Tensor">;
def Torch_AtenNeTensorOp : Torch_Binary<"aten.ne.Tensor">;
def Torch_AtenLtTensorOp : Torch_Binary<"aten.lt.Tensor">;
def Torch_AtenLeTensorOp : Torch_Binary<"aten.le.Tensor">;
def Torch_AtenGtTensorOp : Torch_Binary<"aten.gt.Tensor">;
def Torch_AtenGeTensorOp : Torch_Binary<"aten.ge.Tensor">;
def Torch_AtenEqScalarOp : Torch_Binary<"aten.eq.Scalar">;
def Torch_AtenNeScalarOp : Torch_Binary<"aten.ne.Scalar">;
def Torch_AtenLtScalarOp : Torch_Binary<"aten.lt.Scalar">;
def Torch_AtenLeScalarOp : Torch_Binary<"aten.le.Scalar">;
def Torch_AtenGtScalarOp : Torch_Binary<"aten.gt.Scalar">;
def Torch_AtenGeScalarOp : Torch_Binary<"aten.ge.Scalar">;
def Torch_AtenWhereSelfOp : Torch_Aten1<"aten.where.self", (ins AnyType:$condition, AnyType:$self, AnyType:$other)>;
def Torch_AtenWhereScalarOtherOp : Torch_Aten1<"aten.where.ScalarOther",
    (ins AnyType:$condition, AnyType:$self, AnyType:$other)>;
def Torch_AtenWhereScalarSelfOp : Torch_Aten1<"aten.where.ScalarSelf",
    (ins AnyType:$condition, AnyType:$self, AnyType:$other)>;
def Torch_AtenThresholdBackwardOp : Torch_Aten1<"aten.threshold_backward",
    (ins AnyType:$grad_output, AnyType:$self, AnyType:$threshold)>;
def Torch_AtenHardtanhBackwardOp : Torch_Aten1<"aten.hardtanh_backward",
    (ins AnyType:$grad_output, AnyType:$self, AnyType:$min_val, AnyType:$max_val)>;
def Torch_AtenSiluBackwardOp : Torch_Aten1<"aten.silu_backward", (ins AnyType:$grad_output, AnyType:$self)>;
def Torch_AtenTanhBackwardOp : Torch_Aten1<"aten.tanh_backward", (ins AnyType:$grad_output, AnyType:$output)>;
def Torch_AtenSigmoidBackwardOp : Torch_Aten1<"aten.sigmoid_backward", (ins AnyType:$grad_output, AnyType:$output)>;
def Torch_AtenGeluBackwardOp : Torch_Aten1<"aten.gelu_backward",
    (ins AnyType:$grad_output, AnyType:$self, AnyType:$approximate)>;
def Torch_AtenEluBackwardOp : Torch_Aten1<"aten.elu_backward",
    (ins AnyType:$grad_output, AnyType:$alpha, AnyType:$scale, AnyType:$input_scale, AnyType:$is_result,
        AnyType:$self_or_result)>;
def Torch_AtenSoftplusBackwardOp : Torch_Aten1<"aten.softplus_backward",
    (ins AnyType:$grad_output, AnyType:$self, AnyType:$beta, AnyType:$threshold)>;
def Torch_AtenLeakyReluBackwardOp : Torch_Aten1<"aten.leaky_relu_backward",
    (ins AnyType:$grad_output, AnyType:$self, AnyType:$negative_slope, AnyType:$self_is_result)>;
def Torch_AtenItemOp : Torch_Unary<"aten.item">;

// Reductions.
def Torch_AtenSumOp : Torch_Aten1<"aten.sum", (ins AnyType:$self, AnyType:$dtype)>;
def Torch_AtenMeanOp : Torch_Aten1<"aten.mean", (ins AnyType:$self, AnyType:$dtype)>;
def Torch_AtenMaxOp : Torch_Unary<"aten.max">;
def Torch_AtenMinOp : Torch_Unary<"aten.min">;
def Torch_AtenSumDimIntListOp : Torch_Aten1<"aten.sum.dim_IntList",
    (ins AnyType:$self, AnyType:$dim, AnyType:$keepdim, AnyType:$dtype)>;
def Torch_AtenMeanDimOp : Torch_Aten1<"aten.mean.dim",
    (ins AnyType:$self, AnyType:$dim, AnyType:$keepdim, AnyType:$dtype)>;
def Torch_AtenAmaxOp : Torch_Aten1<"aten.amax", (ins AnyType:$self, AnyType:$dim, AnyType:$keepdim)>;
def Torch_AtenAminOp : Torch_Aten1<"aten.amin", (ins AnyType:$self, AnyType:$dim, AnyType:$keepdim)>;
def Torch_AtenMaxDimOp : Torch_AtenBase<"aten.max.dim",
    (ins AnyType:$self, AnyType:$dim, AnyType:$keepdim), (outs AnyType:$values, AnyType:$indices)>;
def Torch_AtenMinDimOp : Torch_AtenBase<"aten.min.dim",
    (ins AnyType:$self, AnyType:$dim, AnyType:$keepdim), (outs AnyType:$values, AnyType:$indices)>;
def Torch_AtenProdOp : Torch_Aten1<"aten.prod", (ins AnyType:$self, AnyType:$dtype)>;
def Torch_PrimsProdOp : Torch_Aten1<"prims.prod", (ins AnyType:$inp, AnyType:$dims, AnyType:$output_dtype)>;
def Torch_AtenLinalgVectorNormOp : Torch_Aten1<"aten.linalg_vector_norm",
    (ins AnyType:$self, AnyType:$ord, AnyType:$dim, AnyType:$keepdim, AnyType:$dtype)>;
def Torch_AtenNormScalarOptDimOp : Torch_Aten1<"aten.norm.ScalarOpt_dim",
    (ins AnyType:$self, AnyType:$p, AnyType:$dim, AnyType:$keepdim)>;
def Torch_PrimsSumOp : Torch_Aten1<"prims.sum", (ins AnyType:$inp, AnyType:$dims, AnyType:$output_dtype)>;
def Torch_AtenProdDimIntOp : Torch_Aten1<"aten.prod.dim_int",
    (ins AnyType:$self, AnyType:$dim, AnyType:$keepdim, AnyType:$dtype)>;

// Normalisation.
def Torch_AtenNativeBatchNormOp : Torch_AtenBase<"aten.native_batch_norm",
    (ins AnyType:$input, AnyType:$weight, AnyType:$bias, AnyType:$running_mean, AnyType:$running_var,
        AnyType:$training, AnyType:$momentum, AnyType:$eps), (outs AnyType:$result, AnyType:$save_mean,
        AnyType:$save_invstd)>;

#endif
