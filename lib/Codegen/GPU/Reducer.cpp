#include "Codegen/GPU/Reducer.h"

#include <cmath>

using namespace mlir;

namespace orzo::gpu {

Value Reducer::initial() {
  double value = mode == ReductionMode::MIN ? INFINITY : mode == ReductionMode::MAX ? -INFINITY : isProduct() ? 1 : 0;
  return number(type(), value);
}

Value Reducer::add(Value accumulator, Value value) {
  if (mode == ReductionMode::AMAX || mode == ReductionMode::NORM1) {
    Value bits = arith::BitcastOp::create(w.b, w.loc, w.i32(), value);
    value = arith::BitcastOp::create(w.b, w.loc, w.f32(), w.bitAnd(bits, 0x7fffffff));
  }
  if (mode == ReductionMode::MUL_NO_ZEROS) {
    Value isZero = arith::CmpFOp::create(w.b, w.loc, arith::CmpFPredicate::OEQ, value, number(w.f32(), 0));
    value = w.select(isZero, number(w.f32(), 1), value);
  }
  if (isExtremum())
    return merge(accumulator, value);
  value = arith::ExtFOp::create(w.b, w.loc, type(), value);
  if (mode == ReductionMode::NORM2)
    value = arith::MulFOp::create(w.b, w.loc, value, value);
  return merge(accumulator, value);
}

Value Reducer::merge(Value a, Value b) {
  if (mode == ReductionMode::MIN)
    return arith::MinimumFOp::create(w.b, w.loc, a, b);
  if (isExtremum())
    return arith::MaximumFOp::create(w.b, w.loc, a, b);
  if (isProduct())
    return arith::MulFOp::create(w.b, w.loc, a, b);
  return arith::AddFOp::create(w.b, w.loc, a, b);
}

Value Reducer::finish(Value accumulator, int64_t count) {
  if (mode == ReductionMode::AVG)
    return arith::DivFOp::create(w.b, w.loc, accumulator, number(type(), static_cast<double>(count)));
  if (mode == ReductionMode::NORM2)
    return LLVM::SqrtOp::create(w.b, w.loc, accumulator);
  return accumulator;
}

} // namespace orzo::gpu
