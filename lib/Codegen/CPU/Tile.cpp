#include "Codegen/CPU/Epilogue.h"
#include "Codegen/CPU/KernelParts.h"
#include "Codegen/CPU/TileExtras.h"

using namespace mlir;

namespace orzo::cpu {
namespace {

/// Writes the register tile: tileRows x tileColumns accumulators, in `vectors` registers a row.
class TileWriter {
public:
  TileWriter(Writer &writer, const Kernel &kernel)
      : w(writer), kernel(kernel), plan(kernel.plan), extras(writer, kernel), lanes(plan.lanes()),
        vectors(kernel.vectors()), accumulatorType(w.vector(lanes, w.f32())), outType(w.storage(kernel.nest.outType)) {}

  func::FuncOp emit(ModuleOp module) {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(module.getBody());
    SmallVector<Type> types = {w.pointer(), w.pointer(), w.i64(),     w.pointer(), w.i1(),  w.i1(),
                               w.pointer(), w.pointer(), w.pointer(), w.i64(),     w.i64(), w.pointer()};
    size_t own = types.size();
    types.append(extras.types());
    auto function = func::FuncOp::create(w.b, w.loc, kernel.symbol + "_tile", w.b.getFunctionType(types, {}));
    function.setPrivate();
    function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(w.b.getContext(), LLVM::Linkage::Internal));
    function->setAttr("no_inline", w.b.getUnitAttr());
    Block *body = function.addEntryBlock();
    w.b.setInsertionPointToStart(body);
    lhs = body->getArgument(0), rhs = body->getArgument(1), depth = body->getArgument(2);
    memory = body->getArgument(3), first = body->getArgument(4), last = body->getArgument(5);
    out = body->getArgument(6), rowOffsets = body->getArgument(7), columnOffsets = body->getArgument(8);
    rows = body->getArgument(9), columns = body->getArgument(10), counters = body->getArgument(11);
    extras.take(ValueRange(body->getArguments()).drop_front(own), rowOffsets, columnOffsets);
    bool oneDepthBlock = kernel.depthBlocks == 1;
    if (kernel.columnsContiguous && !kernel.extras.empty())
      w.when(last, [&] { extras.prefetch(rows); });
    SmallVector<Value> accumulators = multiply(oneDepthBlock ? zeros() : loadOrZero());
    if (oneDepthBlock)
      finish(accumulators);
    else
      w.when(last, [&] { finish(accumulators); }, [&] { keep(accumulators); });
    func::ReturnOp::create(w.b, w.loc);
    return function;
  }

private:
  Value accumulatorAt(int64_t row, int64_t vector) {
    return w.at(memory, w.integer(row * plan.tileColumns + vector * lanes), w.f32());
  }

  SmallVector<Value> zeros() { return SmallVector<Value>(plan.tileRows * vectors, w.zero(accumulatorType)); }

  SmallVector<Value> loadOrZero() {
    return w.choose(
        first, SmallVector<Type>(plan.tileRows * vectors, accumulatorType), [&] { return zeros(); },
        [&] {
          SmallVector<Value> loaded;
          for (int64_t row = 0; row < plan.tileRows; ++row)
            for (int64_t vector = 0; vector < vectors; ++vector)
              loaded.push_back(w.load(accumulatorType, accumulatorAt(row, vector), 64));
          return loaded;
        });
  }

  void keep(const SmallVector<Value> &accumulators) {
    for (int64_t row = 0; row < plan.tileRows; ++row)
      for (int64_t vector = 0; vector < vectors; ++vector)
        w.store(accumulators[row * vectors + vector], accumulatorAt(row, vector), 64);
  }

  /// One word of lhs in every lane: an f32, or a pair of bf16.
  Value broadcast(Value word) {
    Value scalar = w.load(plan.dotPairs ? w.i32() : w.f32(), word, 4);
    return vector::BroadcastOp::create(w.b, w.loc, w.vector(lanes, scalar.getType()), scalar);
  }

