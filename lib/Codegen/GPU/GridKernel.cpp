#include "Codegen/GPU/GridKernel.h"

using namespace mlir;

namespace orzo::gpu {

static constexpr llvm::StringLiteral sharedSymbol = "orzo_shared";

Value sharedMemory(Writer &w, ModuleOp kernels) {
  if (!kernels.lookupSymbol(sharedSymbol)) {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToStart(kernels.getBody());
    auto type = LLVM::LLVMArrayType::get(w.b.getI8Type(), 0);
    LLVM::GlobalOp::create(w.b, w.loc, type, /*isConstant=*/false, LLVM::Linkage::External, sharedSymbol, Attribute(),
                           /*alignment=*/1024, /*addrSpace=*/3);
  }
  return LLVM::AddressOfOp::create(w.b, w.loc, w.pointer(3), sharedSymbol);
}

KernelInfo emitGridKernel(ModuleOp kernels, const std::string &symbol, size_t slots, int64_t blocks, int64_t threads,
                          const std::function<void(Writer &, const std::vector<Value> &)> &body) {
  KernelInfo info;
  info.symbol = symbol;
  info.launch.tiles = blocks;
  info.launch.persistent = false;
  info.launch.threads = static_cast<int32_t>(threads);
  for (size_t slot = 0; slot < slots; ++slot)
    info.launch.parameters.push_back({CudaParameter::Kind::Pointer, static_cast<int32_t>(slot), 0});
  OpBuilder builder(kernels.getContext());
  Writer w(builder, builder.getUnknownLoc(), symbol + "_phases");
  builder.setInsertionPointToEnd(kernels.getBody());
  SmallVector<Type> types(slots, w.pointer(1));
  auto function = LLVM::LLVMFuncOp::create(
      builder, w.loc, symbol, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(kernels.getContext()), types));
  function->setAttr("nvvm.kernel", builder.getUnitAttr());
  function->setAttr("nvvm.maxntid", builder.getDenseI32ArrayAttr({info.launch.threads}));
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  body(w, std::vector<Value>(entry->args_begin(), entry->args_end()));
  LLVM::ReturnOp::create(builder, w.loc, ValueRange());
  return info;
}

} // namespace orzo::gpu
