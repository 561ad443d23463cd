#include "Codegen/CPU/LoopsKernel.h"

#include "Codegen/CPU/Writer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace orzo::cpu {

/// `pointer` as a memref of `type`, a packed one, in the form that the lowering of memrefs gives it.
static Value asMemRef(Writer &w, Value pointer, MemRefType type) {
  auto array = LLVM::LLVMArrayType::get(w.i64(), static_cast<unsigned>(type.getRank()));
  SmallVector<Type> fields = {w.pointer(), w.pointer(), w.i64()};
  if (type.getRank() > 0)
    fields.append({array, array});
  Value descriptor = LLVM::UndefOp::create(w.b, w.loc, LLVM::LLVMStructType::getLiteral(w.b.getContext(), fields));
  auto set = [&](Value value, ArrayRef<int64_t> position) {
    descriptor = LLVM::InsertValueOp::create(w.b, w.loc, descriptor, value, position);
  };
  set(pointer, {0});
  set(pointer, {1});
  set(w.integer(0), {2});
  int64_t stride = 1;
  for (int64_t dim = type.getRank(); dim-- > 0; stride *= type.getDimSize(dim)) {
    set(w.integer(type.getDimSize(dim)), {3, dim});
    set(w.integer(stride), {4, dim});
  }
  return UnrealizedConversionCastOp::create(w.b, w.loc, type, descriptor).getResult(0);
}

KernelInfo emitLoops(ModuleOp kernels, const std::string &symbol, dispatch::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockEnd(kernels.getBody());
  Writer w(builder, kernels.getLoc());
  // Constants of the source lie beside its module's functions.
  for (auto global : function->getParentOfType<ModuleOp>().getOps<memref::GlobalOp>())
    if (!kernels.lookupSymbol(global.getSymName()))
      builder.clone(*global);
  SmallVector<Type> types = {w.pointer(), w.i64(), w.i64(), w.pointer()};
  auto kernel = func::FuncOp::create(builder, w.loc, symbol, builder.getFunctionType(types, {}));
  Block *body = kernel.addEntryBlock();
  builder.setInsertionPointToStart(body);
  w.when(w.less(body->getArgument(1), body->getArgument(2)), [&] {
    IRMapping mapping;
    for (BlockArgument argument : function.getArguments()) {
      Value slot = w.at(body->getArgument(0), w.integer(argument.getArgNumber()), w.pointer());
      mapping.map(argument, asMemRef(w, w.load(w.pointer(), slot, 8), cast<MemRefType>(argument.getType())));
    }
    for (Operation &op : function.getBody().front().without_terminator())
      builder.clone(op, mapping);
  });
  func::ReturnOp::create(builder, w.loc);
  KernelInfo info;
  info.symbol = symbol;
  info.unitRanges = {1};
  return info;
}

} // namespace orzo::cpu
