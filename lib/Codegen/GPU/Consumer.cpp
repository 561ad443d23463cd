#include "Codegen/GPU/ExtraReader.h"
#include "Codegen/GPU/KernelParts.h"

using namespace mlir;

namespace orzo::gpu {

namespace {

// A shared-memory descriptor of wgmma: address, leading and stride byte offsets in units of 16 bytes, and the 128-byte
// swizzle in its two highest bits. Groups of 8 lines are 1024 bytes apart; where lines run over depth, blocks of 64
// rows (columns) are 8192 bytes apart and 16 of depth 2048 bytes, else 32 bytes.
constexpr uint64_t swizzleBits = uint64_t(1) << 62, strideBits = uint64_t(1024 >> 4) << 32;

class ConsumerWriter {
public:
  ConsumerWriter(Writer &w, const Kernel &kernel, Value consumer)
      : w(w), kernel(kernel), tables(kernel.tables), plan(kernel.plan), consumer(consumer),
        blocks(plan.consumerBlocks()), columns(plan.consumerColumns()), extras(w, kernel, consumer) {}

  void emit() {
    inGroup = w.bitAnd(kernel.thread, 127);
    lane = w.bitAnd(kernel.thread, 31);
    warp = w.shiftRight(inGroup, 5);
    isLeader = w.equal(inGroup, 0);
    barrierId = w.add(consumer, 1);
    buffers = w.add(kernel.buffers, w.mul(consumer, plan.storeBuffers * 8192));
    lhsOffset = plan.isSideBySide ? w.integer(0) : w.mul(consumer, kernel.lhsBytes() / 2);
    rhsOffset = w.add(plan.isSideBySide ? w.mul(consumer, columns * 128) : w.integer(0), kernel.lhsBytes());
    Value total = w.integer(plan.tiles(tables));
    Value zero = w.integer(0);
    w.loop(kernel.firstTile, total, kernel.tileStep, {zero, zero, zero}, [&](Value tile, ValueRange carried) {
      turnParity = carried[2];
      Stage stage = emitTile(tile, {carried[0], carried[1]});
      return SmallVector<Value>{stage.index, stage.parity, w.bitXor(turnParity, w.integer(1))};
    });
    if (storesByMap())
      w.when(isLeader, [&] { w.waitStores(0, false); });
  }

private:
  bool storesByMap() const { return plan.splits == 1 && tables.store == StoreMode::TensorMap; }

  Value descriptor(Value address, bool isDepthInner, int64_t depthStep) {
    Value low = w.shiftRight(w.add(address, depthStep * (isDepthInner ? 32 : 2048)), 4);
    uint64_t leading = isDepthInner ? 0 : uint64_t(8192 >> 4) << 16;
    return w.b.createOrFold<arith::OrIOp>(w.loc, w.widen(low),
                                          w.wide(static_cast<int64_t>(swizzleBits | strideBits | leading)));
  }

  Stage emitTile(Value tile, Stage stage) {
    Position<Writer> position = locate(w, tables, plan, tile);
    if (tables.lhs.maps.empty()) { // Nothing is summed.
      Value zero = arith::ConstantOp::create(w.b, w.loc, w.b.getF32FloatAttr(0));
      std::vector<SmallVector<Value>> zeros(blocks, SmallVector<Value>(columns / 2, zero));
      extras.beginTile(position);
      store(position, zeros, stage);
      return stage;
    }
    // The first block is apart: its products start from zero, so nothing else ever defines an accumulator.
    SmallVector<Value> carried(blocks, LLVM::UndefOp::create(w.b, w.loc, w.sumsType(columns)));
    w.wait(w.add(kernel.full, w.mul(stage.index, 8)), stage.parity);
    multiply(carried, stage.index, true);
    Stage second = nextStage(w, kernel, stage);
    carried.append({second.index, second.parity, stage.index});
    Value count = w.sub(position.depthEnd, position.depthBegin);
    // The block before which this consumer takes its turn; the first consumer never does.
    Value turn = w.select(w.equal(consumer, 1), w.sub(count, w.integer(plan.lead)), w.integer(0));
    SmallVector<Value> last = w.loop(w.integer(1), count, w.integer(1), carried, [&](Value block, ValueRange state) {
      SmallVector<Value> sums(state.begin(), state.begin() + blocks);
      Stage now = {state[blocks], state[blocks + 1]};
      Value before = state[blocks + 2];
      Value releases = isLeader;
      if (plan.lead > 0) {
        w.when(w.equal(w.sub(block, turn), 0), [&] { takeTurn(before); });
        releases = w.both(isLeader, w.notEqual(w.sub(block, turn), 0));
      }
      w.wait(w.add(kernel.full, w.mul(now.index, 8)), now.parity);
      multiply(sums, now.index, false);
      w.waitProducts(1);
      w.when(releases, [&] { release(before); });
      Stage next = nextStage(w, kernel, now);
      SmallVector<Value> result = sums;
      result.append({next.index, next.parity, now.index});
      return result;
    });
    if (plan.lead > 0)
      w.when(w.both(isLeader, w.equal(consumer, 0)), [&] { w.arrive(kernel.turn); });
    extras.beginTile(position);
    std::vector<SmallVector<Value>> sums;
    for (int64_t block = 0; block < blocks; ++block)
      sums.push_back(w.finishSums(last[block], columns, block == 0));
    w.when(isLeader, [&] { release(last[blocks + 2]); });
    Stage next = {last[blocks], last[blocks + 1]};
    store(position, sums, next);
    return next;
  }

