#include "Codegen/CPU/KernelParts.h"

#include <numeric>

using namespace mlir;

namespace orzo::cpu {
namespace {

/// Writes one operand's packing function.
class PackWriter {
public:
  PackWriter(Writer &writer, const Kernel &kernel, const Operand &operand)
      : w(writer), kernel(kernel), operand(operand), pair(kernel.plan.pair()), lanes(kernel.plan.lanes()),
        sourceType(w.storage(operand.type)), panelType(pair == 2 ? Type(w.b.getI16Type()) : Type(w.b.getF32Type())),
        panelBytes(pair == 2 ? 2 : 4) {}

  func::FuncOp emit(ModuleOp module) {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(module.getBody());
    SmallVector<Type> types = {w.pointer(), w.pointer(), w.pointer(), w.pointer(), w.i64(), w.i64(),
                               w.i64(),     w.pointer(), w.i64(),     w.i64(),     w.i64()};
    auto function = func::FuncOp::create(w.b, w.loc, kernel.symbol + (operand.isLhs ? "_pack_lhs" : "_pack_rhs"),
                                         w.b.getFunctionType(types, {}));
    function.setPrivate();
    function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(w.b.getContext(), LLVM::Linkage::Internal));
    Block *body = function.addEntryBlock();
    w.b.setInsertionPointToStart(body);
    source = body->getArgument(0), block = body->getArgument(1), staging = body->getArgument(2);
    laneTable = body->getArgument(3), laneBegin = body->getArgument(4), laneCount = body->getArgument(5);
    laneRun = body->getArgument(6), stepTable = body->getArgument(7);
    begin = body->getArgument(8), count = body->getArgument(9), run = body->getArgument(10);
    w.loop(w.integer(0), laneCount, operand.panelLanes, [&](Value firstLane) {
      Value panel = w.mul(w.div(firstLane, w.integer(operand.panelLanes)), operand.panelWords);
      Value valid = w.min(w.sub(laneCount, firstLane), w.integer(operand.panelLanes));
      Value target = w.at(block, panel, w.i32());
      switch (operand.packing) {
      case Packing::Rows:
        rows(target, firstLane, valid);
        break;
      case Packing::Columns:
        w.when(
            w.equal(valid, w.integer(operand.panelLanes)), [&] { columns(target, firstLane); },
            [&] { segments(target, firstLane, valid); });
        break;
      case Packing::Segments:
        segments(target, firstLane, valid);
        break;
      }
    });
    func::ReturnOp::create(w.b, w.loc);
    return function;
  }

private:
  Value coordinateOf(int coordinate, Value lane, Value step) {
    return w.add(w.loadInteger(laneTable, w.add(lane, (coordinate + 1) * operand.blockLanes)),
                 w.loadInteger(stepTable, w.add(step, (coordinate + 1) * kernel.stepCapacity)));
  }

  /// Whether every coordinate of (lane, step) is in range; an i1 constant true without coordinates.
  Value inside(Value lane, Value step) {
    Value all = arith::ConstantOp::create(w.b, w.loc, w.b.getBoolAttr(true));
    for (int coordinate = 0; coordinate < operand.coordinates; ++coordinate)
      all = w.both(
          all, w.inRange(coordinateOf(coordinate, lane, step), w.integer(kernel.nest.coordinateExtents[coordinate])));
    return all;
  }

  /// A scalar or vector of the source as the panel keeps it.
  Value toPanel(Value value) { return pair == 2 ? value : w.widen(value, operand.type); }

  /// Elements [0, count) of target := source's (or 0 without a source), target in panel elements.
  void copyRun(Value target, Value from, Value length) {
    auto step = [&](Value index, int64_t width) {
      Type wide = width == 1 ? panelType : Type(w.vector(width, panelType));
      Value value = w.zero(wide);
      if (from) {
        Type type = width == 1 ? sourceType : Type(w.vector(width, sourceType));
        value = toPanel(w.load(type, w.at(from, index, sourceType), byteSize(operand.type)));
      }
      w.store(value, w.at(target, index, panelType), panelBytes);
    };
    int64_t width = lanes * pair;
    Value vectors = w.sub(length, w.rem(length, w.integer(width)));
    w.loop(w.integer(0), vectors, width, [&](Value index) { step(index, width); });
    w.loop(vectors, length, 1, [&](Value index) { step(index, 1); });
  }

