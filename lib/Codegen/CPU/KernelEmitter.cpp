#include "Codegen/CPU/KernelEmitter.h"

#include "Codegen/CPU/ChannelKernel.h"
#include "Codegen/CPU/Element.h"
#include "Codegen/CPU/Epilogue.h"
#include "Codegen/CPU/KernelParts.h"
#include "Codegen/CPU/LinearForm.h"
#include "Codegen/CPU/PhaseFields.h"
#include "Codegen/CPU/TileExtras.h"

#include <algorithm>

using namespace mlir;

namespace orzo::cpu {

static int64_t roundUp(int64_t a, int64_t multiple) { return (a + multiple - 1) / multiple * multiple; }

namespace {

class MainWriter {
public:
  MainWriter(Writer &writer, const Kernel &kernel) : w(writer), kernel(kernel), nest(kernel.nest), plan(kernel.plan) {}

  void emit(ModuleOp module) {
    packLhs = emitPack(w, module, kernel, true);
    packRhs = emitPack(w, module, kernel, false);
    tile = emitTile(w, module, kernel);
    phases.emplace(w, module, kernel.symbol, nest, plan, kernel.extras);

    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(module.getBody());
    SmallVector<Type> types = {w.pointer(), w.i64(), w.i64(), w.pointer()};
    auto function = func::FuncOp::create(w.b, w.loc, kernel.symbol, w.b.getFunctionType(types, {}));
    Block *body = function.addEntryBlock();
    w.b.setInsertionPointToStart(body);
    slots = body->getArgument(0), scratch = body->getArgument(3);
    w.loop(body->getArgument(1), body->getArgument(2), 1, ValueRange{w.integer(-1)},
           [&](Value unit, ValueRange carried) -> SmallVector<Value> { return {emitUnit(unit, carried[0])}; });
    func::ReturnOp::create(w.b, w.loc);
  }

private:
  static std::vector<int64_t> strides(const std::vector<NestDim> &dims, auto get) {
    std::vector<int64_t> values;
    for (const NestDim &dim : dims)
      values.push_back(get(dim));
    return values;
  }

  Value scratchAt(int64_t bytes) { return w.at(scratch, w.integer(bytes), w.b.getI8Type()); }

  /// The offset and coordinate forms of `operand` over `dims`. Bases go to the lanes' tables, so that lane + step is
  /// whole.
  std::vector<LinearForm> operandForms(const Operand &operand, const std::vector<NestDim> &dims, int64_t table,
                                       int64_t capacity, bool withBase) {
    std::vector<LinearForm> forms;
    auto stride = operand.isLhs ? &NestDim::lhs : &NestDim::rhs;
    forms.push_back({w.integer(0), strides(dims, [&](const NestDim &dim) { return dim.*stride; }), scratchAt(table)});
    for (int c = 0; c < operand.coordinates; ++c)
      forms.push_back({withBase ? phases->read(phases->coordinateBase[c], phase) : w.integer(0),
                       strides(dims, [&](const NestDim &dim) { return dim.coordinate[c]; }),
                       scratchAt(table + (c + 1) * capacity * 8)});
    return forms;
  }

  /// Tables of the k's [begin, begin + count) - of the runs they touch, with Packing::Rows.
  void fillSteps(const Operand &operand, Value begin, Value count, const std::vector<Value> &extents, int64_t table) {
    std::vector<LinearForm> forms = operandForms(operand, nest.k, table, kernel.stepCapacity, false);
    if (operand.packing != Packing::Rows)
      return fillTables(w, begin, count, extents, forms);
    Value run = runOf(operand, extents);
    Value first = w.div(begin, run);
    Value end = w.div(w.add(w.add(begin, count), w.sub(run, w.integer(1))), run);
    std::vector<Value> outer(extents.begin(), extents.end() - operand.runDims);
    for (LinearForm &form : forms)
      form.strides.resize(outer.size());
    fillTables(w, first, w.sub(end, first), outer, forms);
  }

