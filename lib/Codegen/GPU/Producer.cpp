#include "Codegen/GPU/KernelParts.h"

using namespace mlir;

namespace orzo::gpu {

namespace {

class ProducerWriter {
public:
  ProducerWriter(Writer &w, const Kernel &kernel) : w(w), kernel(kernel), tables(kernel.tables), plan(kernel.plan) {}

  void emit() {
    Value total = w.integer(plan.tiles(tables));
    w.loop(kernel.firstTile, total, kernel.tileStep, {w.integer(0), w.integer(0)}, [&](Value tile, ValueRange carried) {
      Stage stage = emitTile(tile, {carried[0], carried[1]});
      return SmallVector<Value>{stage.index, stage.parity};
    });
  }

private:
  Stage emitTile(Value tile, Stage stage) {
    Position<Writer> position = locate(w, tables, plan, tile);
    if (tables.lhs.maps.empty())
      return stage;
    lhsPieces = loadPieces(w, tables, plan, true, position);
    rhsPieces = loadPieces(w, tables, plan, false, position);
    if (!tables.lhs.isGathered)
      lhsMap = selectMap(w, tables.lhs, kernel.lhsMaps, position.phase);
    if (!tables.rhs.isGathered)
      rhsMap = selectMap(w, tables.rhs, kernel.rhsMaps, position.phase);
    std::vector<Value> extents = depthExtents(w, tables, position.phase);
    SmallVector<Value> initial = {stage.index, stage.parity};
    std::vector<Value> first = firstDepth(w, tables, plan, extents, position.depthBegin);
    initial.append(first.begin(), first.end());
    SmallVector<Value> last =
        w.loop(position.depthBegin, position.depthEnd, w.integer(1), initial, [&](Value block, ValueRange carried) {
          std::vector<Value> depth(carried.begin() + 2, carried.end());
          Stage next = emitStage(block, depth, {carried[0], carried[1]});
          SmallVector<Value> result = {next.index, next.parity};
          std::vector<Value> following = nextDepth(w, tables, extents, depth);
          result.append(following.begin(), following.end());
          return result;
        });
    return emitStagedExtras(position, {last[0], last[1]});
  }

  /// The extras of the tile that come through the ring: never where an operand is gathered.
  Stage emitStagedExtras(const Position<Writer> &position, Stage stage) {
    StagedPieces staged(kernel.access, plan);
    bool isIm2col = !tables.out.maps.empty() && tables.out.maps.front().mode == TensorMapRecipe::Mode::Im2col;
    std::vector<Value> offsets(isIm2col ? tables.out.maps.front().lowerCorner.size() : 0, w.integer(0));
    std::vector<Value> maps; // Of each staged extra.
    for (const std::vector<Value> &extraMaps : kernel.extraMaps)
      if (!extraMaps.empty())
        maps.push_back(selectMap(w, tables.out, extraMaps, position.phase));
    for (int64_t index = 0; index < staged.stages(); ++index) {
      w.wait(w.add(kernel.empty, w.mul(stage.index, 8)), w.bitXor(stage.parity, w.integer(1)));
      Value barrier = w.add(kernel.full, w.mul(stage.index, 8));
      w.expectBytes(barrier, staged.pairsOf(index) * 2 * 8192);
      Value target = w.add(kernel.ring, w.mul(stage.index, plan.stageBytes()));
      for (int64_t i = 0; i < staged.pairsOf(index); ++i) {
        int64_t pair = index * staged.pairsPerStage + i, extra = pair % kernel.access.stagedCount();
        for (int64_t consumer = 0; consumer < 2; ++consumer) {
          int64_t piece = pair / kernel.access.stagedCount();
          Digits<Writer> digits = consumerPiece(w, tables, plan, position, consumer, piece);
          w.loadBox(w.add(target, staged.offsetOf(pair, consumer)), maps[extra], barrier,
                    evaluate(w, tables.out.coordinates, digits), offsets, isIm2col);
        }
      }
      stage = nextStage(w, kernel, stage);
    }
    return stage;
  }

