#include "Codegen/CPU/KernelEmitter.h"

#include "Codegen/CPU/KernelParts.h"

#include <algorithm>

using namespace mlir;

namespace orzo::cpu {

static int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t roundUp(int64_t a, int64_t multiple) { return ceilDivide(a, multiple) * multiple; }

/// The value that `get` has in every phase, or nullopt.
static std::optional<int64_t> invariant(const Nest &nest, auto get) {
  for (const NestPhase &phase : nest.phases)
    if (get(phase) != get(nest.phases.front()))
      return std::nullopt;
  return get(nest.phases.front());
}

static bool hasCoordinate(const NestDim &dim) {
  return std::any_of(dim.coordinate.begin(), dim.coordinate.end(), [](int64_t c) { return c != 0; });
}

/// How many of the innermost k dims are one contiguous run of `operand`, untouched by its coordinates.
static int countRunDims(const Nest &nest, const Operand &operand, int64_t NestDim::*stride) {
  int count = 0;
  for (int64_t expected = 1; count < static_cast<int>(nest.k.size()); ++count) {
    size_t index = nest.k.size() - 1 - count;
    const NestDim &dim = nest.k[index];
    if (dim.*stride != expected || (operand.coordinates > 0 && hasCoordinate(dim)))
      break;
    std::optional<int64_t> extent = invariant(nest, [&](const NestPhase &phase) { return phase.k[index]; });
    if (!extent)
      return count + 1; // A run may end in a dim whose extent the phase decides; nothing merges beyond it.
    expected *= *extent;
  }
  return count;
}

static void choosePacking(const Nest &nest, Operand &operand) {
  auto stride = operand.isLhs ? &NestDim::lhs : &NestDim::rhs;
  const std::vector<NestDim> &lanes = operand.isLhs ? nest.m : nest.n;
  auto laneExtents = operand.isLhs ? &NestPhase::m : &NestPhase::n;
  operand.runDims = countRunDims(nest, operand, stride);
  if (!lanes.empty()) {
    operand.laneStride = lanes.back().*stride;
    for (int c = 0; c < operand.coordinates; ++c)
      operand.laneGrowth[c] = lanes.back().coordinate[c];
  }
  bool moveTogether = operand.laneGrowth == std::array<int64_t, 3>{};
  if (operand.runDims > 0) {
    operand.packing = Packing::Rows;
  } else if (!lanes.empty() && operand.laneStride == 1 && moveTogether) {
    std::optional<int64_t> extent =
        invariant(nest, [&](const NestPhase &phase) { return (phase.*laneExtents).back(); });
    if (lanes.size() == 1 || (extent && *extent % operand.panelLanes == 0))
      operand.packing = Packing::Columns;
  }
}

static bool areColumnsContiguous(const Nest &nest) {
  for (const NestPhase &phase : nest.phases) {
    int64_t expected = 1;
    for (size_t dim = nest.n.size(); dim-- > 0;) {
      if (nest.n[dim].out != expected)
        return false;
      expected *= phase.n[dim];
    }
  }
  return true;
}

Kernel::Kernel(std::string symbol, const Nest &nest, const Plan &plan)
    : symbol(std::move(symbol)), nest(nest), plan(plan), depthWords(plan.blockDepth / plan.pair()),
      depthBlocks(std::max<int64_t>(1, ceilDivide(nest.maxDepth(), plan.blockDepth))),
      columnsContiguous(areColumnsContiguous(nest)), stepCapacity(plan.blockDepth + 2) {
  auto coordinates = static_cast<int>(nest.coordinateExtents.size());
  lhs.isLhs = true;
  lhs.type = nest.lhsType;
  lhs.panelLanes = plan.tileRows;
  lhs.blockLanes = plan.blockRows;
  lhs.coordinates = nest.padded == Nest::Padded::Lhs ? coordinates : 0;
  choosePacking(nest, lhs);
  rhs.isLhs = false;
  rhs.type = nest.rhsType;
  rhs.panelLanes = plan.tileColumns;
  rhs.blockLanes = plan.blockColumns;
  rhs.coordinates = nest.padded == Nest::Padded::Rhs ? coordinates : 0;
  choosePacking(nest, rhs);
  if (lhs.packing == Packing::Rows) {
    // Rows as copied: the broadcasts of the register tile do not mind the distance. 16 words more than the depth keep
    // neighbouring rows out of each other's cache sets.
    lhs.laneWords = roundUp(depthWords, plan.lanes()) + 16;
    lhs.panelWords = lhs.panelLanes * lhs.laneWords;
  } else {
    lhs.stepWords = lhs.panelLanes;
    lhs.panelWords = lhs.panelLanes * depthWords;
  }
  rhs.stepWords = rhs.panelLanes;
  rhs.panelWords = rhs.panelLanes * roundUp(depthWords, plan.lanes()); // The transposition rounds up.

  int64_t offset = 0;
  auto reserve = [&](int64_t bytes) {
    int64_t at = offset;
    offset += roundUp(bytes, 64);
    return at;
  };
  int64_t rhsBlocks = plan.rhsResident ? depthBlocks : 1;
  int64_t tiles = depthBlocks > 1 ? (plan.blockRows / plan.tileRows) * (plan.blockColumns / plan.tileColumns) : 1;
  scratch.lhsBlock = reserve(plan.blockRows / plan.tileRows * lhs.panelWords * 4);
  scratch.rhsBlock = reserve(rhsBlocks * (plan.blockColumns / plan.tileColumns) * rhs.panelWords * 4);
  scratch.staging = reserve(std::max(lhs.panelLanes, rhs.panelLanes) * (depthWords + 16) * 4);
  scratch.accumulators = reserve(tiles * plan.tileRows * plan.tileColumns * 4);
  scratch.lhsLanes = reserve((1 + lhs.coordinates) * plan.blockRows * 8);
  scratch.rhsLanes = reserve((1 + rhs.coordinates) * plan.blockColumns * 8);
  scratch.outRows = reserve(plan.blockRows * 8);
  scratch.outColumns = reserve(plan.blockColumns * 8);
  scratch.lhsSteps = reserve((1 + lhs.coordinates) * stepCapacity * 8);
  scratch.rhsSteps = reserve((1 + rhs.coordinates) * stepCapacity * 8);
  scratch.bytes = offset;
}

namespace {

/// A sum over dims: base + index * stride, evaluated along a table.
struct LinearForm {
  Value base;
  std::vector<int64_t> strides; ///< One per dim of the table.
  Value table;                  ///< Where the values go.
};

class MainWriter {
public:
  MainWriter(Writer &writer, const Kernel &kernel) : w(writer), kernel(kernel), nest(kernel.nest), plan(kernel.plan) {}

