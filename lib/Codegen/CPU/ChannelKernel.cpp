#include "Codegen/CPU/ChannelKernel.h"

#include "Codegen/CPU/Epilogue.h"
#include "Codegen/CPU/LaneExtras.h"
#include "Codegen/CPU/LinearForm.h"
#include "Codegen/CPU/PhaseFields.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

using namespace mlir;

namespace orzo::cpu {
namespace {

/// One tensor along the lanes.
struct LaneTensor {
  DataType type;
  int64_t stride; ///< Elements between lanes.
  bool padded = false;
  Value pointer;
  bool contiguous() const { return stride == 1; }
};

class ChannelWriter {
public:
  ChannelWriter(Writer &writer, const std::string &symbol, const Nest &nest, const Plan &plan, const Epilogue &epilogue,
                bool counting)
      : w(writer), symbol(symbol), nest(nest), plan(plan), body(epilogue.body), counting(counting), lanes(plan.lanes()),
        width(plan.lanes() * plan.laneVectors),
        depthBlocks(std::max<int64_t>(1, (nest.maxDepth() + plan.blockDepth - 1) / plan.blockDepth)),
        lhs{nest.lhsType, nest.batch.back().lhs, nest.padded == Nest::Padded::Lhs, {}},
        rhs{nest.rhsType, nest.batch.back().rhs, nest.padded == Nest::Padded::Rhs, {}},
        out{nest.outType, nest.batch.back().out, false, {}}, extras(w, epilogue.extras, nest, lanes, width) {
    auto tables = static_cast<int64_t>(2 + nest.coordinateExtents.size());
    rowTables = reserve(tables * plan.blockRows * 8);
    columnTables = reserve(tables * plan.blockColumns * 8);
    stepTables = reserve(tables * plan.blockDepth * 8);
    accumulators = reserve(plan.blockRows * plan.blockColumns * width * 4);
    int64_t lanesOfStrided = !lhs.contiguous() ? plan.blockRows : !rhs.contiguous() ? plan.blockColumns : 0;
    gathered = reserve(lanesOfStrided * plan.blockDepth * width * 4);
    extras.reserveTables(plan.blockRows, plan.blockColumns, [&](int64_t bytes) { return reserve(bytes); });
  }

  int64_t emit(ModuleOp module) {
    phases.emplace(w, module, symbol, nest, plan, extras.all());
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(module.getBody());
    SmallVector<Type> types = {w.pointer(), w.i64(), w.i64(), w.pointer()};
    auto function = func::FuncOp::create(w.b, w.loc, symbol, w.b.getFunctionType(types, {}));
    Block *body = function.addEntryBlock();
    w.b.setInsertionPointToStart(body);
    slots = body->getArgument(0), scratch = body->getArgument(3);
    w.loop(body->getArgument(1), body->getArgument(2), 1, [&](Value unit) { emitUnit(unit); });
    func::ReturnOp::create(w.b, w.loc);
    return scratchBytes;
  }

private:
  int64_t reserve(int64_t bytes) {
    int64_t at = scratchBytes;
    scratchBytes += (bytes + 63) / 64 * 64;
    return at;
  }

  Value scratchAt(int64_t bytes) { return w.at(scratch, w.integer(bytes), w.b.getI8Type()); }

  static std::vector<int64_t> strides(const std::vector<NestDim> &dims, auto get) {
    std::vector<int64_t> values;
    for (const NestDim &dim : dims)
      values.push_back(get(dim));
    return values;
  }

  /// Tables of one side: operand offsets, result (or other operand) offsets, then coordinates.
  std::vector<LinearForm> forms(const std::vector<NestDim> &dims, int64_t NestDim::*first, int64_t NestDim::*second,
                                int64_t table, int64_t capacity, bool coordinates, bool withBase) {
    std::vector<LinearForm> all = {
        {w.integer(0), strides(dims, [&](const NestDim &dim) { return dim.*first; }), scratchAt(table)},
        {w.integer(0), strides(dims, [&](const NestDim &dim) { return dim.*second; }),
         scratchAt(table + capacity * 8)}};
    for (size_t c = 0; coordinates && c < nest.coordinateExtents.size(); ++c)
      all.push_back({withBase ? phases->read(phases->coordinateBase[c], phase) : w.integer(0),
                     strides(dims, [&](const NestDim &dim) { return dim.coordinate[c]; }),
                     scratchAt(table + static_cast<int64_t>(2 + c) * capacity * 8)});
    return all;
  }