  Value multiplyAdd(Value a, Value b, Value accumulator) {
    if (!plan.dotPairs)
      return vector::FMAOp::create(w.b, w.loc, a, b, accumulator);
    Type pairs = w.vector(2 * lanes, w.b.getBF16Type());
    SmallVector<Value> operands = {accumulator, vector::BitCastOp::create(w.b, w.loc, pairs, a),
                                   vector::BitCastOp::create(w.b, w.loc, pairs, b)};
    return LLVM::CallIntrinsicOp::create(w.b, w.loc, accumulatorType,
                                         w.b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"), operands)
        .getResults();
  }

  SmallVector<Value> multiply(SmallVector<Value> initial) {
    const Operand &a = kernel.lhs, &b = kernel.rhs;
    bool counting = kernel.countMultiplyAdds;
    if (counting)
      initial.push_back(w.integer(0));
    SmallVector<Value> result =
        w.loop(w.integer(0), w.ceilDiv(depth, plan.pair()), 1, initial, [&](Value step, ValueRange carried) {
          SmallVector<Value> next, columnVectors;
          for (int64_t vector = 0; vector < vectors; ++vector) {
            Type type = w.vector(lanes, plan.dotPairs ? w.i32() : w.f32());
            Value index = w.add(w.mul(step, b.stepWords), vector * lanes);
            columnVectors.push_back(w.load(type, w.at(rhs, index, w.i32()), 4 * lanes));
          }
          for (int64_t row = 0; row < plan.tileRows; ++row) {
            Value index = w.add(w.mul(step, a.stepWords), row * a.laneWords);
            Value word = broadcast(w.at(lhs, index, w.i32()));
            for (int64_t vector = 0; vector < vectors; ++vector)
              next.push_back(multiplyAdd(word, columnVectors[vector], carried[row * vectors + vector]));
          }
          if (counting)
            next.push_back(w.add(carried.back(), plan.pair()));
          return next;
        });
    if (counting)
      count(result.pop_back_val());
    return result;
  }

  /// counters[0] += multiply-adds of valid rows, columns and k, counters[1] += those of the rest of the tile, of which
  /// the zero that an odd last k is paired with is a part.
  void count(Value steps) {
    Value valid = w.mul(w.mul(rows, columns), w.min(steps, depth));
    Value all = w.mul(steps, plan.tileRows * plan.tileColumns);
    for (auto [index, amount] : {std::pair(0, valid), std::pair(1, w.sub(all, valid))})
      LLVM::AtomicRMWOp::create(w.b, w.loc, LLVM::AtomicBinOp::add, w.at(counters, w.integer(index), w.i64()), amount,
                                LLVM::AtomicOrdering::monotonic);
  }

  void finish(const SmallVector<Value> &accumulators) {
    if (!kernel.columnsContiguous) {
      keep(accumulators);
      storeScalars();
      return;
    }
    Value whole = w.equal(columns, w.integer(plan.tileColumns));
    w.when(
        whole, [&] { storeRows(accumulators, /*masked=*/false); },
        [&] {
          if (plan.isa != Isa::AVX2) { // AVX2 has no masked store of 16-bit elements.
            storeRows(accumulators, /*masked=*/true);
          } else {
            keep(accumulators);
            storeScalars();
          }
        });
  }

  /// The epilogue of an accumulator, a scalar or a register, as the result stores it.
  Value finished(Value accumulator, SmallVector<Value> arguments) {
    arguments.insert(arguments.begin(), accumulator);
    return w.narrow(inlineBody(w, kernel.body, arguments), kernel.nest.outType);
  }

  void storeRows(const SmallVector<Value> &accumulators, bool masked) {
    int64_t bytes = static_cast<int64_t>(byteSize(kernel.nest.outType));
    Value columnOffset = w.loadInteger(columnOffsets, w.integer(0));
    SmallVector<Value> masks;
    Value valid = masked ? w.opaque(columns) : columns;
    for (int64_t vector = 0; masked && vector < vectors; ++vector) {
      Value left = arith::IndexCastOp::create(w.b, w.loc, w.b.getIndexType(), w.sub(valid, w.integer(vector * lanes)));
      masks.push_back(vector::CreateMaskOp::create(w.b, w.loc, w.vector(lanes, w.i1()), left));
    }
    extras.beginRows(rows, valid, masks);
    for (int64_t row = 0; row < plan.tileRows; ++row)
      w.when(w.less(w.integer(row), rows), [&] {
        extras.beginRow(w.integer(row));
        Value base = w.at(out, w.add(w.loadInteger(rowOffsets, w.integer(row)), columnOffset), outType);
        for (int64_t vector = 0; vector < vectors; ++vector) {
          Value value = finished(accumulators[row * vectors + vector], extras.registers(vector));
          Value target = w.at(base, w.integer(vector * lanes), outType);
          if (masked)
            LLVM::MaskedStoreOp::create(w.b, w.loc, value, target, masks[vector], bytes);
          else
            w.store(value, target, bytes);
        }
      });
  }

  /// From the accumulators' memory, element by element.
  void storeScalars() {
    int64_t bytes = static_cast<int64_t>(byteSize(kernel.nest.outType));
    w.loop(w.integer(0), rows, 1, [&](Value row) {
      Value rowOffset = w.loadInteger(rowOffsets, row);
      w.loop(w.integer(0), columns, 1, [&](Value column) {
        Value index = w.add(w.mul(row, plan.tileColumns), column);
        Value value = finished(w.load(w.f32(), w.at(memory, index, w.f32()), 4), extras.element(row, column));
        w.store(value, w.at(out, w.add(rowOffset, w.loadInteger(columnOffsets, column)), outType), bytes);
      });
    });
  }

  Writer &w;
  const Kernel &kernel;
  const Plan &plan;
  TileExtras extras;
  int64_t lanes, vectors;
  VectorType accumulatorType;
  Type outType;
  Value lhs, rhs, depth, memory, first, last, out, rowOffsets, columnOffsets, rows, columns, counters;
};

} // namespace

func::FuncOp emitTile(Writer &writer, ModuleOp module, const Kernel &kernel) {
  return TileWriter(writer, kernel).emit(module);
}

} // namespace orzo::cpu