  void emit(ModuleOp module) {
    packLhs = emitPack(w, module, kernel, true);
    packRhs = emitPack(w, module, kernel, false);
    tile = emitTile(w, module, kernel);
    emitPhaseTable(module);

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
  // The phase table: one row of fields a phase, in read-only data. A field that no phase changes is a constant.

  struct Field {
    std::optional<int64_t> constant;
    int64_t index = 0;
  };

  Field addField(auto get) {
    Field field;
    field.constant = invariant(nest, get);
    if (!field.constant) {
      field.index = fieldCount++;
      for (const NestPhase &phase : nest.phases)
        columnsOfTable.push_back(get(phase));
    }
    return field;
  }

  void emitPhaseTable(ModuleOp module) {
    auto ranges = unitRanges(nest, plan);
    std::vector<int64_t> starts, segments;
    int64_t start = 0, segment = 0;
    for (size_t phase = 0; phase < ranges.size(); ++phase) {
      starts.push_back(start), segments.push_back(segment);
      start += ranges[phase];
      segment += nest.batchCount() * ceilDivide(nest.columns(nest.phases[phase]), plan.blockColumns);
    }
    auto indexOf = [&](const NestPhase &phase) { return &phase - nest.phases.data(); };
    unitStart = addField([&](const NestPhase &phase) { return starts[indexOf(phase)]; });
    segmentStart = addField([&](const NestPhase &phase) { return segments[indexOf(phase)]; });
    for (auto [extents, fields] :
         {std::pair(&NestPhase::m, &m), std::pair(&NestPhase::n, &n), std::pair(&NestPhase::k, &k)})
      for (size_t dim = 0; dim < (nest.phases.front().*extents).size(); ++dim)
        fields->push_back(addField([&](const NestPhase &phase) { return (phase.*extents)[dim]; }));
    lhsBase = addField([](const NestPhase &phase) { return phase.lhsBase; });
    rhsBase = addField([](const NestPhase &phase) { return phase.rhsBase; });
    outBase = addField([](const NestPhase &phase) { return phase.outBase; });
    for (size_t c = 0; c < nest.coordinateExtents.size(); ++c)
      coordinateBase.push_back(addField([&](const NestPhase &phase) { return phase.coordinateBase[c]; }));
    if (fieldCount == 0)
      return;

    auto count = static_cast<int64_t>(nest.phases.size());
    std::vector<int64_t> values(count * fieldCount);
    for (int64_t field = 0; field < fieldCount; ++field)
      for (int64_t phase = 0; phase < count; ++phase)
        values[phase * fieldCount + field] = columnsOfTable[field * count + phase];
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(w.i64(), values.size());
    auto attribute =
        DenseElementsAttr::get(RankedTensorType::get({int64_t(values.size())}, w.i64()), ArrayRef<int64_t>(values));
    phaseTable = LLVM::GlobalOp::create(w.b, w.loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                        kernel.symbol + "_phases", attribute);
  }

  Value read(const Field &field) {
    if (field.constant)
      return w.integer(*field.constant);
    Value table = LLVM::AddressOfOp::create(w.b, w.loc, phaseTable);
    return w.loadInteger(table, w.add(w.mul(phase, fieldCount), field.index));
  }

  std::vector<Value> read(const std::vector<Field> &fields) {
    std::vector<Value> values;
    for (const Field &field : fields)
      values.push_back(read(field));
    return values;
  }

  Value product(const std::vector<Value> &extents) {
    Value all = w.integer(1);
    for (Value extent : extents)
      all = w.mul(all, extent);
    return all;
  }

  /// The phase whose units hold `unit`: the last that starts at or before it (empty phases start where the next does).
  Value findPhase(Value unit) {
    if (nest.phases.size() == 1)
      return w.integer(0);
    return w.loop(w.integer(1), w.integer(nest.phases.size()), 1, ValueRange{w.integer(0)},
                  [&](Value candidate, ValueRange found) -> SmallVector<Value> {
                    phase = candidate;
                    return {w.select(w.less(unit, read(unitStart)), found[0], candidate)};
                  })[0];
  }

  /// Divides a flat index into one per dim, innermost fastest. A dim of extent 0 divides as 1: it has no index anyway.
  std::vector<Value> decompose(Value flat, const std::vector<Value> &extents) {
    std::vector<Value> indices(extents.size());
    for (size_t dim = extents.size(); dim-- > 0;) {
      Value extent = w.max(extents[dim], w.integer(1));
      indices[dim] = dim == 0 ? flat : w.rem(flat, extent);
      flat = w.div(flat, extent);
    }
    return indices;
  }

  Value evaluate(Value base, ValueRange indices, const std::vector<int64_t> &strides) {
    for (size_t dim = 0; dim < strides.size(); ++dim)
      base = w.add(base, w.mul(indices[dim], strides[dim]));
    return base;
  }

  static std::vector<int64_t> strides(const std::vector<NestDim> &dims, auto get) {
    std::vector<int64_t> values;
    for (const NestDim &dim : dims)
      values.push_back(get(dim));
    return values;
  }

  /// form.table[i] = form(indices of begin + i) for i in [0, count). The indices are stepped, not divided: a table
  /// costs a few instructions an entry.
  void fillTables(Value begin, Value count, const std::vector<Value> &extents, const std::vector<LinearForm> &forms) {
    if (extents.empty()) {
      w.when(w.less(w.integer(0), count), [&] {
        for (const LinearForm &form : forms)
          w.storeInteger(form.base, form.table, w.integer(0));
      });
      return;
    }
    std::vector<Value> initial = decompose(begin, extents);
    w.loop(w.integer(0), count, 1, ValueRange(initial), [&](Value index, ValueRange indices) {
      for (const LinearForm &form : forms)
        w.storeInteger(evaluate(form.base, indices, form.strides), form.table, index);
      SmallVector<Value> next(indices.size());
      Value carry = w.integer(1);
      for (size_t dim = indices.size(); dim-- > 0;) {
        Value moved = w.add(indices[dim], carry);
        if (dim == 0) {
          next[dim] = moved;
          break;
        }
        Value wraps = w.compare(arith::CmpIPredicate::sge, moved, extents[dim]);
        next[dim] = w.select(wraps, w.integer(0), moved);
        carry = w.select(wraps, w.integer(1), w.integer(0));
      }
      return next;
    });
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
      forms.push_back({withBase ? read(coordinateBase[c]) : w.integer(0),
                       strides(dims, [&](const NestDim &dim) { return dim.coordinate[c]; }),
                       scratchAt(table + (c + 1) * capacity * 8)});
    return forms;
  }

  /// Tables of the k's [begin, begin + count) - of the runs they touch, with Packing::Rows.
  void fillSteps(const Operand &operand, Value begin, Value count, const std::vector<Value> &extents, int64_t table) {
    std::vector<LinearForm> forms = operandForms(operand, nest.k, table, kernel.stepCapacity, false);
    if (operand.packing != Packing::Rows)
      return fillTables(begin, count, extents, forms);
    Value run = runOf(operand, extents);
    Value first = w.div(begin, run);
    Value end = w.div(w.add(w.add(begin, count), w.sub(run, w.integer(1))), run);
    std::vector<Value> outer(extents.begin(), extents.end() - operand.runDims);
    for (LinearForm &form : forms)
      form.strides.resize(outer.size());
    fillTables(first, w.sub(end, first), outer, forms);
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
    phase = findPhase(unit);
    std::vector<Value> mExtents = read(m), nExtents = read(n), kExtents = read(k);
    Value rows = product(mExtents), columns = product(nExtents), depth = product(kExtents);
    Value rowBlocks = w.max(w.integer(1), w.ceilDiv(rows, plan.blockRows));
    Value columnBlocks = w.max(w.integer(1), w.ceilDiv(columns, plan.blockColumns));
    Value depthBlocks = w.max(w.integer(1), w.ceilDiv(depth, plan.blockDepth)); // No taps: one empty block, for zeros.
    Value local = w.sub(unit, read(unitStart));
    Value rowBlock = w.rem(local, rowBlocks), outer = w.div(local, rowBlocks);
    Value columnBlock = w.rem(outer, columnBlocks), batch = w.div(outer, columnBlocks);
    Value segment = w.add(read(segmentStart), outer);

    std::vector<Value> batchExtents;
    for (int64_t extent : nest.batchExtents)
      batchExtents.push_back(w.integer(extent));
    std::vector<Value> batchIndices = decompose(batch, batchExtents);
    auto tensor = [&](int64_t slot, const Field &base, int64_t NestDim::*stride, DataType type) {
      Value pointer = w.load(w.pointer(), w.at(slots, w.integer(slot), w.pointer()), 8);
      Value offset =
          evaluate(read(base), batchIndices, strides(nest.batch, [&](const NestDim &dim) { return dim.*stride; }));
      return w.at(pointer, offset, w.storage(type));
    };
    lhs = tensor(0, lhsBase, &NestDim::lhs, nest.lhsType);
    rhs = tensor(1, rhsBase, &NestDim::rhs, nest.rhsType);
    Value out = tensor(2, outBase, &NestDim::out, nest.outType);

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
      fillTables(firstColumn, columnCount, nExtents, forms);
      if (plan.rhsResident)
        forEachDepthBlock(depthBlocks, depth, packColumns);
    });
    std::vector<LinearForm> forms = operandForms(kernel.lhs, nest.m, kernel.scratch.lhsLanes, plan.blockRows, true);
    forms.push_back({w.integer(0), strides(nest.m, outStride), scratchAt(kernel.scratch.outRows)});
    fillTables(firstRow, rowCount, mExtents, forms);

