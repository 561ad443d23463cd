// Reducer: one reduction mode. Private to lib/Codegen/GPU.
//
// Sums and products are f64 - a million bf16 summands lose nothing that f32 would show, and memory is what bounds these
// kernels -, minima and maxima f32. What every mode means is lib/Reference/Reduction.h's to say.
#pragma once

#include "Codegen/GPU/Writer.h"
#include "orzo/Spec/Pointwise.h"

namespace orzo::gpu {

class Reducer {
public:
  Reducer(Writer &writer, ReductionMode mode) : w(writer), mode(mode) {}

  Type type() { return isExtremum() ? w.f32() : Type(w.b.getF64Type()); }
  int64_t bytes() const { return isExtremum() ? 4 : 8; }
  Value initial();
  /// An f32 more.
  Value add(Value accumulator, Value value);
  Value merge(Value a, Value b);
  Value finish(Value accumulator, int64_t count);

private:
  bool isExtremum() const {
    return mode == ReductionMode::MIN || mode == ReductionMode::MAX || mode == ReductionMode::AMAX;
  }
  bool isProduct() const { return mode == ReductionMode::MUL || mode == ReductionMode::MUL_NO_ZEROS; }
  Value number(Type type, double value) {
    return mlir::arith::ConstantOp::create(w.b, w.loc, w.b.getFloatAttr(type, value));
  }

  Writer &w;
  ReductionMode mode;
};

} // namespace orzo::gpu
