#include "PtxBodies.h"

#include "Dialect/Nest/PointwiseBody.h"
#include "Pipeline/KernelLowering.h"
#include "Target/CUDA/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace orzo::nest {

static void appendKernel(ModuleOp module, const BodyCase &each, const std::string &symbol) {
  Location loc = module.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), SmallVector<Type>(4, pointer));
  auto kernel = LLVM::LLVMFuncOp::create(b, loc, symbol, type);
  kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  Block *block = kernel.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  Value blockId = NVVM::BlockIdXOp::create(b, loc, b.getI32Type());
  Value thread = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  Value size = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(256));
  Value index = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, blockId, size), thread);
  auto at = [&](int argument) -> Value {
    return LLVM::GEPOp::create(b, loc, pointer, b.getF32Type(), block->getArgument(argument), ValueRange{index});
  };
  SmallVector<Value> inputs;
  for (int i = 0; i < inputCount(each.mode); ++i)
    inputs.push_back(LLVM::LoadOp::create(b, loc, b.getF32Type(), at(i)));
  Value result = buildPointwise(b, loc, each.mode, each.parameters, inputs);
  LLVM::StoreOp::create(b, loc, result, at(3));
  LLVM::ReturnOp::create(b, loc, ValueRange{});
}

std::string ptxOfBodies(const std::vector<BodyCase> &cases) {
  DialectRegistry registry;
  registerKernelDialects(registry);
  MLIRContext context(registry);
  context.disableMultithreading();
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  for (size_t i = 0; i < cases.size(); ++i)
    appendKernel(*module, cases[i], "body" + std::to_string(i));
  EXPECT_TRUE(succeeded(verify(*module)));
  PassManager passes(&context);
  addCudaKernelLowering(passes);
  EXPECT_TRUE(succeeded(passes.run(*module)));
  Expected<std::string> ptx = cuda::buildPtx(*module);
  EXPECT_TRUE(ptx.ok()) << ptx.status().message();
  return ptx ? ptx.take() : "";
}

} // namespace orzo::nest