  /// Packing::Rows: every lane's runs are copied to a row of k. An lhs panel is those rows; an rhs panel is transposed
  /// from them, as its words must be contiguous along n.
  void rows(Value target, Value firstLane, Value valid) {
    Value rowsBase = operand.isLhs ? target : staging;
    int64_t rowWords = operand.isLhs ? operand.laneWords : kernel.depthWords + 16;
    Value end = w.add(begin, count);
    Value firstRun = w.div(begin, run);
    Value runs = w.sub(w.div(w.add(end, w.sub(run, w.integer(1))), run), firstRun);
    w.loop(w.integer(0), valid, 1, [&](Value lane) {
      Value row = w.at(rowsBase, w.mul(lane, rowWords), w.i32());
      Value index = w.add(firstLane, lane);
      Value laneOffset = w.loadInteger(laneTable, index);
      w.loop(w.integer(0), runs, 1, [&](Value step) {
        Value runBegin = w.mul(w.add(firstRun, step), run);
        Value low = w.max(runBegin, begin);
        Value length = w.sub(w.min(w.add(runBegin, run), end), low);
        Value to = w.at(row, w.sub(low, begin), panelType);
        Value offset = w.add(w.add(laneOffset, w.loadInteger(stepTable, step)), w.sub(low, runBegin));
        w.when(
            inside(index, step), [&] { copyRun(to, w.at(source, offset, sourceType), length); },
            [&] { copyRun(to, Value(), length); });
      });
      if (pair == 2) // An odd last k is paired with a zero.
        w.when(w.equal(w.rem(count, w.integer(2)), w.integer(1)),
               [&] { w.store(w.zero(panelType), w.at(row, count, panelType), panelBytes); });
    });
    w.loop(valid, w.integer(operand.panelLanes), 1, [&](Value lane) {
      copyRun(w.at(rowsBase, w.mul(lane, rowWords), w.i32()), Value(), w.mul(w.ceilDiv(count, pair), pair));
    });
    if (!operand.isLhs)
      transpose(target, rowWords);
  }

  /// staging[lane][word] -> target[word][lane], `lanes` x `lanes` words at a time. Rows are read, and panels written,
  /// up to a multiple of `lanes` words: both have the room.
  void transpose(Value target, int64_t rowWords) {
    VectorType type = w.vector(lanes, w.i32());
    w.loop(w.integer(0), w.ceilDiv(count, pair), lanes, [&](Value word) {
      for (int64_t group = 0; group < operand.panelLanes; group += lanes) {
        SmallVector<Value> block;
        for (int64_t lane = 0; lane < lanes; ++lane)
          block.push_back(w.load(type, w.at(staging, w.add(word, (group + lane) * rowWords), w.i32()), 4));
        w.transpose(block);
        for (int64_t step = 0; step < lanes; ++step)
          w.store(block[step], w.at(target, w.add(w.mul(w.add(word, step), operand.panelLanes), group), w.i32()), 4);
      }
    });
  }

  /// Packing::Columns of a full panel: one vector of lanes per k.
  void columns(Value target, Value firstLane) {
    VectorType type = w.vector(operand.panelLanes, sourceType);
    Value laneOffset = w.loadInteger(laneTable, firstLane);
    auto read = [&](Value step, Value exists) {
      Value valid = w.both(exists, inside(firstLane, step));
      return w.choose(
          valid, TypeRange{w.vector(operand.panelLanes, panelType)},
          [&]() -> SmallVector<Value> {
            Value offset = w.add(laneOffset, w.loadInteger(stepTable, step));
            return {toPanel(w.load(type, w.at(source, offset, sourceType), byteSize(operand.type)))};
          },
          [&]() -> SmallVector<Value> { return {w.zero(w.vector(operand.panelLanes, panelType))}; })[0];
    };
    Value yes = arith::ConstantOp::create(w.b, w.loc, w.b.getBoolAttr(true));
    w.loop(w.integer(0), w.ceilDiv(count, pair), 1, [&](Value word) {
      Value to = w.at(target, w.mul(word, operand.stepWords), w.i32());
      Value first = read(w.mul(word, pair), yes);
      if (pair == 2) {
        Value next = w.add(w.mul(word, 2), 1);
        Value second = read(w.min(next, w.sub(count, w.integer(1))), w.less(next, count));
        first = vector::InterleaveOp::create(w.b, w.loc, first, second);
      }
      w.store(first, to, 4);
    });
  }

  /// Packing::Segments: a segment is a run of lanes along the innermost lane dim. For every k it has one range of lanes
  /// inside the tensor; those are copied (or gathered, where lanes are apart) and the others are zero.
  void segments(Value target, Value firstLane, Value valid) {
    // Pairs are interleaved afterwards from rows of single k's.
    Value rowsBase = pair == 2 ? staging : target;
    Value padded = w.mul(w.ceilDiv(count, pair), pair);
    w.when(w.less(valid, w.integer(operand.panelLanes)),
           [&] { w.loop(w.integer(0), padded, 1, [&](Value step) { zeroRow(rowsBase, step); }); });
    Value inner = w.rem(w.add(laneBegin, firstLane), laneRun);
    Value segmentCount = w.div(w.add(w.add(inner, valid), w.sub(laneRun, w.integer(1))), laneRun);
    w.loop(w.integer(0), segmentCount, 1, [&](Value segment) {
      Value low = w.max(w.sub(w.mul(segment, laneRun), inner), w.integer(0));
      Value high = w.min(w.sub(w.mul(w.add(segment, 1), laneRun), inner), valid);
      Value lane = w.add(firstLane, low), length = w.sub(high, low);
      Value laneOffset = w.loadInteger(laneTable, lane);
      w.loop(w.integer(0), count, 1, [&](Value step) {
        auto [begin, end] = insideLanes(lane, step, length);
        Value from = w.at(source, w.add(laneOffset, w.loadInteger(stepTable, step)), sourceType);
        Value to = w.at(rowsBase, w.add(w.mul(step, operand.panelLanes), low), panelType);
        copyLanes(to, from, begin, end, length);
      });
    });
    if (pair == 2) {
      w.when(w.less(count, padded), [&] { zeroRow(rowsBase, count); });
      interleave(target, padded);
    }
  }