  Value entry(int64_t table, int64_t capacity, int64_t which, Value index) {
    return w.loadInteger(scratchAt(table + which * capacity * 8), index);
  }

  void emitUnit(Value unit) {
    phase = phases->find(unit);
    std::vector<Value> mExtents = phases->read(phases->m, phase), nExtents = phases->read(phases->n, phase),
                       kExtents = phases->read(phases->k, phase);
    Value rows = product(w, mExtents), columns = product(w, nExtents), depth = product(w, kExtents);
    Value rowBlocks = w.max(w.integer(1), w.ceilDiv(rows, plan.blockRows));
    Value columnBlocks = w.max(w.integer(1), w.ceilDiv(columns, plan.blockColumns));
    Value local = w.sub(unit, phases->read(phases->unitStart, phase));
    Value rowBlock = w.rem(local, rowBlocks), rest = w.div(local, rowBlocks);
    Value columnBlock = w.rem(rest, columnBlocks);
    rest = w.div(rest, columnBlocks);
    Value laneBlocks = w.integer(nest.batchExtents.back() / width);
    Value firstLane = w.mul(w.rem(rest, laneBlocks), width), outer = w.div(rest, laneBlocks);

    std::vector<Value> outerExtents;
    for (size_t dim = 0; dim + 1 < nest.batchExtents.size(); ++dim)
      outerExtents.push_back(w.integer(nest.batchExtents[dim]));
    std::vector<Value> batch = decompose(w, outer, outerExtents);
    batch.push_back(firstLane);
    auto place = [&](LaneTensor &tensor, int64_t number, const PhaseFields::Field &base, int64_t NestDim::*stride) {
      Value offset = evaluate(w, phases->read(base, phase), batch,
                              strides(nest.batch, [&](const NestDim &dim) { return dim.*stride; }));
      tensor.pointer = w.at(slot(number), offset, w.storage(tensor.type));
      return offset;
    };
    place(lhs, 0, phases->lhsBase, &NestDim::lhs);
    place(rhs, 1, phases->rhsBase, &NestDim::rhs);
    Value outElement = place(out, 2, phases->outBase, &NestDim::out);
    std::vector<Value> extraPointers;
    for (size_t extra = 0; extra < extras.count(); ++extra)
      extraPointers.push_back(slot(static_cast<int64_t>(3 + extra)));
    extras.beginUnit(*phases, phase, batch, outElement, extraPointers, scratch);

    Value firstRow = w.mul(rowBlock, plan.blockRows), firstColumn = w.mul(columnBlock, plan.blockColumns);
    rowCount = w.min(w.sub(rows, firstRow), w.integer(plan.blockRows));
    columnCount = w.min(w.sub(columns, firstColumn), w.integer(plan.blockColumns));
    fillTables(w, firstRow, rowCount, mExtents,
               forms(nest.m, &NestDim::lhs, &NestDim::out, rowTables, plan.blockRows, lhs.padded, true));
    fillTables(w, firstColumn, columnCount, nExtents,
               forms(nest.n, &NestDim::rhs, &NestDim::out, columnTables, plan.blockColumns, rhs.padded, true));
    extras.fillRows(firstRow, rowCount, mExtents);
    extras.fillColumns(firstColumn, columnCount, nExtents);

    Value blocks = w.max(w.integer(1), w.ceilDiv(depth, plan.blockDepth));
    w.loop(w.integer(0), blocks, 1, [&](Value block) {
      Value begin = w.mul(block, plan.blockDepth);
      stepCount = w.max(w.integer(0), w.min(w.sub(depth, begin), w.integer(plan.blockDepth)));
      fillTables(w, begin, stepCount, kExtents,
                 forms(nest.k, &NestDim::lhs, &NestDim::rhs, stepTables, plan.blockDepth, true, false));
      if (!lhs.contiguous())
        gather(lhs, rowCount, rowTables, plan.blockRows, 0);
      if (!rhs.contiguous())
        gather(rhs, columnCount, columnTables, plan.blockColumns, 1);
      Value first = w.equal(block, w.integer(0)), last = w.equal(w.add(block, 1), blocks);
      w.loop(w.integer(0), rowCount, plan.tileRows, [&](Value row) {
        w.loop(w.integer(0), columnCount, plan.tileColumns, [&](Value column) { emitTile(row, column, first, last); });
      });
    });
  }