  /// Elements of k in one run of `operand`; 1 where a phase has no k at all.
  Value runOf(const Operand &operand, const std::vector<Value> &extents) {
    Value run = w.integer(1);
    for (int dim = 0; dim < operand.runDims; ++dim)
      run = w.mul(run, extents[extents.size() - 1 - dim]);
    return w.max(run, w.integer(1));
  }

  void pack(const Operand &operand, Value begin, Value count, const std::vector<Value> &extents, Value block,
            Value laneBegin, Value laneCount, Value laneRun) {
    int64_t steps = operand.isLhs ? kernel.scratch.lhsSteps : kernel.scratch.rhsSteps;
    int64_t lanes = operand.isLhs ? kernel.scratch.lhsLanes : kernel.scratch.rhsLanes;
    fillSteps(operand, begin, count, extents, steps);
    SmallVector<Value> arguments = {operand.isLhs ? lhs : rhs,
                                    block,
                                    scratchAt(kernel.scratch.staging),
                                    scratchAt(lanes),
                                    laneBegin,
                                    laneCount,
                                    w.max(laneRun, w.integer(1)),
                                    scratchAt(steps),
                                    begin,
                                    count,
                                    runOf(operand, extents)};
    func::CallOp::create(w.b, w.loc, operand.isLhs ? packLhs : packRhs, arguments);
  }

  Value rhsBlockAt(Value depthBlock) {
    Value block = scratchAt(kernel.scratch.rhsBlock);
    if (!plan.rhsResident)
      return block;
    int64_t words = plan.blockColumns / plan.tileColumns * kernel.rhs.panelWords;
    return w.at(block, w.mul(depthBlock, words), w.i32());
  }

  void forEachDepthBlock(Value blocks, Value depth, const std::function<void(Value, Value, Value)> &body) {
    auto one = [&](Value block) {
      Value begin = w.mul(block, plan.blockDepth);
      body(block, begin, w.max(w.integer(0), w.min(w.sub(depth, begin), w.integer(plan.blockDepth))));
    };
    if (w.constant(blocks) == 1)
      one(w.integer(0));
    else
      w.loop(w.integer(0), blocks, 1, one);
  }

