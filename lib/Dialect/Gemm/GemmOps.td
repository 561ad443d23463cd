// The gemm dialect: matrix products over strided, possibly padded operands; each op is one launch.
#ifndef ORZO_GEMM_OPS
#define ORZO_GEMM_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Dialect/Conv/ConvBase.td"
include "Dialect/Gemm/GemmInterfaces.td"

def Gemm_Dialect : Dialect {
  let name = "gemm";
  let cppNamespace = "::orzo::gemm";
  let summary = "Implicit matrix products: the lowering of a convolution is chosen, its tiling is not";
  let dependentDialects = ["::orzo::conv::ConvDialect"];
  let useDefaultAttributePrinterParser = 1;
}

def Gemm_ContractionAttr : AttrDef<Gemm_Dialect, "Contraction"> {
  let mnemonic = "contraction";
  let summary = "A Contraction: extents and element strides of a strided matrix product";
  let description = [{
    Which tensors of the problem lhs, rhs and out are, then the dims of each group, outermost first, as
    `extent(lhs stride, rhs stride, out stride)`; `zero_tail` where no product reaches some elements of the result.

    ```mlir
    #gemm.contraction<x = y * w, batch = [], m = [4096(2048, 0, 4096)], n = [4096(0, 1, 1)], k = [2048(1, 4096, 0)]>
    ```
  }];
  let parameters = (ins "::orzo::Role":$lhs, "::orzo::Role":$rhs, "::orzo::Role":$out,
                        ArrayRefParameter<"int64_t", "extent, lhs, rhs, out of each dim">:$batch,
                        ArrayRefParameter<"int64_t">:$m, ArrayRefParameter<"int64_t">:$n,
                        ArrayRefParameter<"int64_t">:$k, "bool":$zeroTail);
  let extraClassDeclaration = [{
    static ContractionAttr get(::mlir::MLIRContext *context, const ::orzo::Contraction &contraction);
    ::orzo::Contraction getContraction() const;
  }];
  let hasCustomAssemblyFormat = 1;
}

def Gemm_ElementMapAttr : AttrDef<Gemm_Dialect, "ElementMap"> {
  let mnemonic = "elements";
  let summary = "Which element of an extra belongs to each element of the result";
  let description = [{
    An ElementMap (Spec/ElementMap.h): `extent(stride)` of each digit of the result's element number, outermost first, and
    the extra's first element.

    ```mlir
    #gemm.elements<[8192(0), 2048(1)], from = 0>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "extent and stride of each digit">:$digits, "int64_t":$offset);
  let extraClassDeclaration = [{
    static ElementMapAttr get(::mlir::MLIRContext *context, const ::orzo::ElementMap &map);
    ::orzo::ElementMap getMap() const;
  }];
  let hasCustomAssemblyFormat = 1;
}

class Gemm_Op<string mnemonic, Attr problem> : Op<Gemm_Dialect, mnemonic, [
    DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<GemmOpInterface, ["problem"]>]> {
  let arguments = (ins AnyShaped:$lhs, AnyShaped:$rhs, AnyShaped:$out, Variadic<AnyShaped>:$extras, problem:$problem,
                       OptionalAttr<ArrayAttr>:$extra_maps);
  let results = (outs Variadic<AnyRankedTensor>:$result);
  let regions = (region SizedRegion<1>:$epilogue);
  let hasCustomAssemblyFormat = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "::mlir::Value":$out,
                                 problem.storageType:$problem), [{
    buildGemmOp($_builder, $_state, lhs, rhs, out);
    $_state.addAttribute("problem", problem);
  }]>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];
  code commonDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      collectEffects(*this, effects);
    }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
      return parseGemmOp(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { printGemmOp(printer, *this); }
  }];
}

def Gemm_ContractOp : Gemm_Op<"contract", Gemm_ContractionAttr> {
  let summary = "A strided (batched) matrix product that needs no bounds checks";
  let description = [{
    ```mlir
    %0 = gemm.contract ins(%dy, %w : tensor<16x256x2048xbf16>, tensor<2048x2x2048xbf16>)
           outs(%dx : tensor<16x512x2048xbf16>) #gemm.contraction<...> -> tensor<16x512x2048xbf16>
    ```
  }];
  let extraClassDefinition = commonDefinition # [{
    Problem $cppClass::problem() { return getProblemAttr().getContraction(); }
  }];
}

def Gemm_ImplicitOp : Gemm_Op<"implicit", Conv_SpecAttr> {
  let summary = "An fprop or dgrad as a matrix product whose input is gathered through the phase table";
  let description = [{
    `ins` are the tensor gathered (x of an fprop, y of a dgrad) and the filter. `phases` is printed for people; it
    follows from the problem.
  }];
  let extraClassDefinition = commonDefinition # [{
    Problem $cppClass::problem() { return getProblemAttr().getSpec(); }
  }];
}

def Gemm_WgradOp : Gemm_Op<"wgrad", Conv_SpecAttr> {
  let summary = "A filter gradient as a matrix product over the pixels";
  let description = "`ins` are x and y; the sum runs over batch and output positions.";
  let extraClassDefinition = commonDefinition # [{
    Problem $cppClass::problem() { return getProblemAttr().getSpec(); }
  }];
}

def Gemm_YieldOp : Op<Gemm_Dialect, "yield", [Pure, Terminator,
    ParentOneOf<["ContractOp", "ImplicitOp", "WgradOp"]>]> {
  let summary = "Ends an epilogue with the value to store";
  let arguments = (ins F32:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
