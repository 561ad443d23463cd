#include "Codegen/CPU/Element.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace orzo::cpu {

Type storageOf(Writer &w, ElementType type) {
  return type == ElementType::Float ? w.f32() : Type(w.b.getIntegerType(8 * byteSize(type)));
}

Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

Value number(Writer &w, Type type, double value) {
  TypedAttr attribute = w.b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
  return arith::ConstantOp::create(w.b, w.loc, attribute);
}

Value widenElement(Writer &w, Value value, ElementType from) {
  if (std::optional<DataType> type = toDataType(from))
    return w.widen(value, *type);
  Type real = withElement(value.getType(), w.f32());
  if (from == ElementType::Boolean) {
    Value isSet = arith::CmpIOp::create(w.b, w.loc, arith::CmpIPredicate::ne, value, w.zero(value.getType()));
    return w.select(isSet, number(w, real, 1), number(w, real, 0));
  }
  Type wide = withElement(value.getType(), w.i32());
  if (from == ElementType::Uint8)
    value = arith::ExtUIOp::create(w.b, w.loc, wide, value);
  else if (from != ElementType::Int32)
    value = arith::ExtSIOp::create(w.b, w.loc, wide, value);
  return arith::SIToFPOp::create(w.b, w.loc, real, value);
}

/// The ends of the range of an integer type.
static std::pair<double, double> rangeOf(ElementType type) {
  switch (type) {
  case ElementType::Uint8:
    return {0, 255};
  case ElementType::Int8:
    return {-128, 127};
  case ElementType::Int16:
    return {-32768, 32767};
  default:
    return {-0x1p31, 0x1p31 - 1};
  }
}

Value narrowElement(Writer &w, Value value, ElementType to) {
  Type real = value.getType();
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpFOp::create(w.b, w.loc, predicate, x, y);
  };
  if (std::optional<DataType> type = toDataType(to)) {
    if (getElementTypeOrSelf(real).isF64())
      value = arith::TruncFOp::create(w.b, w.loc, withElement(real, w.f32()), value);
    return w.narrow(value, *type);
  }
  Type stored = withElement(real, storageOf(w, to));
  if (to == ElementType::Boolean)
    return arith::ExtUIOp::create(w.b, w.loc, stored, compare(arith::CmpFPredicate::UNE, value, number(w, real, 0)));
  // The conversion knows neither NaN nor what is out of range, so both are replaced before. The largest i32 is no f32:
  // its successor is the first that is too large.
  auto [least, most] = rangeOf(to);
  Value lowest = number(w, real, least);
  Value isNaN = compare(arith::CmpFPredicate::UNO, value, value);
  Value tooLarge = compare(arith::CmpFPredicate::OGE, value, number(w, real, most + 1));
  Value inside = w.select(compare(arith::CmpFPredicate::OLT, value, lowest), lowest, value);
  inside = w.select(w.b.createOrFold<arith::OrIOp>(w.loc, isNaN, tooLarge), number(w, real, 0), inside);
  Type wide = withElement(real, w.i32());
  Value integer = arith::FPToSIOp::create(w.b, w.loc, wide, inside);
  TypedAttr top = w.b.getI32IntegerAttr(static_cast<int32_t>(most));
  if (auto shaped = dyn_cast<ShapedType>(wide))
    top = DenseElementsAttr::get(shaped, Attribute(top));
  integer = w.select(tooLarge, arith::ConstantOp::create(w.b, w.loc, top), integer);
  return stored == wide ? integer : arith::TruncIOp::create(w.b, w.loc, stored, integer).getResult();
}

} // namespace orzo::cpu
