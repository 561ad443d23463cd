// Ops and attributes of IREE's util dialect that input modules use: functions, calls, null values. Read and printed
// only; nothing here says what they do.
#ifndef ORZO_UTIL_OPS
#define ORZO_UTIL_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Util_Dialect : Dialect {
  let name = "util";
  let cppNamespace = "::orzo::util";
  let summary = "The part of IREE's util dialect that input modules use";
  let useDefaultAttributePrinterParser = 1;
}

def Util_InlineNeverAttr : AttrDef<Util_Dialect, "InlineNever"> { let mnemonic = "inline.never"; }
def Util_InlineAlwaysAttr : AttrDef<Util_Dialect, "InlineAlways"> { let mnemonic = "inline.always"; }

class Util_Op<string mnemonic, list<Trait> traits = []> : Op<Util_Dialect, mnemonic, traits>;

def Util_FuncOp : Util_Op<"func", [AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "A function";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
  let hasCustomAssemblyFormat = 1;
}

def Util_ReturnOp : Util_Op<"return", [Pure, HasParent<"FuncOp">, ReturnLike, Terminator]> {
  let summary = "Return from a util.func";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` qualified(type($operands)))?";
}

def Util_CallOp : Util_Op<"call"> {
  let summary = "Call a util.func";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, $results)";
}

def Util_NullOp : Util_Op<"null", [Pure]> {
  let summary = "The null value of a reference type";
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def Util_OptimizationBarrierOp : Util_Op<"optimization_barrier"> {
  let summary = "Passes its operands on";
  let arguments = (ins Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict $operands `:` custom<SameTypes>(type($operands), type($results))";
}

#endif
