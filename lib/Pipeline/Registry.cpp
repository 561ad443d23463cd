#include "Pipeline/Registry.h"

#include "Conversion/ConvToGemm/Passes.h"
#include "Conversion/ConvToLinalg/Passes.h"
#include "Dialect/Conv/Transforms/Passes.h"
#include "Dialect/Dispatch/Transforms/Passes.h"
#include "Dialect/Gemm/GemmDialect.h"
#include "Pipeline/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/Passes.h"

namespace orzo {

void registerProblemDialects(mlir::DialectRegistry &registry) {
  registry.insert<conv::ConvDialect, gemm::GemmDialect, dispatch::DispatchDialect, mlir::func::FuncDialect,
                  mlir::tensor::TensorDialect, mlir::memref::MemRefDialect, mlir::arith::ArithDialect,
                  mlir::linalg::LinalgDialect>();
}

void registerAllDialects(mlir::DialectRegistry &registry) {
  registerProblemDialects(registry);
  registerKernelDialects(registry);
}

void registerPasses() {
  conv::registerConvTransformsPasses();
  registerConvToGemmPasses();
  registerConvToLinalgPasses();
  dispatch::registerDispatchTransformsPasses();
  mlir::registerTransformsPasses();
}

} // namespace orzo
