#include "Codegen/CPU/LinearForm.h"

using namespace mlir;

namespace orzo::cpu {

Value product(Writer &w, const std::vector<Value> &extents) {
  Value all = w.integer(1);
  for (Value extent : extents)
    all = w.mul(all, extent);
  return all;
}

std::vector<Value> decompose(Writer &w, Value flat, const std::vector<Value> &extents) {
  std::vector<Value> indices(extents.size());
  for (size_t dim = extents.size(); dim-- > 0;) {
    Value extent = w.max(extents[dim], w.integer(1));
    indices[dim] = dim == 0 ? flat : w.rem(flat, extent);
    flat = w.div(flat, extent);
  }
  return indices;
}

Value evaluate(Writer &w, Value base, ValueRange indices, const std::vector<int64_t> &strides) {
  for (size_t dim = 0; dim < strides.size(); ++dim)
    base = w.add(base, w.mul(indices[dim], strides[dim]));
  return base;
}

void fillTables(Writer &w, Value begin, Value count, const std::vector<Value> &extents,
                const std::vector<LinearForm> &forms) {
  if (extents.empty()) {
    w.when(w.less(w.integer(0), count), [&] {
      for (const LinearForm &form : forms)
        w.storeInteger(form.base, form.table, w.integer(0));
    });
    return;
  }
  std::vector<Value> initial = decompose(w, begin, extents);
  w.loop(w.integer(0), count, 1, ValueRange(initial), [&](Value index, ValueRange indices) {
    for (const LinearForm &form : forms)
      w.storeInteger(evaluate(w, form.base, indices, form.strides), form.table, index);
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

} // namespace orzo::cpu