  /// Stored at the same time, the consumers' halves would leave the tensor cores idle: the second consumer stops until
  /// the first has issued the last products of its own half, and multiplies on while that is stored. What is loaded
  /// meanwhile takes the stage that is let go here.
  void takeTurn(Value before) {
    w.waitProducts(0);
    w.when(isLeader, [&] { release(before); });
    w.wait(kernel.turn, turnParity);
  }

  void release(Value stage) { w.arrive(w.add(kernel.empty, w.mul(stage, 8))); }

  void multiply(SmallVector<Value> &sums, Value stage, bool isFirst) {
    Value base = w.add(kernel.ring, w.mul(stage, plan.stageBytes()));
    Value lhs = w.add(base, lhsOffset), rhs = w.add(base, rhsOffset);
    w.beginProducts();
    for (int64_t step = 0; step < 4; ++step) {
      Value right = descriptor(rhs, tables.rhs.isDepthInner, step);
      for (int64_t block = 0; block < blocks; ++block) {
        Value left = descriptor(w.add(lhs, block * 8192), tables.lhs.isDepthInner, step);
        sums[block] = w.multiply(sums[block], left, right, columns, tables.type, tables.lhs.isDepthInner,
                                 tables.rhs.isDepthInner, isFirst && step == 0);
      }
    }
    w.endProducts();
  }

  /// `stage` is the one after the tile's depth; moved past the extras that come through the ring.
  void store(const Position<Writer> &position, std::vector<SmallVector<Value>> &sums, Stage &stage) {
    Value firstRow = w.mul(position.rowTile, plan.tileRows);
    Value firstBlock = w.mul(position.columnTile, plan.tileColumns / 64);
    if (plan.isSideBySide)
      firstBlock = w.add(firstBlock, w.mul(consumer, columns / 64));
    else
      firstRow = w.add(firstRow, w.mul(consumer, blocks * 64));
    if (plan.splits > 1)
      return storePartial(position, firstRow, firstBlock, sums);
    if (kernel.access.isByRows) {
      for (int64_t block = 0; block < blocks; ++block)
        emitRowStore(w, kernel, position, w.add(firstRow, block * 64), firstBlock, buffers, sums[block]);
      return;
    }
    Value map;
    if (storesByMap())
      map = selectMap(w, tables.out, kernel.outMaps, position.phase);
    int64_t piece = 0;
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t part = 0; part < columns / 64; ++part, ++piece) {
        SmallVector<Value> results(ArrayRef<Value>(sums[block]).slice(part * 32, 32));
        extras.apply(results, piece, barrierId, stage);
        Value buffer = w.add(buffers, piece % plan.storeBuffers * 8192);
        if (storesByMap())
          w.when(isLeader, [&] { w.waitStores(static_cast<int>(plan.storesInFlight(piece)), true); });
        w.syncWarpgroup(barrierId); // What was in the buffer has been read.
        stagePiece(buffer, results);
        Value row = w.add(firstRow, block * 64), column = w.add(firstBlock, part);
        if (storesByMap()) {
          w.fenceStores();
          w.syncWarpgroup(barrierId);
          w.when(isLeader, [&] { storeByMap(position, map, buffer, row, column); });
        } else {
          w.syncWarpgroup(barrierId);
          storeByPredicate(position, buffer, row, column);
        }
      }
  }

