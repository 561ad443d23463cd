// Types and ops of IREE's hal dialect at the border of input modules: buffer views, fences, and the ops that turn them
// into tensors and back. Read and printed only.
#ifndef ORZO_HAL_OPS
#define ORZO_HAL_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def HAL_Dialect : Dialect {
  let name = "hal";
  let cppNamespace = "::orzo::hal";
  let summary = "The part of IREE's hal dialect that input modules use";
  let useDefaultTypePrinterParser = 1;
}

class HAL_Type<string name, string typeMnemonic> : TypeDef<HAL_Dialect, name> { let mnemonic = typeMnemonic; }
def HAL_BufferView : HAL_Type<"BufferView", "buffer_view">;
def HAL_Buffer : HAL_Type<"Buffer", "buffer">;
def HAL_Device : HAL_Type<"Device", "device">;
def HAL_Fence : HAL_Type<"Fence", "fence">;
def HAL_Storage : AnyTypeOf<[HAL_BufferView, HAL_Buffer]>;

class HAL_Op<string mnemonic, list<Trait> traits = []> : Op<HAL_Dialect, mnemonic, traits>;

// An empty literal joins the two characters of an arrow that the format language has no literal for.
def HAL_TensorImportOp : HAL_Op<"tensor.import", [AttrSizedOperandSegments]> {
  let summary = "The tensor in a buffer, once the fence is reached";
  let arguments = (ins HAL_Storage:$source, Variadic<Index>:$target_dims, Optional<HAL_Fence>:$wait_fence,
                       OptionalAttr<StrAttr>:$name, UnitAttr:$consume);
  let results = (outs AnyRankedTensor:$target);
  let assemblyFormat = [{
    (`wait` `(` $wait_fence^ `)` `=` `` `>`)? $source ($name^)? `:` qualified(type($source)) `->` type($target)
    (`{` $target_dims^ `}`)? attr-dict
  }];
}

def HAL_TensorExportOp : HAL_Op<"tensor.export"> {
  let summary = "A buffer that holds the tensor";
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$source_dims, OptionalAttr<StrAttr>:$name);
  let results = (outs HAL_Storage:$target);
  let assemblyFormat = [{
    $source ($name^)? `:` type($source) (`{` $source_dims^ `}`)? `->` qualified(type($target)) attr-dict
  }];
}

def HAL_TensorAliasOp : HAL_Op<"tensor.alias", [AllTypesMatch<["source", "result"]>, AttrSizedOperandSegments]> {
  let summary = "The tensor, to be computed into a buffer";
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$source_dims, HAL_Storage:$storage,
                       Optional<HAL_Fence>:$wait_fence);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    (`wait` `(` $wait_fence^ `)` `=` `` `>`)? $source `:` type($source) (`{` $source_dims^ `}`)?
    `to` $storage `:` qualified(type($storage)) attr-dict
  }];
}

def HAL_TensorBarrierOp : HAL_Op<"tensor.barrier"> {
  let summary = "The tensors; the fence is signalled once they are there";
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, HAL_Fence:$signal_fence);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `join` `` `(` ($sources^ `:` custom<SameTypes>(type($sources), type($results)))? `)` `=` `` `>` $signal_fence
    `:` qualified(type($signal_fence)) attr-dict
  }];
  let hasVerifier = 1;
}

def HAL_DevicesGetOp : HAL_Op<"devices.get", [Pure]> {
  let summary = "A device by number";
  let arguments = (ins Index:$ordinal);
  let results = (outs HAL_Device:$device);
  let assemblyFormat = "$ordinal attr-dict `:` qualified(type($device))";
}

def HAL_FenceCreateOp : HAL_Op<"fence.create"> {
  let summary = "A new fence";
  let arguments = (ins HAL_Device:$device, StrAttr:$flags);
  let results = (outs HAL_Fence:$fence);
  let assemblyFormat = [{
    `device` `(` $device `:` qualified(type($device)) `)` `flags` `(` $flags `)` attr-dict `:` qualified(type($fence))
  }];
}

def HAL_FenceAwaitOp : HAL_Op<"fence.await"> {
  let summary = "Wait until all fences are reached";
  let arguments = (ins Variadic<HAL_Fence>:$fences, I32:$timeout_millis, StrAttr:$flags);
  let results = (outs I32:$status);
  let assemblyFormat = [{
    `until` `(` `[` $fences `]` `)` `timeout_millis` `(` $timeout_millis `)` `flags` `(` $flags `)` attr-dict
    `:` type($status)
  }];
}

#endif