  void zeroRow(Value rows, Value step) {
    w.store(w.zero(w.vector(operand.panelLanes, panelType)), w.at(rows, w.mul(step, operand.panelLanes), panelType),
            panelBytes);
  }

  void interleave(Value target, Value padded) {
    VectorType type = w.vector(operand.panelLanes, panelType);
    w.loop(w.integer(0), padded, 2, [&](Value step) {
      Value even = w.load(type, w.at(staging, w.mul(step, operand.panelLanes), panelType), panelBytes);
      Value odd = w.load(type, w.at(staging, w.mul(w.add(step, 1), operand.panelLanes), panelType), panelBytes);
      w.store(vector::InterleaveOp::create(w.b, w.loc, even, odd),
              w.at(target, w.mul(step, operand.panelLanes), panelType), 4);
    });
  }

  /// The lanes of [0, length) from `lane` whose coordinates at `step` are all in range: [first, second). Along a
  /// segment a coordinate either stays or grows by a positive coefficient.
  std::pair<Value, Value> insideLanes(Value lane, Value step, Value length) {
    Value begin = w.integer(0), end = length;
    for (int coordinate = 0; coordinate < operand.coordinates; ++coordinate) {
      Value position = coordinateOf(coordinate, lane, step);
      Value extent = w.integer(kernel.nest.coordinateExtents[coordinate]);
      int64_t growth = operand.laneGrowth[coordinate];
      if (growth == 0) {
        end = w.select(w.inRange(position, extent), end, w.integer(0));
        continue;
      }
      // position + growth * l in [0, extent):  ceil(-position / growth) <= l < ceil((extent - position) / growth)
      begin = w.max(begin, w.ceilDiv(w.max(w.sub(w.integer(0), position), w.integer(0)), growth));
      end = w.min(end, w.ceilDiv(w.max(w.sub(extent, position), w.integer(0)), growth));
    }
    return {w.min(begin, end), end};
  }

  /// to[l] := from[l * stride] for l in [begin, end), 0 for the rest of [0, length).
  void copyLanes(Value to, Value from, Value begin, Value end, Value length) {
    if (operand.laneStride != 1 || kernel.plan.isa == Isa::AVX2) {
      auto fill = [&](Value low, Value high) {
        w.loop(low, high, 1, [&](Value lane) { w.store(w.zero(panelType), w.at(to, lane, panelType), panelBytes); });
      };
      fill(w.integer(0), begin);
      w.loop(begin, end, 1, [&](Value lane) {
        Value value =
            w.load(sourceType, w.at(from, w.mul(lane, operand.laneStride), sourceType), byteSize(operand.type));
        w.store(toPanel(value), w.at(to, lane, panelType), panelBytes);
      });
      fill(end, length);
      return;
    }
    VectorType type = w.vector(lanes, sourceType);
    w.loop(w.integer(0), length, lanes, [&](Value lane) {
      Value readMask = laneMask(w.sub(begin, lane), w.sub(end, lane));
      Value writeMask = laneMask(w.integer(0), w.sub(length, lane));
      Value value = LLVM::MaskedLoadOp::create(w.b, w.loc, type, w.at(from, lane, sourceType), readMask, w.zero(type),
                                               static_cast<uint32_t>(byteSize(operand.type)));
      LLVM::MaskedStoreOp::create(w.b, w.loc, toPanel(value), w.at(to, lane, panelType), writeMask,
                                  static_cast<uint32_t>(panelBytes));
    });
  }

  /// Lanes l of a vector with low <= l < high.
  Value laneMask(Value low, Value high) {
    VectorType type = w.vector(lanes, w.i32());
    SmallVector<int32_t> ascending(lanes);
    std::iota(ascending.begin(), ascending.end(), 0);
    Value lane = arith::ConstantOp::create(w.b, w.loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(ascending)));
    auto bound = [&](Value limit) -> Value {
      Value narrow = arith::TruncIOp::create(w.b, w.loc, w.i32(), w.opaque(limit));
      return vector::BroadcastOp::create(w.b, w.loc, type, narrow);
    };
    return w.both(w.compare(arith::CmpIPredicate::sge, lane, bound(low)), w.less(lane, bound(high)));
  }

  Writer &w;
  const Kernel &kernel;
  const Operand &operand;
  int64_t pair, lanes;
  Type sourceType, panelType;
  int64_t panelBytes;
  Value source, block, staging, laneTable, laneBegin, laneCount, laneRun, stepTable, begin, count, run;
};

} // namespace

func::FuncOp emitPack(Writer &writer, ModuleOp module, const Kernel &kernel, bool isLhs) {
  return PackWriter(writer, kernel, kernel.operand(isLhs)).emit(module);
}

} // namespace orzo::cpu
