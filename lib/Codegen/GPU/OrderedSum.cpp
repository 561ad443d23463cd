#include "Codegen/GPU/EpilogueWriter.h"
#include "Codegen/GPU/GridKernel.h"
#include "Codegen/GPU/KernelParts.h"

using namespace mlir;

namespace orzo::gpu {

namespace {

constexpr int64_t threadCount = 256;
constexpr int64_t loadsAtOnce = 8;

class OrderedSumWriter {
public:
  OrderedSumWriter(Writer &w, const Tables &tables, const Plan &plan, Value partial, ElementStore out)
      : w(w), tables(tables), plan(plan), partial(partial), out(std::move(out)), width(tables.columnBlocks() * 64),
        count(tables.rows[0] * width) {}

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
        Value first = w.add(evaluate(w, tables.outElement, digits), inBlock);
        if (tables.storeWidth() > 1)
          return out.store(first, sums);
        out.store(first, sums[0]);
        w.when(w.notEqual(isStored(w, tables, digits, w.add(inBlock, 1)), 0),
               [&] { out.store(w.add(first, 1), sums[1]); });
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
  Value partial;
  ElementStore out;
  int64_t width, count;
};

} // namespace

Expected<KernelInfo> emitOrderedSum(ModuleOp kernels, const std::string &symbol, const Tables &tables, const Plan &plan,
                                    const Epilogue &epilogue) {
  if (Status status = checkEpilogue(epilogue, tables.result); !status.ok())
    return status;
  int64_t pairs = tables.rows[0] * tables.columnBlocks() * 32, blocks = (pairs + threadCount - 1) / threadCount;
  return emitGridKernel(
      kernels, symbol, 2 + epilogue.extras.size(), blocks, threadCount,
      [&](Writer &w, const std::vector<Value> &slots) {
        std::vector<Value> memory(slots.begin() + 2, slots.end());
        memory.push_back(slots[1]);
        OrderedSumWriter(w, tables, plan, slots[0], ElementStore(w, epilogue, memory, tables.result)).emit();
      });
}

} // namespace orzo::gpu
