#include "Codegen/GPU/EpilogueWriter.h"
#include "Codegen/GPU/KernelParts.h"

#include <algorithm>

using namespace mlir;

namespace orzo::gpu {

namespace {

/// Each warp moves its own 16 rows, 32 columns at a time: lines of 128 bytes, swizzled. Of what comes back a thread has
/// four neighbours, eight threads a row.
class RowStoreWriter {
public:
  RowStoreWriter(Writer &w, const Kernel &kernel, const Position<Writer> &position, Value buffer)
      : w(w), kernel(kernel), position(position), buffer(buffer), lane(w.bitAnd(kernel.thread, 31)),
        warpRow(w.mul(w.bitAnd(w.shiftRight(kernel.thread, 5), 3), 16)), memory(kernel.extraMemory) {
    memory.push_back(kernel.target);
  }

  /// `sums` are a thread's 16 of 32 columns.
  void emit(Value row, Value block, int64_t firstColumn, ArrayRef<Value> sums) {
    w.syncWarp(); // What was in the buffer has been read.
    for (int64_t group = 0; group < 4; ++group)
      for (int64_t half = 0; half < 2; ++half) {
        Value line = w.add(w.add(warpRow, w.shiftRight(lane, 2)), 8 * half);
        Value chunk = w.add(w.bitAnd(w.shiftRight(lane, 1), 1), 2 * group);
        Value address = w.add(w.add(buffer, swizzled(w, line, chunk)), w.mul(w.bitAnd(lane, 1), 8));
        w.store(vectorOf(sums.slice(4 * group + 2 * half, 2)), w.shared(address), 8);
      }
    w.syncWarp();
    Value chunk = w.bitAnd(lane, 7);
    w.loop(w.integer(0), w.integer(16), w.integer(4), {}, [&](Value step, ValueRange) {
      Value line = w.add(w.add(warpRow, step), w.shiftRight(lane, 3));
      Value four = w.load(w.vector(4, w.f32()), w.shared(w.add(buffer, swizzled(w, line, chunk))), 16);
      SmallVector<Value> values;
      for (int64_t i = 0; i < 4; ++i)
        values.push_back(LLVM::ExtractElementOp::create(w.b, w.loc, four, w.integer(i)));
      storeFour(w.add(row, line), block, w.add(w.mul(chunk, 4), firstColumn), values);
      return SmallVector<Value>();
    });
  }

private:
  Value vectorOf(ArrayRef<Value> values) {
    Value vector = LLVM::UndefOp::create(w.b, w.loc, w.vector(static_cast<int64_t>(values.size()), w.f32()));
    for (auto [i, value] : llvm::enumerate(values))
      vector = LLVM::InsertElementOp::create(w.b, w.loc, vector, value, w.integer(static_cast<int64_t>(i)));
    return vector;
  }

  void storeFour(Value row, Value block, Value column, ArrayRef<Value> values) {
    Digits<Writer> digits = storePiece(w, kernel.tables, position, row, block);
    int64_t width = std::min<int64_t>(4, kernel.tables.storeWidth());
    for (int64_t i = 0; i < 4; i += width) {
      Value first = w.add(column, i);
      w.when(w.notEqual(isStored(w, kernel.tables, digits, first), 0), [&] {
        Value element = w.add(evaluate(w, kernel.tables.outElement, digits), first);
        ElementStore(w, kernel.epilogue, memory, kernel.tables.result).store(element, values.slice(i, width));
      });
    }
  }

  Writer &w;
  const Kernel &kernel;
  const Position<Writer> &position;
  Value buffer, lane, warpRow;
  std::vector<Value> memory;
};

} // namespace

void emitRowStore(Writer &w, const Kernel &kernel, const Position<Writer> &position, Value row, Value block,
                  Value buffer, ArrayRef<Value> sums) {
  RowStoreWriter writer(w, kernel, position, buffer);
  for (int64_t part = 0; part < static_cast<int64_t>(sums.size()) / 16; ++part)
    writer.emit(row, w.add(block, part / 2), part % 2 * 32, sums.slice(part * 16, 16));
}

} // namespace orzo::gpu