  /// Computes one unit; returns its segment (phase, batch, column block), whose packed rhs the next unit may still use.
  Value emitUnit(Value unit, Value previousSegment) {
    phase = phases->find(unit);
    std::vector<Value> mExtents = phases->read(phases->m, phase), nExtents = phases->read(phases->n, phase),
                       kExtents = phases->read(phases->k, phase);
    Value rows = product(w, mExtents), columns = product(w, nExtents), depth = product(w, kExtents);
    Value rowBlocks = w.max(w.integer(1), w.ceilDiv(rows, plan.blockRows));
    Value columnBlocks = w.max(w.integer(1), w.ceilDiv(columns, plan.blockColumns));
    Value depthBlocks = w.max(w.integer(1), w.ceilDiv(depth, plan.blockDepth)); // No taps: one empty block, for zeros.
    Value local = w.sub(unit, phases->read(phases->unitStart, phase));
    Value rowBlock = w.rem(local, rowBlocks), outer = w.div(local, rowBlocks);
    Value columnBlock = w.rem(outer, columnBlocks), batch = w.div(outer, columnBlocks);
    Value segment = w.add(phases->read(phases->segmentStart, phase), outer);

    std::vector<Value> batchExtents;
    for (int64_t extent : nest.batchExtents)
      batchExtents.push_back(w.integer(extent));
    std::vector<Value> batchIndices = decompose(w, batch, batchExtents);
    auto begin = [&](const PhaseFields::Field &base, int64_t NestDim::*stride) {
      return evaluate(w, phases->read(base, phase), batchIndices,
                      strides(nest.batch, [&](const NestDim &dim) { return dim.*stride; }));
    };
    lhs = w.at(slot(0), begin(phases->lhsBase, &NestDim::lhs), w.storage(nest.lhsType));
    rhs = w.at(slot(1), begin(phases->rhsBase, &NestDim::rhs), w.storage(nest.rhsType));
    outElement = begin(phases->outBase, &NestDim::out);
    out = w.at(slot(2), outElement, w.storage(nest.outType));
    placeExtras(batchIndices);

    Value firstRow = w.mul(rowBlock, plan.blockRows), firstColumn = w.mul(columnBlock, plan.blockColumns);
    Value rowCount = w.min(w.sub(rows, firstRow), w.integer(plan.blockRows));
    Value columnCount = w.min(w.sub(columns, firstColumn), w.integer(plan.blockColumns));
    auto outStride = [](const NestDim &dim) { return dim.out; };

    Value rowRun = mExtents.empty() ? w.integer(1) : mExtents.back();
    Value columnRun = nExtents.empty() ? w.integer(1) : nExtents.back();
    auto packColumns = [&](Value block, Value begin, Value count) {
      pack(kernel.rhs, begin, count, kExtents, rhsBlockAt(block), firstColumn, columnCount, columnRun);
    };

    w.when(w.compare(arith::CmpIPredicate::ne, segment, previousSegment), [&] {
      std::vector<LinearForm> forms =
          operandForms(kernel.rhs, nest.n, kernel.scratch.rhsLanes, plan.blockColumns, true);
      forms.push_back({w.integer(0), strides(nest.n, outStride), scratchAt(kernel.scratch.outColumns)});
      fillTables(w, firstColumn, columnCount, nExtents, forms);
      for (const KernelExtra &extra : kernel.extras)
        if (extra.columns == KernelExtra::Walk::Table)
          fillExtraTable(w, firstColumn, columnCount, nExtents, extra.strides->n, scratchAt(extra.columnTable));
      if (plan.rhsResident)
        forEachDepthBlock(depthBlocks, depth, packColumns);
    });
    std::vector<LinearForm> forms = operandForms(kernel.lhs, nest.m, kernel.scratch.lhsLanes, plan.blockRows, true);
    forms.push_back({w.integer(0), strides(nest.m, outStride), scratchAt(kernel.scratch.outRows)});
    fillTables(w, firstRow, rowCount, mExtents, forms);
    for (const KernelExtra &extra : kernel.extras)
      if (extra.rows == KernelExtra::Walk::Table)
        fillExtraTable(w, firstRow, rowCount, mExtents, extra.strides->m, scratchAt(extra.rowTable));

    forEachDepthBlock(depthBlocks, depth, [&](Value block, Value begin, Value count) {
      pack(kernel.lhs, begin, count, kExtents, scratchAt(kernel.scratch.lhsBlock), firstRow, rowCount, rowRun);
      if (!plan.rhsResident)
        packColumns(block, begin, count);
      Value first = w.equal(block, w.integer(0));
      Value last = w.equal(w.add(block, 1), depthBlocks);
      emitTiles(rhsBlockAt(block), count, rowCount, columnCount, first, last);
    });
    return segment;
  }

  /// The extras' first elements of the phase and batch.
  void placeExtras(const std::vector<Value> &batchIndices) {
    extras.clear();
    for (auto [index, extra] : llvm::enumerate(kernel.extras)) {
      Value pointer = slot(static_cast<int64_t>(3 + index));
      if (extra.strides) {
        Value base = phases->read(phases->extraBases[index], phase);
        pointer =
            w.at(pointer, w.add(base, offsetOf(w, extra.strides->batch, batchIndices)), storageOf(w, extra.extra.type));
      }
      extras.push_back(pointer);
    }
  }

  Value slot(int64_t number) { return w.load(w.pointer(), w.at(slots, w.integer(number), w.pointer()), 8); }