    forEachDepthBlock(depthBlocks, depth, [&](Value block, Value begin, Value count) {
      pack(kernel.lhs, begin, count, kExtents, scratchAt(kernel.scratch.lhsBlock), firstRow, rowCount, rowRun);
      if (!plan.rhsResident)
        packColumns(block, begin, count);
      Value first = w.equal(block, w.integer(0));
      Value last = w.equal(w.add(block, 1), depthBlocks);
      emitTiles(out, rhsBlockAt(block), count, rowCount, columnCount, first, last);
    });
    return segment;
  }

  void emitTiles(Value out, Value rhsBlock, Value count, Value rowCount, Value columnCount, Value first, Value last) {
    Value counters = kernel.countMultiplyAdds ? w.load(w.pointer(), w.at(slots, w.integer(3), w.pointer()), 8)
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
        func::CallOp::create(w.b, w.loc, tile, arguments);
      });
    });
  }

  Writer &w;
  const Kernel &kernel;
  const Nest &nest;
  const Plan &plan;
  func::FuncOp packLhs, packRhs, tile;
  LLVM::GlobalOp phaseTable;
  int64_t fieldCount = 0;
  std::vector<int64_t> columnsOfTable;
  Field unitStart, segmentStart, lhsBase, rhsBase, outBase;
  std::vector<Field> m, n, k, coordinateBase;
  Value slots, scratch, phase, lhs, rhs;
};

} // namespace

static Status checkEpilogue(Region *epilogue) {
  if (!epilogue)
    return Status::success();
  for (Operation &op : epilogue->front().without_terminator())
    if (!op.hasTrait<OpTrait::Elementwise>() && !op.hasTrait<OpTrait::ConstantLike>())
      return Status::unsupported("epilogue op '" + op.getName().getStringRef().str() + "' is not elementwise");
  return Status::success();
}

Expected<KernelInfo> emitKernel(ModuleOp kernels, const std::string &symbol, const Nest &nest, const Plan &plan,
                                Region *epilogue, bool countMultiplyAdds) {
  if (Status status = checkEpilogue(epilogue); !status.ok())
    return status;
  OpBuilder builder(kernels.getContext());
  Writer writer(builder, builder.getUnknownLoc());
  Kernel kernel(symbol, nest, plan);
  kernel.epilogue = epilogue;
  kernel.countMultiplyAdds = countMultiplyAdds;
  MainWriter(writer, kernel).emit(kernels);

  KernelInfo info;
  info.symbol = symbol;
  info.unitRanges = unitRanges(nest, plan);
  info.scratchBytes = kernel.scratch.bytes;
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
