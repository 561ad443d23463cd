// The nest dialect: loops over flat memory that compute one value an index, or reduce them.
#ifndef ORZO_NEST_OPS
#define ORZO_NEST_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nest_Dialect : Dialect {
  let name = "nest";
  let cppNamespace = "::orzo::nest";
  let summary = "Pointwise work and reductions as loops with strides over flat memory";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"]; // What bodies are made of.
  let useDefaultAttributePrinterParser = 1;
}

def Nest_LoopsAttr : AttrDef<Nest_Dialect, "Loops"> {
  let mnemonic = "loops";
  let summary = "Loops, outermost first, and how far each tensor moves along them";
  let description = [{
    One loop an entry, `extent(strides of the inputs, stride of the result)`, in elements; then the element at which each
    tensor begins.

    ```mlir
    #nest.loops<[8192(2048, 0, 2048), 2048(1, 1, 1)], from = [0, 0, 0]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "extent and strides of each loop">:$numbers,
                        ArrayRefParameter<"int64_t", "first element of each tensor">:$offsets);
  let extraClassDeclaration = [{
    static LoopsAttr get(::mlir::MLIRContext *context, const ::std::vector<::orzo::GraphLoop> &loops,
                         const ::std::vector<int64_t> &offsets);
    ::std::vector<::orzo::GraphLoop> getLoops() const;
    /// How many tensors there are, the result included.
    size_t getTensorCount() const { return getOffsets().size(); }
  }];
  let hasCustomAssemblyFormat = 1;
}

class Nest_Op<string mnemonic, dag parameters, code declaration = [{}]> : Op<Nest_Dialect, mnemonic, [
    DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = !con((ins Variadic<AnyShaped>:$ins, AnyShaped:$out, Nest_LoopsAttr:$loops), parameters);
  let results = (outs Variadic<AnyRankedTensor>:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }] # declaration;
  code commonDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      collectEffects(*this, effects);
    }
    ::llvm::LogicalResult $cppClass::verify() { return verifyNestOp(*this, getLoops(), getBody()); }
  }];
  let extraClassDefinition = commonDefinition;
}

def Nest_MapOp : Nest_Op<"map", (ins)> {
  let summary = "Computes one value an index";
  let description = [{
    Tensors are flat memory, whatever their shape: only the number of elements counts. The body gets one f32 of every
    input, widened exactly, and yields the f32 to store, rounded once. Elements of `out` that the loops do not reach are
    left alone. Booleans are i1, one byte in memory, and 0 or 1 in the body.

    ```mlir
    %0 = nest.map ins(%y, %bias : tensor<16777216xbf16>, tensor<2048xbf16>) outs(%out : tensor<16777216xbf16>)
           #nest.loops<[8192(2048, 0, 2048), 2048(1, 1, 1)], from = [0, 0, 0]> {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      nest.yield %1 : f32
    } -> tensor<16777216xbf16>
    ```
  }];
  let assemblyFormat = [{
    (`ins` `(` $ins^ `:` type($ins) `)`)? `outs` `(` $out `:` type($out) `)` qualified($loops) $body attr-dict
    (`->` type($result)^)?
  }];
}

def Nest_ReduceOp : Nest_Op<"reduce", (ins StrAttr:$mode), [{
    /// What `mode` names.
    ::orzo::ReductionMode getReductionMode() { return *::orzo::nest::reductionMode(getMode()); }
  }]> {
  let summary = "Reduces one value an index along the loops in which the result stands still";
  let description = [{
    As nest.map; the values that the body yields are reduced by `mode` (name(ReductionMode) of orzo/Spec/Pointwise.h)
    along the loops in which the result has stride 0, in f32.
  }];
  let assemblyFormat = [{
    $mode (`ins` `(` $ins^ `:` type($ins) `)`)? `outs` `(` $out `:` type($out) `)` qualified($loops) $body attr-dict
    (`->` type($result)^)?
  }];
}

def Nest_YieldOp : Op<Nest_Dialect, "yield", [Pure, Terminator, ParentOneOf<["MapOp", "ReduceOp"]>]> {
  let summary = "Ends a body with its value";
  let arguments = (ins F32:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif
