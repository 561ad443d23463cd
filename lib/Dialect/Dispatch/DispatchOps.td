// The dispatch dialect: what is launched, in which order, over which memory.
#ifndef ORZO_DISPATCH_OPS
#define ORZO_DISPATCH_OPS

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Dialect/Conv/ConvBase.td"

def Dispatch_Dialect : Dialect {
  let name = "dispatch";
  let cppNamespace = "::orzo::dispatch";
  let summary = "Launches, fills and copies: the program that an artifact stores";
  let dependentDialects = ["::orzo::conv::ConvDialect"];
}

class Dispatch_Op<string mnemonic, list<Trait> traits = []> : Op<Dispatch_Dialect, mnemonic, traits>;

def Dispatch_RegionOp : Dispatch_Op<"region", [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "One launch, not yet outlined: tensors of the surroundings are read as they are";
  let arguments = (ins);
  let results = (outs Variadic<AnyRankedTensor>:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` type($result)^)? $body attr-dict";
  let hasVerifier = 1;
}

def Dispatch_YieldOp : Dispatch_Op<"yield", [Pure, Terminator, HasParent<"RegionOp">]> {
  let summary = "Ends a dispatch.region with its results";
  let arguments = (ins Variadic<AnyRankedTensor>:$value);
  let assemblyFormat = "($value^ `:` type($value))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Dispatch_FuncOp : Dispatch_Op<"func", [FunctionOpInterface, IsolatedFromAbove, Symbol, SingleBlock]> {
  let summary = "One kernel: the op it computes, over memory";
  let description = [{
    ```mlir
    dispatch.func @contract_4096x4096x2048_bf16(%lhs: memref<16x256x2048xbf16>, %rhs: memref<2048x2x2048xbf16>,
                                                %out: memref<16x512x2048xbf16>) {
      gemm.contract ins(%lhs, %rhs : ...) outs(%out : ...) #gemm.contraction<...>
      dispatch.return
    }
    ```
    A gemm op, a nest op, or several of which each is done before the next begins: what is read before what is written
    among the arguments, each used by an op at least once. Marked `loops` it holds plain code over memory instead, linalg
    and what it calls for, which is compiled as it is written.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, UnitAttr:$loops,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$slots)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The ops of the body besides its terminator, in the order in which they run; at least one.
    auto getKernelOps() { return getBody().front().without_terminator(); }
    /// Which arguments the operands of `kernel`, an op of the body, are.
    static ::llvm::SmallVector<unsigned> argumentsOf(::mlir::Operation *kernel);
  }];
}

def Dispatch_ReturnOp : Dispatch_Op<"return", [Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "Ends a dispatch.func";
  let assemblyFormat = "attr-dict";
}

def Dispatch_ProgramOp : Dispatch_Op<"program", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "The whole of a problem: slots, then steps in the order in which they run";
  let description = [{
    A flat list, one to one the steps and slots of an artifact image (Runtime/Core/Artifact.h).

    ```mlir
    dispatch.program @problem lowering "contract" because "..." of "conv.v1 dgrad ..." {
      %x = dispatch.binding "x" "nhc" result : memref<16x512x2048xbf16>
      %w = dispatch.binding "w" "krc" : memref<2048x2x2048xbf16>
      %y = dispatch.binding "y" "npk" : memref<16x256x2048xbf16>
      dispatch.run @contract_4096x4096x2048_bf16 ins(%y, %w : ...) outs(%x : ...)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$lowering, StrAttr:$reason, StrAttr:$problem,
                       DefaultValuedAttr<I64Attr, "0">:$workspace_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `lowering` $lowering `because` $reason `of` $problem
    (`workspace` $workspace_bytes^)? $body attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Dispatch_BindingOp : Dispatch_Op<"binding", [Pure, HasParent<"ProgramOp">]> {
  let summary = "A tensor of the caller: its name, its layout in letters, and whether the program writes it";
  let description = "The name is x, w or y in a convolution; in a graph the value's in its text, and there is no layout.";
  let arguments = (ins StrAttr:$name, StrAttr:$layout, UnitAttr:$result);
  let results = (outs AnyStaticShapeMemRef:$slot);
  let assemblyFormat = "$name $layout (`result` $result^)? attr-dict `:` type($slot)";
}

def Dispatch_WorkspaceOp : Dispatch_Op<"workspace", [Pure, HasParent<"ProgramOp">]> {
  let summary = "A piece of the program's workspace, at a byte offset that is a multiple of 64";
  let arguments = (ins I64Attr:$offset);
  let results = (outs AnyStaticShapeMemRef:$slot);
  let assemblyFormat = "`offset` $offset attr-dict `:` type($slot)";
  let hasVerifier = 1;
}

// Steps write `outs` and read `ins`, on tensors (one result each) before buffers are assigned, on memrefs after.
class Dispatch_StepOp<string mnemonic, list<Trait> traits = []> : Dispatch_Op<mnemonic, [
    DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>] # traits> {
  let results = (outs Variadic<AnyRankedTensor>:$result);
  code stepDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
  }];
  code stepDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      collectStepEffects(*this, effects);
    }
  }];
  let extraClassDeclaration = stepDeclaration;
  let extraClassDefinition = stepDefinition;
}

def Dispatch_RunOp : Dispatch_StepOp<"run", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a dispatch.func over ins and outs, in the order of its arguments";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyShaped>:$ins, Variadic<AnyShaped>:$outs);
  let assemblyFormat = [{
    $callee `ins` `(` ($ins^ `:` type($ins))? `)` `outs` `(` $outs `:` type($outs) `)` attr-dict
    (`->` type($result)^)?
  }];
}

def Dispatch_FillOp : Dispatch_StepOp<"fill"> {
  let summary = "Sets every byte of outs to `byte`";
  let arguments = (ins StrAttr:$name, AnyShaped:$outs, ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<255>]>:$byte);
  let assemblyFormat = "$name `outs` `(` $outs `:` type($outs) `)` `byte` $byte attr-dict (`->` type($result)^)?";
}

def Dispatch_CopyOp : Dispatch_StepOp<"copy"> {
  let summary = "Copies a strided box of elements";
  let description = [{
    Element (i0, i1, ...) of the box `extents` is read from element `source_offset + sum of i * source_strides` of `ins`
    and written to element `target_offset + sum of i * target_strides` of `outs`. Source strides may be negative.
    `transpose` marks a copy that reorders dims (it is counted as a transpose too).
  }];
  let arguments = (ins StrAttr:$name, AnyShaped:$ins, AnyShaped:$outs, DenseI64ArrayAttr:$extents,
                       I64Attr:$source_offset, DenseI64ArrayAttr:$source_strides, I64Attr:$target_offset,
                       DenseI64ArrayAttr:$target_strides, UnitAttr:$transpose);
  let assemblyFormat = [{
    $name `ins` `(` $ins `:` type($ins) `)` `outs` `(` $outs `:` type($outs) `)` `extents` $extents
    `from` $source_offset $source_strides `to` $target_offset $target_strides (`transpose` $transpose^)? attr-dict
    (`->` type($result)^)?
  }];
  let hasVerifier = 1;
}

#endif
