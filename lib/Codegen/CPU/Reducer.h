// Reducer: one reduction mode, on scalars or vectors. Private to lib/Codegen/CPU.
//
// Sums and products are kept in f64: summands are f32, so that a sum of 10^6 of them loses nothing that f32 would show,
// norms of large values do not overflow on their way, and memory is what bounds these kernels anyway. Where operands
// have 16 bits or fewer it is not, and up to eight summands are added in f32 first: that errs by at most three
// roundings of each, whatever their number. Minima and maxima are exact in f32. What every mode means is
// lib/Reference/Reduction.h's to say.
#pragma once

#include "Codegen/CPU/Writer.h"
#include "orzo/Spec/Pointwise.h"

namespace orzo::cpu {

class Reducer {
public:
  /// `narrow`: the operands have 16 bits or fewer.
  Reducer(Writer &writer, ReductionMode mode, bool narrow) : w(writer), mode(mode), narrow(narrow) {}

  /// Of an accumulator, beside values of `value` (f32 or a vector of it).
  Type type(Type value);
  /// Of one accumulator: 8 or 4.
  int64_t bytes() const { return isExtremum() ? 4 : 8; }
  Value initial(Type value);
  /// A value that add() ignores.
  double neutral() const;

  /// The accumulator with `values` (f32, as many as a power of two) added, pairwise among themselves before.
  Value add(Value accumulator, mlir::SmallVector<Value> values);
  Value merge(Value a, Value b);
  /// The lanes of a vector accumulator merged, by halves.
  Value acrossLanes(Value accumulator);
  /// The result: f64 of sums and products, f32 of extrema.
  Value finish(Value accumulator, int64_t count);

private:
  bool isExtremum() const {
    return mode == ReductionMode::MIN || mode == ReductionMode::MAX || mode == ReductionMode::AMAX;
  }
  bool isProduct() const { return mode == ReductionMode::MUL || mode == ReductionMode::MUL_NO_ZEROS; }
  /// What is summed, multiplied or compared of a value.
  Value prepared(Value value);
  Value magnitude(Value value);

  Writer &w;
  ReductionMode mode;
  bool narrow;
};

} // namespace orzo::cpu