  /// gathered[index][k][lane] := tensor's, as f32, for the lanes of the unit.
  void gather(const LaneTensor &tensor, Value count, int64_t table, int64_t capacity, int64_t which) {
    Value target = scratchAt(gathered);
    w.loop(w.integer(0), count, 1, [&](Value index) {
      Value base = entry(table, capacity, 0, index);
      w.loop(w.integer(0), stepCount, 1, [&](Value step) {
        Value offset = w.add(base, entry(stepTables, plan.blockDepth, which, step));
        Value to = w.mul(w.add(w.mul(index, plan.blockDepth), step), width);
        w.loop(w.integer(0), w.integer(width), 1, [&](Value lane) {
          Value from = w.at(tensor.pointer, w.add(offset, w.mul(lane, tensor.stride)), w.storage(tensor.type));
          Value value = w.load(w.storage(tensor.type), from, static_cast<int64_t>(byteSize(tensor.type)));
          w.store(w.widen(value, tensor.type), w.at(target, w.add(to, lane), w.f32()), 4);
        });
      });
    });
  }

  /// The registers of one operand element at (index, step).
  SmallVector<Value> loadLanes(const LaneTensor &tensor, Value index, Value step, int64_t table, int64_t capacity,
                               int64_t which) {
    SmallVector<Value> registers;
    DataType type = tensor.contiguous() ? tensor.type : DataType::F32;
    Value base = tensor.contiguous() ? tensor.pointer : scratchAt(gathered);
    Value offset = tensor.contiguous()
                       ? w.add(entry(table, capacity, 0, index), entry(stepTables, plan.blockDepth, which, step))
                       : w.mul(w.add(w.mul(index, plan.blockDepth), step), width);
    for (int64_t v = 0; v < plan.laneVectors; ++v) {
      Value from = w.at(base, w.add(offset, v * lanes), w.storage(type));
      Value value = w.load(w.vector(lanes, w.storage(type)), from, static_cast<int64_t>(byteSize(type)));
      registers.push_back(w.widen(value, type));
    }
    return registers;
  }

  Value inside(Value index, Value step, int64_t table, int64_t capacity) {
    Value all = arith::ConstantOp::create(w.b, w.loc, w.b.getBoolAttr(true));
    for (size_t c = 0; c < nest.coordinateExtents.size(); ++c) {
      auto which = static_cast<int64_t>(2 + c);
      Value position = w.add(entry(table, capacity, which, index), entry(stepTables, plan.blockDepth, which, step));
      all = w.both(all, w.inRange(position, w.integer(nest.coordinateExtents[c])));
    }
    return all;
  }

  Value accumulatorAt(Value row, Value column, int64_t v) {
    Value index = w.add(w.mul(row, plan.blockColumns), column);
    return w.at(scratchAt(accumulators), w.add(w.mul(index, width), v * lanes), w.f32());
  }

  /// Calls body(m, n, v, row, column) for each register of the tile; rows and columns beyond the block repeat its last.
  void forEachRegister(Value row, Value column,
                       const std::function<void(int64_t, int64_t, int64_t, Value, Value)> &body) {
    for (int64_t m = 0; m < plan.tileRows; ++m)
      for (int64_t n = 0; n < plan.tileColumns; ++n)
        for (int64_t v = 0; v < plan.laneVectors; ++v)
          body(m, n, v, clamped(row, m, rowCount), clamped(column, n, columnCount));
  }

