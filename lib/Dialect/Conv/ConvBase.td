// The conv dialect and its attributes, which the other dialects use too.
#ifndef ORZO_CONV_BASE
#define ORZO_CONV_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Conv_Dialect : Dialect {
  let name = "conv";
  let cppNamespace = "::orzo::conv";
  let summary = "Convolutions and their gradients as one relation among three tensors";
  let useDefaultAttributePrinterParser = 1;
}

def Conv_GeometryAttr : AttrDef<Conv_Dialect, "Geometry"> {
  let mnemonic = "geometry";
  let summary = "Everything of a ConvSpec that the tensor types do not say";
  let description = [{
    Layouts are letters, outermost first (orzo/Spec/Layout.h); axes of extent 1 may be left out. The arrays have one
    entry per spatial dim and are left out where there is none.

    ```mlir
    #conv.geometry<x = "nhc", w = "krc", y = "npk", stride = [2], dilation = [1], pad_low = [0], flip = [false],
                   groups = 1, acc = f32>
    ```
  }];
  let parameters = (ins StringRefParameter<"layout of x">:$x, StringRefParameter<"layout of w">:$w,
                        StringRefParameter<"layout of y">:$y, ArrayRefParameter<"int64_t">:$stride,
                        ArrayRefParameter<"int64_t">:$dilation, ArrayRefParameter<"int64_t">:$padLow,
                        ArrayRefParameter<"bool">:$flip, "int64_t":$groups, "::mlir::Type":$accumulate);
  let extraClassDeclaration = [{
    /// The geometry of `spec`.
    static GeometryAttr get(::mlir::MLIRContext *context, const ::orzo::ConvSpec &spec);
    int rank() const { return static_cast<int>(getStride().size()); }
  }];
  let hasCustomAssemblyFormat = 1;
}

def Conv_SpecAttr : AttrDef<Conv_Dialect, "Spec"> {
  let mnemonic = "spec";
  let summary = "A whole ConvSpec, as its one-line text";
  let parameters = (ins StringRefParameter<"conv.v1 text">:$text);
  let assemblyFormat = "`<` $text `>`";
  let extraClassDeclaration = [{
    static SpecAttr get(::mlir::MLIRContext *context, const ::orzo::ConvSpec &spec);
    /// The problem that the text says.
    ::orzo::ConvSpec getSpec() const;
  }];
  let genVerifyDecl = 1;
}

#endif
