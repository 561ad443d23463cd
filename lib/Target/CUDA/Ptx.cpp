#include "Target/CUDA/Ptx.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

namespace orzo::cuda {

static Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine() {
  static std::once_flag registered;
  std::call_once(registered, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return Status::internal("LLVM has no NVPTX target: " + error);
  // PTX 8.0 is the first version with all that the kernels use, and the one that most drivers read.
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, "sm_90a", "+ptx80", llvm::TargetOptions(), std::nullopt, std::nullopt,
                                  llvm::CodeGenOptLevel::Aggressive));
}

/// Warpgroup-wide instructions are inline assembly after translation: it must not move into divergent code.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm())
          call->setConvergent();
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

Expected<std::string> buildPtx(mlir::ModuleOp kernels, std::string *llvmText) {
  mlir::registerBuiltinDialectTranslation(*kernels.getContext());
  mlir::registerLLVMDialectTranslation(*kernels.getContext());
  mlir::registerNVVMDialectTranslation(*kernels.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(kernels, context, "kernels");
  if (!module)
    return Status::internal("the emitted kernel does not translate to LLVM IR");
  Expected<std::unique_ptr<llvm::TargetMachine>> machine = createTargetMachine();
  if (!machine.ok())
    return machine.status();
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  markConvergent(*module);
  optimise(*module, **machine);
  if (llvmText)
    llvm::raw_string_ostream(*llvmText) << *module;
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream out(ptx);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return Status::internal("LLVM cannot emit PTX");
  passes.run(*module);
  return std::string(ptx);
}

std::string kernelHash(const std::string &ptx) {
  auto digest = llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(ptx.data()), ptx.size()));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

} // namespace orzo::cuda
