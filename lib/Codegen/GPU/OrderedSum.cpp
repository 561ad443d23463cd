#include "Codegen/GPU/KernelEmitter.h"
#include "Codegen/GPU/KernelParts.h"

using namespace mlir;

namespace orzo::gpu {

namespace {

constexpr int64_t threadCount = 256;
constexpr int64_t loadsAtOnce = 8;

class OrderedSumWriter {
public:
  OrderedSumWriter(Writer &w, const Tables &tables, const Plan &plan, Region *epilogue, Value partial, Value out)
      : w(w), tables(tables), plan(plan), epilogue(epilogue), partial(partial), out(out),
        width(tables.columnBlocks() * 64), count(tables.rows[0] * width) {}

  /// One thread adds the partial sums of two neighbours.
  void emit() {
    Value block = NVVM::BlockIdXOp::create(w.b, w.loc, w.i32());
    Value thread = NVVM::ThreadIdXOp::create(w.b, w.loc, w.i32());
    Value element = w.mul(w.add(w.mul(block, threadCount), thread), 2);
    w.when(w.less(element, w.integer(count)), [&] {
      Position<Writer> position;
      position.phase = w.integer(0);
      Value row = w.div(element, w.integer(width)), column = w.rem(element, w.integer(width));
      Digits<Writer> digits = storePiece(w, tables, position, row, w.shiftRight(column, 6));
      Value inBlock = w.bitAnd(column, 63);
      w.when(w.notEqual(isStored(w, tables, digits, inBlock), 0), [&] {
        SmallVector<Value> sums = addAll(w.at(partial, element, w.f32()));
        Value word = w.pack(applyEpilogue(w, epilogue, sums[0]), applyEpilogue(w, epilogue, sums[1]), tables.type);
        Value target = w.at(out, w.add(evaluate(w, tables.outElement, digits), inBlock), w.b.getI16Type());
        if (tables.storeWidth() > 1)
          return w.store(word, target, 4);
        auto half = [&](Value bits) { return w.b.createOrFold<arith::TruncIOp>(w.loc, w.b.getI16Type(), bits); };
        w.store(half(word), target, 2);
        w.when(w.notEqual(isStored(w, tables, digits, w.add(inBlock, 1)), 0),
               [&] { w.store(half(w.shiftRight(word, 16)), w.at(target, w.integer(1), w.b.getI16Type()), 2); });
      });
    });
  }

private:
  /// In the order of the splits, whatever order the loads come in.
  SmallVector<Value> addAll(Value first) {
    Value zero = arith::ConstantOp::create(w.b, w.loc, w.b.getF32FloatAttr(0));
    SmallVector<Value> sums = {zero, zero};
    int64_t whole = plan.splits / loadsAtOnce * loadsAtOnce;
    if (whole > 0)
      sums = w.loop(w.integer(0), w.integer(whole), w.integer(loadsAtOnce), sums, [&](Value split, ValueRange carried) {
        return addSome(w.at(first, w.mul(split, count), w.f32()), loadsAtOnce, {carried[0], carried[1]});
      });
    return addSome(w.at(first, w.integer(whole * count), w.f32()), plan.splits - whole, sums);
  }

  SmallVector<Value> addSome(Value from, int64_t splits, SmallVector<Value> sums) {
    SmallVector<Value> pairs;
    for (int64_t split = 0; split < splits; ++split)
      pairs.push_back(w.load(w.vector(2, w.f32()), w.at(from, w.integer(split * count), w.f32()), 8));
    for (Value pair : pairs)
      for (int64_t i = 0; i < 2; ++i)
        sums[i] =
            arith::AddFOp::create(w.b, w.loc, sums[i], LLVM::ExtractElementOp::create(w.b, w.loc, pair, w.integer(i)));
    return sums;
  }

  Writer &w;
  const Tables &tables;
  const Plan &plan;
  Region *epilogue;
  Value partial, out;
  int64_t width, count;
};

} // namespace

Expected<KernelInfo> emitOrderedSum(ModuleOp kernels, const std::string &symbol, const Tables &tables, const Plan &plan,
                                    Region *epilogue) {
  if (Status status = checkEpilogue(epilogue); !status.ok())
    return status;
  KernelInfo info;
  info.symbol = symbol;
  int64_t elements = tables.rows[0] * tables.columnBlocks() * 64;
  info.launch.tiles = (elements / 2 + threadCount - 1) / threadCount;
  info.launch.persistent = false;
  info.launch.threads = threadCount;
  info.launch.parameters = {{CudaParameter::Kind::Pointer, 0, 0}, {CudaParameter::Kind::Pointer, 1, 0}};

  OpBuilder builder(kernels.getContext());
  Writer w(builder, builder.getUnknownLoc(), symbol + "_phases");
  builder.setInsertionPointToEnd(kernels.getBody());
  SmallVector<Type> types(2, w.pointer(1));
  auto function = LLVM::LLVMFuncOp::create(
      builder, w.loc, symbol, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(kernels.getContext()), types));
  function->setAttr("nvvm.kernel", builder.getUnitAttr());
  function->setAttr("nvvm.maxntid", builder.getDenseI32ArrayAttr({static_cast<int32_t>(threadCount)}));
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  OrderedSumWriter(w, tables, plan, epilogue, entry->getArgument(0), entry->getArgument(1)).emit();
  LLVM::ReturnOp::create(builder, w.loc, ValueRange());
  return info;
}

} // namespace orzo::gpu
