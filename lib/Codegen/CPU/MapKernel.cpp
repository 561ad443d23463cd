#include "Codegen/CPU/LinearForm.h"
#include "Codegen/CPU/NestParts.h"

using namespace mlir;

namespace orzo::cpu {
namespace {

class MapWriter {
public:
  explicit MapWriter(NestWriter &nest) : n(nest), w(nest.w), plan(nest.plan), lane(nest.plan.lane) {}

  /// A unit is a block of one row along the lane loop.
  void emitUnit(Value unit) {
    Value blocks = w.integer(plan.laneBlocks());
    Value first = w.mul(w.rem(unit, blocks), plan.laneBlock);
    std::vector<Value> pointers = n.moved(n.bases, plan.outer, w.div(unit, blocks));
    emitRun(pointers, first, blockLength(first, lane.extent, plan.laneBlock));
  }

  /// A unit is a tile of the lane loop and the innermost of the others.
  void emitTiledUnit(Value unit) {
    const GraphLoop &across = plan.outer.back();
    std::vector<GraphLoop> outer(plan.outer.begin(), plan.outer.end() - 1);
    Value blocks = w.integer(plan.laneBlocks());
    Value rowBlocks = w.integer((across.extent + plan.rowBlock - 1) / plan.rowBlock);
    Value first = w.mul(w.rem(unit, blocks), plan.laneBlock), rest = w.div(unit, blocks);
    Value firstRow = w.mul(w.rem(rest, rowBlocks), plan.rowBlock);
    std::vector<Value> corner =
        n.moved(n.moved(n.bases, outer, w.div(rest, rowBlocks)), {across, lane}, {firstRow, first});
    Value columns = blockLength(first, lane.extent, plan.laneBlock);
    Value rows = blockLength(firstRow, across.extent, plan.rowBlock);
    Value lanes = w.integer(plan.lanes);
    Value wholeColumns = w.sub(columns, w.rem(columns, lanes)), wholeRows = w.sub(rows, w.rem(rows, lanes));
    // Squares of whole cache lines, so that what is read or written of a line is so while it is near.
    Value line = w.integer(plan.tileBlock);
    w.loop(w.integer(0), wholeRows, plan.tileBlock, [&](Value lineRow) {
      Value rowEnd = w.min(w.add(lineRow, line), wholeRows);
      w.loop(w.integer(0), wholeColumns, plan.tileBlock, [&](Value lineColumn) {
        Value columnEnd = w.min(w.add(lineColumn, line), wholeColumns);
        auto rows = [&](const std::function<void(Value)> &body) { w.loop(lineRow, rowEnd, plan.lanes, body); };
        auto columns = [&](const std::function<void(Value)> &body) { w.loop(lineColumn, columnEnd, plan.lanes, body); };
        auto tile = [&](Value row, Value column) { emitTile(n.moved(corner, {across, lane}, {row, column})); };
        // Registers of half a line reread or rewrite it once; with shorter ones it is the writing that must stay near.
        if (plan.masks)
          columns([&](Value column) { rows([&](Value row) { tile(row, column); }); });
        else
          rows([&](Value row) { columns([&](Value column) { tile(row, column); }); });
      });
    });
    auto runs = [&](Value begin, Value end, Value column, Value count) {
      w.loop(begin, end, 1,
             [&](Value row) { emitRun(n.moved(corner, {across}, std::vector<Value>{row}), column, count); });
    };
    if (lane.extent % plan.lanes != 0)
      runs(w.integer(0), wholeRows, wholeColumns, w.sub(columns, wholeColumns));
    if (across.extent % plan.lanes != 0)
      runs(wholeRows, rows, w.integer(0), columns);
  }

private:
  /// Elements of the block that begins at `first`.
  Value blockLength(Value first, int64_t extent, int64_t block) {
    return extent % block == 0 ? w.integer(block) : w.min(w.sub(w.integer(extent), first), w.integer(block));
  }

  void emitAt(const NestRow &row, Value index, Shape shape, Value mask = nullptr) {
    n.store(row, lane, index, n.compute(row, lane, index, shape, mask), shape, mask);
  }

  /// `count` elements of a row from index `first`.
  void emitRun(std::vector<Value> pointers, Value first, Value count) {
    NestRow row = n.row(std::move(pointers), lane);
    Value whole = w.sub(count, w.rem(count, w.integer(plan.lanes)));
    if (lane.extent >= plan.lanes)
      w.loop(w.integer(0), whole, plan.lanes, [&](Value index) { emitAt(row, w.add(first, index), Shape::Vector); });
    if (lane.extent % plan.lanes == 0)
      return;
    if (n.allowsMasks(lane, /*storing=*/true))
      w.when(w.less(whole, count),
             [&] { emitAt(row, w.add(first, whole), Shape::Masked, n.firstLanes(w.sub(count, whole))); });
    else
      w.loop(whole, count, 1, [&](Value index) { emitAt(row, w.add(first, index), Shape::Scalar); });
  }

  /// A square of `lanes` elements: operands that are contiguous across the rows are loaded that way and transposed.
  void emitTile(const std::vector<Value> &corner) {
    const GraphLoop &across = plan.outer.back();
    std::vector<SmallVector<Value>> squares(n.result);
    for (size_t operand = 0; operand < n.result; ++operand) {
      if (!plan.transposed[operand])
        continue;
      Type stored = storageOf(w, n.nest.types[operand]);
      for (int64_t column = 0; column < plan.lanes; ++column) {
        Value from = w.at(corner[operand], w.integer(column * lane.strides[operand]), stored);
        squares[operand].push_back(n.loadVector(operand, from));
        w.prefetch(w.at(from, w.integer(plan.tileBlock), stored)); // For the next lines down these columns.
      }
      w.transpose(squares[operand]);
    }
    for (int64_t line = 0; line < plan.lanes; ++line) {
      NestRow row{n.moved(corner, {across}, std::vector<Value>{w.integer(line)}), {}};
      SmallVector<Value> operands;
      for (size_t operand = 0; operand < n.result; ++operand)
        operands.push_back(
            plan.transposed[operand]
                ? squares[operand][line]
                : n.load(row, operand, lane, w.integer(0), lane.strides[operand] == 0 ? Shape::Scalar : Shape::Vector));
      n.store(row, lane, w.integer(0), n.compute(operands, Shape::Vector), Shape::Vector);
    }
  }

  NestWriter &n;
  Writer &w;
  const NestPlan &plan;
  const GraphLoop &lane;
};

} // namespace

void emitMapKernel(NestWriter &nest, ModuleOp kernels, KernelInfo &info) {
  const NestPlan &plan = nest.plan;
  MapWriter map(nest);
  bool isTiled = !plan.transposed.empty();
  nest.function(kernels, info.symbol, [&](Value unit) { isTiled ? map.emitTiledUnit(unit) : map.emitUnit(unit); });
  int64_t rows = plan.outerCount();
  if (isTiled)
    rows = rows / plan.outer.back().extent * ((plan.outer.back().extent + plan.rowBlock - 1) / plan.rowBlock);
  info.unitRanges = {rows * plan.laneBlocks()};
}

} // namespace orzo::cpu