  /// 64 x 64 sums of this warpgroup, rounded, to a buffer with the 128-byte swizzle that maps have.
  void stagePiece(Value buffer, ArrayRef<Value> sums) {
    Value row = w.add(w.mul(warp, 16), w.bitAnd(lane, 15));
    Value line = w.add(buffer, w.mul(row, 128)), phase = w.bitAnd(row, 7), half = w.shiftRight(lane, 4);
    for (int64_t pair = 0; pair < 8; pair += 2) {
      Value chunk = w.bitXor(w.add(half, pair), phase);
      SmallVector<Value> words;
      for (int64_t i = 0; i < 4; ++i)
        words.push_back(w.pack(sums[4 * pair + 2 * i], sums[4 * pair + 2 * i + 1], tables.type));
      w.storeMatrix(w.add(line, w.mul(chunk, 16)), words);
    }
  }

  void storeByMap(const Position<Writer> &position, Value map, Value buffer, Value row, Value block) {
    Digits<Writer> digits = storePiece(w, tables, position, row, block);
    bool isIm2col = tables.out.maps.front().mode == TensorMapRecipe::Mode::Im2col;
    w.storeBox(map, buffer, evaluate(w, tables.out.coordinates, digits), isIm2col);
    w.commitStores();
  }

  /// Each thread stores 8 columns of four rows, storeWidth() at once.
  void storeByPredicate(const Position<Writer> &position, Value buffer, Value row, Value block) {
    Value chunk = w.bitAnd(inGroup, 7);
    int64_t width = tables.storeWidth();
    auto bytes = static_cast<unsigned>(2 * width);
    for (int64_t part = 0; part < 4; ++part) {
      Value line = w.add(w.shiftRight(inGroup, 3), part * 16);
      Value source = w.add(buffer, swizzled(w, line, chunk));
      Digits<Writer> digits = storePiece(w, tables, position, w.add(row, line), block);
      Type type = w.b.getIntegerType(static_cast<unsigned>(16 * width));
      if (width >= 4)
        type = w.vector(width / 2, w.i32());
      for (int64_t step = 0; step < 8; step += width) {
        Value column = w.add(w.mul(chunk, 8), step);
        w.when(w.notEqual(isStored(w, tables, digits, column), 0), [&] {
          Value data = w.load(type, w.shared(w.add(source, 2 * step)), bytes);
          Value element = w.add(evaluate(w, tables.outElement, digits), column);
          w.store(data, w.at(kernel.target, element, w.b.getI16Type()), bytes);
        });
      }
    }
  }

  void storePartial(const Position<Writer> &position, Value firstRow, Value firstBlock,
                    std::vector<SmallVector<Value>> &sums) {
    int64_t width = tables.columnBlocks() * 64, rows = tables.rows[0];
    Value row0 = w.add(w.add(firstRow, w.mul(warp, 16)), w.shiftRight(lane, 2));
    Value column0 = w.mul(w.bitAnd(lane, 3), 2);
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t half = 0; half < 2; ++half) {
        Value row = w.add(row0, block * 64 + half * 8);
        w.when(w.less(row, w.integer(rows)), [&] {
          Value line = w.mul(w.add(w.mul(position.split, rows), row), width);
          for (int64_t part = 0; part < columns / 64; ++part) {
            Value column = w.add(firstBlock, part);
            w.when(w.less(column, w.integer(tables.columnBlocks())), [&] {
              Value base = w.at(kernel.target, w.add(line, w.add(w.mul(column, 64), column0)), w.f32());
              for (int64_t group = 0; group < 8; ++group) {
                int64_t index = (part * 8 + group) * 4 + half * 2;
                Value pair = LLVM::UndefOp::create(w.b, w.loc, w.vector(2, w.f32()));
                for (int64_t i = 0; i < 2; ++i)
                  pair = LLVM::InsertElementOp::create(w.b, w.loc, pair, sums[block][index + i], w.integer(i));
                w.store(pair, w.at(base, w.integer(group * 8), w.f32()), 8);
              }
            });
          }
        });
      }
  }

  Writer &w;
  const Kernel &kernel;
  const Tables &tables;
  const Plan &plan;
  Value consumer;
  int64_t blocks, columns;
  ExtraReader extras;
  Value inGroup, lane, warp, isLeader, barrierId, buffers, lhsOffset, rhsOffset;
  Value turnParity; ///< Of this tile's phase of the barrier.
};

} // namespace

void emitConsumer(Writer &w, const Kernel &kernel, Value consumer) { ConsumerWriter(w, kernel, consumer).emit(); }

} // namespace orzo::gpu
