#ifndef ORZO_DISPATCH_PASSES
#define ORZO_DISPATCH_PASSES

include "mlir/Pass/PassBase.td"

def FuseMapsPass : Pass<"orzo-fuse-maps", "::mlir::func::FuncOp"> {
  let summary = "Compute each nest.map where its operand is made: in other nests and in the epilogues of gemm ops";
  let description = [{
    nest.map => the body of the nest op that reads it, or the epilogue of the gemm op that it reads, where nobody else
    needs the memory between. A remark says what did not fuse, and why.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def FormDispatchesPass : Pass<"orzo-form-dispatches", "::mlir::func::FuncOp"> {
  let summary = "Put each gemm or nest op into a dispatch.region: one region, one launch";
  let description = [{
    A reduction of what a gemm op reads or writes goes into the region of that op: the sum of a gradient's result or of dy
    comes out of the same launch.
  }];
  let dependentDialects = ["::orzo::dispatch::DispatchDialect"];
}

def OutlineDispatchesPass : Pass<"orzo-outline-dispatches", "::mlir::ModuleOp"> {
  let summary = "Turn each dispatch.region into a dispatch.func over memory and a dispatch.run of it";
  let description = [{
    Tensors end at the border of a kernel: the function takes memrefs of the tensors' types. Kernels are named after what
    they compute, e.g. contract_4096x4096x2048_bf16.
  }];
  let dependentDialects = ["::orzo::dispatch::DispatchDialect", "::mlir::memref::MemRefDialect"];
}

def AssignBuffersPass : Pass<"orzo-assign-buffers", "::mlir::ModuleOp"> {
  let summary = "Turn func.func @problem into dispatch.program @problem: tensors become slots";
  let description = [{
    Arguments and the returned tensor become the caller's bindings, other destinations pieces of the workspace. Each piece
    lives from the first step that writes it to the last that reads it; pieces whose lives overlap get disjoint
    offsets, first fit, in multiples of 64 bytes.
  }];
  let dependentDialects = ["::orzo::dispatch::DispatchDialect", "::mlir::memref::MemRefDialect"];
}

#endif
