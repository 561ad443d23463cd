// LinearForm: sums of index * stride over a list of dims, and the tables of their values. Private to lib/Codegen/CPU.
#pragma once

#include "Codegen/CPU/Writer.h"

#include <vector>

namespace orzo::cpu {

/// base + the sum of index * stride; `table` is where its values go.
struct LinearForm {
  Value base;
  std::vector<int64_t> strides; ///< One per dim.
  Value table;
};

/// The product of extents; 1 of none.
Value product(Writer &w, const std::vector<Value> &extents);

/// Divides a flat index into one per dim, innermost fastest. A dim of extent 0 divides as 1: it has no index anyway.
std::vector<Value> decompose(Writer &w, Value flat, const std::vector<Value> &extents);

Value evaluate(Writer &w, Value base, mlir::ValueRange indices, const std::vector<int64_t> &strides);

/// form.table[i] = form(indices of begin + i) for i in [0, count), for each form. The indices are stepped, not divided:
/// a table costs a few instructions an entry.
void fillTables(Writer &w, Value begin, Value count, const std::vector<Value> &extents,
                const std::vector<LinearForm> &forms);

} // namespace orzo::cpu