  Stage emitStage(Value block, const std::vector<Value> &depth, Stage stage) {
    Value barrierOffset = w.mul(stage.index, 8);
    w.wait(w.add(kernel.empty, barrierOffset), w.bitXor(stage.parity, w.integer(1)));
    Value barrier = w.add(kernel.full, barrierOffset);
    auto stageMemory = [&] {
      Value lhs = w.add(kernel.ring, w.mul(stage.index, plan.stageBytes()));
      return std::pair(lhs, w.add(lhs, kernel.lhsBytes()));
    };
    std::vector<Digits<Writer>> lhsBoxes = atDepth(lhsPieces, block, depth),
                                rhsBoxes = atDepth(rhsPieces, block, depth);
    auto copy = [&] {
      w.expectBytes(barrier, kernel.copiedBytes());
      auto [lhs, rhs] = stageMemory();
      if (!tables.lhs.isGathered)
        load(tables.lhs, lhsBoxes, lhsMap, lhs, barrier);
      if (!tables.rhs.isGathered)
        load(tables.rhs, rhsBoxes, rhsMap, rhs, barrier);
    };
    if (!tables.gathers()) {
      copy();
      return nextStage(w, kernel, stage);
    }
    if (kernel.copiedBytes() > 0)
      w.when(w.equal(kernel.thread, 0), copy);
    auto [lhs, rhs] = stageMemory();
    if (tables.lhs.isGathered)
      emitGather(w, tables.lhs, lhsBoxes, plan.tileRows, kernel.lhsMemory, lhs, kernel.thread);
    if (tables.rhs.isGathered)
      emitGather(w, tables.rhs, rhsBoxes, plan.tileColumns, kernel.rhsMemory, rhs, kernel.thread);
    w.fenceStores();
    w.arrive(barrier);
    return nextStage(w, kernel, stage);
  }

  std::vector<Digits<Writer>> atDepth(std::vector<Digits<Writer>> pieces, Value block,
                                      const std::vector<Value> &depth) {
    for (Digits<Writer> &digits : pieces)
      digits.depth = depth, digits.depthElement = w.mul(block, 64);
    return pieces;
  }

  void load(const Access &access, const std::vector<Digits<Writer>> &boxes, Value map, Value target, Value barrier) {
    bool isIm2col = access.maps.front().mode == TensorMapRecipe::Mode::Im2col;
    for (size_t box = 0; box < boxes.size(); ++box)
      w.loadBox(w.add(target, static_cast<int64_t>(box) * 8192), map, barrier,
                evaluate(w, access.coordinates, boxes[box]), evaluate(w, access.offsets, boxes[box]), isIm2col);
  }

  Writer &w;
  const Kernel &kernel;
  const Tables &tables;
  const Plan &plan;
  std::vector<Digits<Writer>> lhsPieces, rhsPieces;
  Value lhsMap, rhsMap;
};

} // namespace

Stage nextStage(Writer &w, const Kernel &kernel, Stage stage) {
  Value next = w.add(stage.index, 1);
  Value wraps = w.equal(next, kernel.plan.stages);
  return {w.select(wraps, w.integer(0), next), w.select(wraps, w.bitXor(stage.parity, w.integer(1)), stage.parity)};
}

Value selectMap(Writer &w, const Access &access, const std::vector<Value> &maps, Value phase) {
  Value map = maps[0];
  if (maps.size() == 1)
    return map;
  Value index = w.byPhase(access.mapOfPhase, phase);
  for (size_t i = 1; i < maps.size(); ++i)
    map = LLVM::SelectOp::create(w.b, w.loc, w.equal(index, static_cast<int64_t>(i)), maps[i], map);
  return map;
}

void emitProducer(Writer &w, const Kernel &kernel) { ProducerWriter(w, kernel).emit(); }

} // namespace orzo::gpu
