// LaneExtras: the extras of an epilogue, read beside the lanes of a channel kernel. Private to lib/Codegen/CPU.
#pragma once

#include "Codegen/CPU/ExtraAccess.h"
#include "Codegen/CPU/PhaseFields.h"

namespace orzo::cpu {

class LaneExtras {
public:
  /// A unit is `width` neighbours along the innermost batch dim, in registers of `lanes`.
  LaneExtras(Writer &writer, const std::vector<Extra> &extras, const Nest &nest, int64_t lanes, int64_t width);

  const std::vector<KernelExtra> &all() const { return extras; }
  size_t count() const { return extras.size(); }

  /// Gives every extra its tables, of one entry a row and a column of a block, in scratch that `reserve(bytes)`
  /// returns.
  void reserveTables(int64_t rows, int64_t columns, const std::function<int64_t(int64_t)> &reserve);

  /// For a unit whose first lane is at these indices of the batch dims, where element `outElement` of the result is:
  /// `pointers` are the extras' first elements.
  void beginUnit(PhaseFields &phases, Value phase, const std::vector<Value> &batch, Value outElement,
                 const std::vector<Value> &pointers, Value scratch);

  void fillRows(Value begin, Value count, const std::vector<Value> &extents);
  void fillColumns(Value begin, Value count, const std::vector<Value> &extents);

  /// Elements, as f32, that belong to register `v` of (row, column), or the one of all its lanes. `outOffset` is where
  /// the result's lane 0 of the unit lies, from the unit's first element.
  Value registerOf(size_t index, Value row, Value column, Value outOffset, int64_t v);

private:
  /// The part of the innermost batch dim that all lanes of a unit are in, if there is one.
  const ExtraStrides::Part *lanePart(const KernelExtra &extra) const;
  Value table(int64_t bytes) { return w.at(scratch, w.integer(bytes), w.b.getI8Type()); }

  Writer &w;
  std::vector<KernelExtra> extras;
  int64_t lanes, width, outStride;
  std::vector<Value> pointers;
  Value outElement, scratch;
};

} // namespace orzo::cpu
