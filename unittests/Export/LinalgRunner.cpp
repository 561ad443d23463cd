#include "LinalgRunner.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/RequestCWrappers.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/TargetSelect.h"

namespace orzo::test {

std::unique_ptr<mlir::MLIRContext> runnerContext() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  mlir::DialectRegistry registry;
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect, mlir::bufferization::BufferizationDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                  mlir::linalg::LinalgDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect>();
  mlir::arith::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::linalg::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::tensor::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  return std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
}

namespace {

mlir::LogicalResult bufferize(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  mlir::bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion = mlir::bufferization::LayoutMapOption::IdentityLayoutMap;
  passes.addPass(mlir::bufferization::createOneShotBufferizePass(bufferize));
  mlir::bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.modifyPublicFunctions = true;
  passes.addPass(mlir::bufferization::createBufferResultsToOutParamsPass(outParams));
  if (mlir::failed(passes.run(module)))
    return mlir::failure();
  // Strided copies would call a runtime library; loops do as well.
  module.walk([](mlir::memref::CopyOp copy) {
    mlir::OpBuilder builder(copy);
    mlir::linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(), copy.getTarget());
    copy.erase();
  });
  return mlir::success();
}

mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  passes.addNestedPass<mlir::func::FuncOp>(mlir::createConvertLinalgToLoopsPass());
  passes.addNestedPass<mlir::func::FuncOp>(mlir::LLVM::createLLVMRequestCWrappersPass());
  passes.addPass(mlir::memref::createExpandStridedMetadataPass());
  passes.addPass(mlir::createLowerAffinePass());
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(mlir::createArithToLLVMConversionPass());
  passes.addPass(mlir::createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(mlir::createConvertControlFlowToLLVMPass());
  passes.addPass(mlir::createConvertFuncToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  return passes.run(module);
}

/// A strided memref of any rank, as the C interface has it: two pointers, the offset, sizes, strides.
class Descriptor {
public:
  Descriptor(float *data, llvm::ArrayRef<int64_t> shape) {
    words = {reinterpret_cast<int64_t>(data), reinterpret_cast<int64_t>(data), 0};
    words.append(shape.begin(), shape.end());
    llvm::SmallVector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;)
      strides[i - 1] = strides[i] * shape[i];
    words.append(strides.begin(), strides.end());
  }
  void *pointer() { return words.data(); }

private:
  llvm::SmallVector<int64_t> words;
};

} // namespace

Status runLinalg(mlir::ModuleOp module, std::span<std::vector<float>> operands, std::vector<float> &result) {
  auto function = *module.getOps<mlir::func::FuncOp>().begin();
  std::vector<Descriptor> descriptors;
  for (auto [operand, type] : llvm::zip_equal(operands, function.getArgumentTypes()))
    descriptors.emplace_back(operand.data(), mlir::cast<mlir::RankedTensorType>(type).getShape());
  descriptors.emplace_back(result.data(), mlir::cast<mlir::RankedTensorType>(function.getResultTypes()[0]).getShape());
  if (mlir::failed(bufferize(module)) || mlir::failed(lowerToLLVM(module)))
    return Status::internal("the lowering failed");
  llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>> engine = mlir::ExecutionEngine::create(module);
  if (!engine)
    return Status::internal(llvm::toString(engine.takeError()));
  llvm::SmallVector<void *> pointers, arguments;
  for (Descriptor &descriptor : descriptors)
    pointers.push_back(descriptor.pointer());
  for (void *&pointer : pointers)
    arguments.push_back(&pointer);
  if (llvm::Error error = (*engine)->invokePacked("_mlir_ciface_main", arguments))
    return Status::internal(llvm::toString(std::move(error)));
  return Status::success();
}

} // namespace orzo::test
