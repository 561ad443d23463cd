#include "Codegen/CPU/Reducer.h"

#include "Codegen/CPU/Element.h"

#include <cmath>

using namespace mlir;

namespace orzo::cpu {

Type Reducer::type(Type value) { return withElement(value, isExtremum() ? w.f32() : Type(w.b.getF64Type())); }

double Reducer::neutral() const {
  if (mode == ReductionMode::MIN)
    return INFINITY;
  if (mode == ReductionMode::MAX)
    return -INFINITY;
  return isProduct() ? 1 : 0;
}

Value Reducer::initial(Type value) { return number(w, type(value), neutral()); }

Value Reducer::magnitude(Value value) {
  Type bits = withElement(value.getType(), w.i32());
  TypedAttr mask = w.b.getI32IntegerAttr(0x7fffffff);
  if (auto shaped = dyn_cast<ShapedType>(bits))
    mask = DenseElementsAttr::get(shaped, Attribute(mask));
  Value raw = arith::BitcastOp::create(w.b, w.loc, bits, value);
  Value cleared = arith::AndIOp::create(w.b, w.loc, raw, arith::ConstantOp::create(w.b, w.loc, mask));
  return arith::BitcastOp::create(w.b, w.loc, value.getType(), cleared);
}

Value Reducer::prepared(Value value) {
  if (mode == ReductionMode::AMAX || mode == ReductionMode::NORM1)
    return magnitude(value);
  if (mode != ReductionMode::MUL_NO_ZEROS)
    return value;
  Value isZero = arith::CmpFOp::create(w.b, w.loc, arith::CmpFPredicate::OEQ, value, number(w, value.getType(), 0));
  return w.select(isZero, number(w, value.getType(), 1), value);
}

Value Reducer::add(Value accumulator, SmallVector<Value> values) {
  for (Value &value : values)
    value = prepared(value);
  auto mergePairs = [&] {
    for (; values.size() > 1; values.resize(values.size() / 2))
      for (size_t i = 0; i < values.size() / 2; ++i)
        values[i] = merge(values[2 * i], values[2 * i + 1]);
  };
  if (narrow && !isProduct() && mode != ReductionMode::NORM2)
    mergePairs();
  if (!isExtremum())
    for (Value &value : values) {
      value = arith::ExtFOp::create(w.b, w.loc, type(value.getType()), value);
      if (mode == ReductionMode::NORM2)
        value = arith::MulFOp::create(w.b, w.loc, value, value);
    }
  mergePairs();
  return merge(accumulator, values[0]);
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

Value Reducer::acrossLanes(Value accumulator) {
  for (int64_t half = cast<VectorType>(accumulator.getType()).getDimSize(0) / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane)
      low.push_back(lane), high.push_back(half + lane);
    Value first = vector::ShuffleOp::create(w.b, w.loc, accumulator, accumulator, low);
    Value second = vector::ShuffleOp::create(w.b, w.loc, accumulator, accumulator, high);
    accumulator = merge(first, second);
  }
  return vector::ExtractOp::create(w.b, w.loc, accumulator, int64_t(0));
}

Value Reducer::finish(Value accumulator, int64_t count) {
  Type type = accumulator.getType();
  if (mode == ReductionMode::AVG)
    return arith::DivFOp::create(w.b, w.loc, accumulator, number(w, type, static_cast<double>(count)));
  if (mode == ReductionMode::NORM2)
    return LLVM::SqrtOp::create(w.b, w.loc, accumulator);
  return accumulator;
}

} // namespace orzo::cpu