  void emitTiles(Value rhsBlock, Value count, Value rowCount, Value columnCount, Value first, Value last) {
    Value counters = kernel.countMultiplyAdds ? slot(static_cast<int64_t>(3 + kernel.extras.size()))
                                              : Value(LLVM::ZeroOp::create(w.b, w.loc, w.pointer()));
    w.loop(w.integer(0), columnCount, plan.tileColumns, [&](Value column) {
      Value columnTile = w.div(column, w.integer(plan.tileColumns));
      Value rhsPanel = w.at(rhsBlock, w.mul(columnTile, kernel.rhs.panelWords), w.i32());
      Value columnsLeft = w.min(w.sub(columnCount, column), w.integer(plan.tileColumns));
      w.loop(w.integer(0), rowCount, plan.tileRows, [&](Value row) {
        Value rowTile = w.div(row, w.integer(plan.tileRows));
        Value lhsPanel = w.at(scratchAt(kernel.scratch.lhsBlock), w.mul(rowTile, kernel.lhs.panelWords), w.i32());
        Value accumulators = scratchAt(kernel.scratch.accumulators);
        if (kernel.depthBlocks > 1) {
          Value index = w.add(w.mul(columnTile, plan.blockRows / plan.tileRows), rowTile);
          accumulators = w.at(accumulators, w.mul(index, plan.tileRows * plan.tileColumns), w.f32());
        }
        SmallVector<Value> arguments = {lhsPanel,
                                        rhsPanel,
                                        count,
                                        accumulators,
                                        first,
                                        last,
                                        out,
                                        w.at(scratchAt(kernel.scratch.outRows), row, w.i64()),
                                        w.at(scratchAt(kernel.scratch.outColumns), column, w.i64()),
                                        w.min(w.sub(rowCount, row), w.integer(plan.tileRows)),
                                        columnsLeft,
                                        counters};
        arguments.append(TileExtras::arguments(w, kernel, scratch, outElement, extras, row, column));
        func::CallOp::create(w.b, w.loc, tile, arguments);
      });
    });
  }

  Writer &w;
  const Kernel &kernel;
  const Nest &nest;
  const Plan &plan;
  func::FuncOp packLhs, packRhs, tile;
  std::optional<PhaseFields> phases;
  Value slots, scratch, phase, lhs, rhs, out, outElement;
  std::vector<Value> extras;
};

} // namespace

Expected<KernelInfo> emitKernel(ModuleOp kernels, const std::string &symbol, const Nest &nest, const Plan &plan,
                                const Epilogue &epilogue, bool countMultiplyAdds) {
  if (Status status = checkBody(epilogue.body); !status.ok())
    return status;
  if (Status status = checkExtras(epilogue.extras); !status.ok())
    return status;
  OpBuilder builder(kernels.getContext());
  Writer writer(builder, builder.getUnknownLoc());
  KernelInfo info;
  info.symbol = symbol;
  info.unitRanges = unitRanges(nest, plan);
  if (plan.channels) {
    info.scratchBytes = emitChannelKernel(writer, kernels, symbol, nest, plan, epilogue, countMultiplyAdds);
  } else {
    Kernel kernel(symbol, nest, plan, epilogue, countMultiplyAdds);
    MainWriter(writer, kernel).emit(kernels);
    info.scratchBytes = kernel.scratch.bytes;
  }
  for (const NestPhase &phase : nest.phases) {
    int64_t rows = nest.rows(phase), columns = nest.columns(phase), depth = nest.depth(phase);
    int64_t tileRows = 0, tileColumns = 0;
    for (int64_t row = 0; row < rows; row += plan.blockRows)
      tileRows += roundUp(std::min(plan.blockRows, rows - row), plan.tileRows);
    for (int64_t column = 0; column < columns; column += plan.blockColumns)
      tileColumns += roundUp(std::min(plan.blockColumns, columns - column), plan.tileColumns);
    int64_t executed = 2 * nest.batchCount() * rows * columns * depth;
    info.flopsExecuted += executed;
    info.flopsTile += 2 * nest.batchCount() * tileRows * tileColumns * roundUp(depth, plan.pair()) - executed;
  }
  return info;
}

} // namespace orzo::cpu