  Value clamped(Value first, int64_t index, Value count) {
    return index == 0 ? first : w.min(w.add(first, index), w.sub(count, w.integer(1)));
  }

  void emitTile(Value row, Value column, Value first, Value last) {
    VectorType type = w.vector(lanes, w.f32());
    SmallVector<Type> types(plan.tileRows * plan.tileColumns * plan.laneVectors, type);
    auto zeros = [&] { return SmallVector<Value>(types.size(), w.zero(type)); };
    SmallVector<Value> initial = zeros();
    if (depthBlocks > 1)
      initial = w.choose(first, types, zeros, [&] {
        SmallVector<Value> loaded;
        forEachRegister(row, column, [&](int64_t, int64_t, int64_t v, Value r, Value c) {
          loaded.push_back(w.load(type, accumulatorAt(r, c, v), 64));
        });
        return loaded;
      });
    SmallVector<Value> sums = w.loop(w.integer(0), stepCount, 1, initial, [&](Value step, ValueRange carried) {
      return multiplyStep(row, column, step, carried);
    });
    if (counting)
      count(row, column);
    auto finish = [&] {
      forEachRegister(row, column, [&, index = 0](int64_t m, int64_t n, int64_t v, Value r, Value c) mutable {
        storeLanes(sums[index++], row, column, m, n, v, r, c);
      });
    };
    if (depthBlocks == 1)
      return finish();
    w.when(last, finish, [&] {
      forEachRegister(row, column, [&, index = 0](int64_t, int64_t, int64_t v, Value r, Value c) mutable {
        w.store(sums[index++], accumulatorAt(r, c, v), 64);
      });
    });
  }

  SmallVector<Value> multiplyStep(Value row, Value column, Value step, ValueRange carried) {
    SmallVector<Value> next(carried.begin(), carried.end());
    // The padded side is the outer loop, so that one test skips all that it feeds.
    bool rowsOutside = !rhs.padded;
    int64_t outerCount = rowsOutside ? plan.tileRows : plan.tileColumns;
    int64_t innerCount = rowsOutside ? plan.tileColumns : plan.tileRows;
    const LaneTensor &outerTensor = rowsOutside ? lhs : rhs, &innerTensor = rowsOutside ? rhs : lhs;
    int64_t outerTable = rowsOutside ? rowTables : columnTables, innerTable = rowsOutside ? columnTables : rowTables;
    int64_t outerCapacity = rowsOutside ? plan.blockRows : plan.blockColumns;
    int64_t innerCapacity = rowsOutside ? plan.blockColumns : plan.blockRows;
    Value outerFirst = rowsOutside ? row : column, innerFirst = rowsOutside ? column : row;
    Value outerLimit = rowsOutside ? rowCount : columnCount, innerLimit = rowsOutside ? columnCount : rowCount;
    SmallVector<SmallVector<Value>> inner;
    for (int64_t i = 0; i < innerCount; ++i)
      inner.push_back(loadLanes(innerTensor, clamped(innerFirst, i, innerLimit), step, innerTable, innerCapacity,
                                rowsOutside ? 1 : 0));
    auto at = [&](int64_t o, int64_t i, int64_t v) {
      int64_t m = rowsOutside ? o : i, n = rowsOutside ? i : o;
      return (m * plan.tileColumns + n) * plan.laneVectors + v;
    };
    VectorType type = w.vector(lanes, w.f32());
    for (int64_t o = 0; o < outerCount; ++o) {
      Value index = clamped(outerFirst, o, outerLimit);
      Value valid = outerTensor.padded ? inside(index, step, outerTable, outerCapacity)
                                       : Value(arith::ConstantOp::create(w.b, w.loc, w.b.getBoolAttr(true)));
      SmallVector<Value> updated = w.choose(
          valid, SmallVector<Type>(innerCount * plan.laneVectors, type),
          [&] {
            SmallVector<Value> mine =
                loadLanes(outerTensor, index, step, outerTable, outerCapacity, rowsOutside ? 0 : 1);
            SmallVector<Value> sums;
            for (int64_t i = 0; i < innerCount; ++i)
              for (int64_t v = 0; v < plan.laneVectors; ++v)
                sums.push_back(vector::FMAOp::create(w.b, w.loc, mine[v], inner[i][v], carried[at(o, i, v)]));
            return sums;
          },
          [&] {
            SmallVector<Value> sums;
            for (int64_t i = 0; i < innerCount; ++i)
              for (int64_t v = 0; v < plan.laneVectors; ++v)
                sums.push_back(carried[at(o, i, v)]);
            return sums;
          });
      for (int64_t i = 0; i < innerCount; ++i)
        for (int64_t v = 0; v < plan.laneVectors; ++v)
          next[at(o, i, v)] = updated[i * plan.laneVectors + v];
    }
    return next;
  }

