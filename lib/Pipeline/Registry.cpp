#include "Pipeline/Registry.h"

#include "Conversion/ConvToGemm/Passes.h"
#include "Conversion/ConvToLinalg/Passes.h"
#include "Conversion/LinalgToConv/Passes.h"
#include "Conversion/LinalgToLoops/Passes.h"
#include "Dialect/Compat/HAL/HALDialect.h"
#include "Dialect/Compat/Torch/TorchDialect.h"
#include "Dialect/Compat/Util/UtilDialect.h"
#include "Dialect/Conv/Transforms/Passes.h"
#include "Dialect/Dispatch/Transforms/Passes.h"
#include "Dialect/Gemm/GemmDialect.h"
#include "Dialect/Nest/NestDialect.h"
#include "Pipeline/KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Transforms/Passes.h"

namespace orzo {

void registerProblemDialects(mlir::DialectRegistry &registry) {
  registry.insert<conv::ConvDialect, nest::NestDialect, gemm::GemmDialect, dispatch::DispatchDialect,
                  mlir::func::FuncDialect, mlir::tensor::TensorDialect, mlir::memref::MemRefDialect,
                  mlir::arith::ArithDialect>();
}

void registerInputDialects(mlir::DialectRegistry &registry) {
  registerProblemDialects(registry);
  registry.insert<mlir::affine::AffineDialect, mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, hal::HALDialect, torch::TorchDialect, util::UtilDialect>();
}

void registerAllDialects(mlir::DialectRegistry &registry) {
  registerInputDialects(registry);
  registerKernelDialects(registry);
  // What stays linalg is brought to memory.
  registry.insert<mlir::bufferization::BufferizationDialect>();
  mlir::arith::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::linalg::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::scf::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::tensor::registerBufferizableOpInterfaceExternalModels(registry);
}

void registerPasses() {
  conv::registerConvTransformsPasses();
  registerLinalgToConvPasses();
  registerConvToGemmPasses();
  registerConvToLinalgPasses();
  registerLinalgToLoopsPasses();
  dispatch::registerDispatchTransformsPasses();
  mlir::registerTransformsPasses();
}

} // namespace orzo
