#include "Pipeline/KernelLowering.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace orzo {

void addLoopsLowering(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  // Parts of memory become numbers before the numbers become LLVM's.
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  // Processors compute in f32 what they only store in 16 bits, and round by integer arithmetic.
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"bf16", "f16"};
  passes.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  passes.addPass(arith::createArithExpandOpsPass(expand));
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
}

void addKernelLowering(OpPassManager &passes) {
  // The emitter writes constants where it needs them; one of each is left before loops are taken apart.
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  // Vectors while there is still structured control flow: their lowering may make loops.
  ConvertVectorToLLVMPassOptions vectors;
  passes.addPass(createConvertVectorToLLVMPass(vectors));
  passes.addPass(createSCFToControlFlowPass());
  // Pointwise bodies use those math ops alone that are instructions (fma, floor, sqrt ...): nothing becomes a call.
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}

void addCudaKernelLowering(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSCFToControlFlowPass());
  // Most NVVM ops translate as they stand; this is for those that are written as inline assembly.
  passes.addPass(createConvertNVVMToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}

void registerKernelDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  NVVM::NVVMDialect, scf::SCFDialect, vector::VectorDialect>();
}

} // namespace orzo
