#include "Pipeline/Registry.h"

#include "Conversion/ConvToGemm/Passes.h"
#include "Dialect/Conv/Transforms/Passes.h"
#include "Dialect/Dispatch/Transforms/Passes.h"
#include "Dialect/Gemm/GemmDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

namespace orzo {

void registerProblemDialects(mlir::DialectRegistry &registry) {
  registry.insert<conv::ConvDialect, gemm::GemmDialect, dispatch::DispatchDialect, mlir::func::FuncDialect,
                  mlir::tensor::TensorDialect, mlir::memref::MemRefDialect, mlir::arith::ArithDialect>();
}

void registerAllDialects(mlir::DialectRegistry &registry) {
  registerProblemDialects(registry);
  registry.insert<mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect, mlir::vector::VectorDialect,
                  mlir::LLVM::LLVMDialect>();
}

void registerPasses() {
  conv::registerConvTransformsPasses();
  registerConvToGemmPasses();
  dispatch::registerDispatchTransformsPasses();
  mlir::registerTransformsPasses();
}

} // namespace orzo
