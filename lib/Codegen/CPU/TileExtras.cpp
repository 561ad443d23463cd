#include "Codegen/CPU/TileExtras.h"

#include "Codegen/CPU/Element.h"

using namespace mlir;

namespace orzo::cpu {

using Walk = KernelExtra::Walk;
using Lanes = KernelExtra::Lanes;

SmallVector<Type> TileExtras::types() const {
  if (kernel.extras.empty())
    return {};
  SmallVector<Type> types = {w.i64()};
  types.append(4 * kernel.extras.size(), w.pointer());
  return types;
}

SmallVector<Value> TileExtras::arguments(Writer &w, const Kernel &kernel, Value scratch, Value outElement,
                                         const std::vector<Value> &pointers, Value row, Value column) {
  if (kernel.extras.empty())
    return {};
  SmallVector<Value> values = {outElement};
  Value none = LLVM::ZeroOp::create(w.b, w.loc, w.pointer());
  auto table = [&](Walk walk, int64_t bytes, Value index) {
    return walk == Walk::Table ? w.at(w.at(scratch, w.integer(bytes), w.b.getI8Type()), index, w.i64()) : none;
  };
  for (auto [extra, pointer] : llvm::zip_equal(kernel.extras, pointers)) {
    values.push_back(pointer);
    values.push_back(table(extra.rows, extra.rowTable, row));
    values.push_back(table(extra.columns, extra.columnTable, column));
    values.push_back(w.at(scratch, w.integer(extra.staging), w.b.getI8Type()));
  }
  return values;
}

void TileExtras::take(ValueRange given, Value rowOffsets, Value columnOffsets) {
  this->rowOffsets = rowOffsets, this->columnOffsets = columnOffsets;
  if (kernel.extras.empty())
    return;
  outElement = given.front();
  given = given.drop_front();
  for (const KernelExtra &extra : kernel.extras) {
    extras.push_back({extra,
                      given[0],
                      extra.rows == Walk::AsResult ? rowOffsets : given[1],
                      extra.columns == Walk::AsResult ? columnOffsets : given[2],
                      given[3],
                      {},
                      {}});
    given = given.drop_front(4);
  }
}

Value TileExtras::rowOffsetOf(const Memory &memory, Value row) {
  return memory.extra.rows == Walk::Still ? w.integer(0) : w.loadInteger(memory.rows, row);
}

Value TileExtras::columnOffsetOf(const Memory &memory, Value column) {
  return memory.extra.columns == Walk::Still ? w.integer(0) : w.loadInteger(memory.columns, column);
}

Value TileExtras::elementOf(const Memory &memory, Value row, Value column) {
  const Extra &extra = memory.extra.extra;
  if (memory.extra.strides)
    return loadElement(w, memory.pointer, w.add(rowOffsetOf(memory, row), columnOffsetOf(memory, column)), extra.type);
  Value number = w.add(outElement, w.add(w.loadInteger(rowOffsets, row), w.loadInteger(columnOffsets, column)));
  return loadElement(w, memory.pointer, mappedElement(w, extra.map, number), extra.type);
}

void TileExtras::prefetch(Value rows) {
  constexpr int64_t lineBytes = 64;
  for (const Memory &memory : extras) {
    const KernelExtra &extra = memory.extra;
    if (extra.lanes != Lanes::Neighbours || memory.staysInRows())
      continue;
    Type storage = storageOf(w, extra.extra.type);
    int64_t bytes = kernel.plan.tileColumns * static_cast<int64_t>(byteSize(extra.extra.type));
    for (int64_t row = 0; row < kernel.plan.tileRows; ++row) {
      Value known = w.min(w.integer(row), w.sub(rows, w.integer(1)));
      Value offset = w.add(rowOffsetOf(memory, known), columnOffsetOf(memory, w.integer(0)));
      Value first = w.at(memory.pointer, offset, storage);
      for (int64_t line = 0; line < bytes; line += lineBytes)
        LLVM::Prefetch::create(w.b, w.loc, w.at(first, w.integer(line), w.b.getI8Type()), /*rw=*/uint32_t(0),
                               /*hint=*/uint32_t(3), /*cache=*/uint32_t(1));
    }
  }
}

SmallVector<Value> TileExtras::element(Value row, Value column) {
  return llvm::map_to_vector(extras, [&](const Memory &memory) { return elementOf(memory, row, column); });
}

void TileExtras::beginRows(Value rows, Value columns, const SmallVector<Value> &masks) {
  this->masks = masks;
  columnCount = columns;
  for (Memory &memory : extras) {
    memory.ofEveryRow.clear();
    if (memory.extra.lanes == Lanes::Apart) {
      gather(memory, rows, columns);
    } else if (memory.staysInRows()) {
      memory.rowOffset = w.integer(0);
      for (int64_t vector = 0; vector < kernel.vectors(); ++vector)
        memory.ofEveryRow.push_back(registerOf(memory, vector));
    }
  }
}

void TileExtras::beginRow(Value row) {
  rowBegun = row;
  for (Memory &memory : extras)
    if (memory.extra.lanes != Lanes::Apart && !memory.staysInRows())
      memory.rowOffset = rowOffsetOf(memory, row);
}

SmallVector<Value> TileExtras::registers(int64_t vector) {
  return llvm::map_to_vector(extras, [&](const Memory &memory) {
    return memory.ofEveryRow.empty() ? registerOf(memory, vector) : memory.ofEveryRow[vector];
  });
}

Value TileExtras::registerOf(const Memory &memory, int64_t vector) {
  int64_t lanes = kernel.plan.lanes(), first = vector * lanes;
  const KernelExtra &extra = memory.extra;
  if (extra.lanes == Lanes::Apart) {
    Value index = w.add(w.mul(rowBegun, kernel.plan.tileColumns), first);
    return w.load(w.vector(lanes, w.f32()), w.at(memory.staging, index, w.f32()), 4);
  }
  // A register beyond the last column has no entry in the table: its lanes are not stored, so any column will do.
  Value column = w.integer(extra.isOneRun ? 0 : first);
  if (!masks.empty())
    column = w.min(column, w.sub(columnCount, w.integer(1)));
  Value offset = w.add(memory.rowOffset, columnOffsetOf(memory, column));
  if (extra.lanes == Lanes::Same)
    return loadElement(w, memory.pointer, offset, extra.extra.type);
  Type storage = storageOf(w, extra.extra.type);
  VectorType type = w.vector(lanes, storage);
  auto bytes = static_cast<int64_t>(byteSize(extra.extra.type));
  Value source = w.at(memory.pointer, extra.isOneRun ? w.add(offset, first) : offset, storage);
  if (masks.empty())
    return widenElement(w, w.load(type, source, bytes), extra.extra.type);
  Value loaded = LLVM::MaskedLoadOp::create(w.b, w.loc, type, source, masks[vector], w.zero(type),
                                            w.b.getI32IntegerAttr(static_cast<int32_t>(bytes)));
  return widenElement(w, loaded, extra.extra.type);
}

/// To scratch, tile row by tile row. Where rows are nearer to each other than columns are, down the columns.
void TileExtras::gather(const Memory &memory, Value rows, Value columns) {
  auto one = [&](Value row, Value column) {
    Value index = w.add(w.mul(row, kernel.plan.tileColumns), column);
    w.store(elementOf(memory, row, column), w.at(memory.staging, index, w.f32()), 4);
  };
  const std::optional<ExtraStrides> &strides = memory.extra.strides;
  bool downColumns = strides && !strides->m.empty() && strides->m.back().stride == 1;
  Value outer = downColumns ? columns : rows, inner = downColumns ? rows : columns;
  w.loop(w.integer(0), outer, 1,
         [&](Value i) { w.loop(w.integer(0), inner, 1, [&](Value j) { downColumns ? one(j, i) : one(i, j); }); });
}

} // namespace orzo::cpu