  /// counters[0] += multiply-adds of valid elements of the tile, counters[1] += those of repeated ones.
  void count(Value row, Value column) {
    Value counters = slot(static_cast<int64_t>(3 + extras.count()));
    Value m = w.min(w.sub(rowCount, row), w.integer(plan.tileRows));
    Value n = w.min(w.sub(columnCount, column), w.integer(plan.tileColumns));
    Value valid = w.mul(w.mul(w.mul(m, n), stepCount), width);
    Value all = w.mul(stepCount, plan.tileRows * plan.tileColumns * width);
    for (auto [index, amount] : {std::pair(0, valid), std::pair(1, w.sub(all, valid))})
      LLVM::AtomicRMWOp::create(w.b, w.loc, LLVM::AtomicBinOp::add, w.at(counters, w.integer(index), w.i64()), amount,
                                LLVM::AtomicOrdering::monotonic);
  }

  Value slot(int64_t number) { return w.load(w.pointer(), w.at(slots, w.integer(number), w.pointer()), 8); }

  void storeLanes(Value sum, Value row, Value column, int64_t m, int64_t n, int64_t v, Value r, Value c) {
    Value exists = w.both(w.less(w.add(row, m), rowCount), w.less(w.add(column, n), columnCount));
    auto bytes = static_cast<int64_t>(byteSize(out.type));
    w.when(exists, [&] {
      SmallVector<Value> arguments = {sum};
      Value offset = w.add(entry(rowTables, plan.blockRows, 1, r), entry(columnTables, plan.blockColumns, 1, c));
      for (size_t extra = 0; extra < extras.count(); ++extra)
        arguments.push_back(extras.registerOf(extra, r, c, offset, v));
      Value value = w.narrow(inlineBody(w, body, arguments), out.type);
      if (out.contiguous()) {
        w.store(value, w.at(out.pointer, w.add(offset, v * lanes), w.storage(out.type)), bytes);
        return;
      }
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value element = vector::ExtractOp::create(w.b, w.loc, value, lane);
        w.store(element, w.at(out.pointer, w.add(offset, (v * lanes + lane) * out.stride), w.storage(out.type)), bytes);
      }
    });
  }

  Writer &w;
  std::string symbol;
  const Nest &nest;
  const Plan &plan;
  Region *body;
  bool counting;
  int64_t lanes, width, depthBlocks;
  LaneTensor lhs, rhs, out;
  LaneExtras extras;
  std::optional<PhaseFields> phases;
  int64_t scratchBytes = 0, rowTables, columnTables, stepTables, accumulators, gathered;
  Value slots, scratch, phase, rowCount, columnCount, stepCount;
};

} // namespace

int64_t emitChannelKernel(Writer &writer, ModuleOp module, const std::string &symbol, const Nest &nest,
                          const Plan &plan, const Epilogue &epilogue, bool countMultiplyAdds) {
  return ChannelWriter(writer, symbol, nest, plan, epilogue, countMultiplyAdds).emit(module);
}

} // namespace orzo::cpu
