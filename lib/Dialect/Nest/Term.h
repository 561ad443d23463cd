// Term: a value of a pointwise body with the operators of arithmetic, so that formulas can be read.
//
// Every operation is one op of arith or math, elementwise, rounded on its own: `x * y + z` is two roundings, fma(x, y,
// z) is one. A double next to a term becomes a constant of the term's type, rounded to it.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

#include <initializer_list>
#include <utility>

namespace orzo::nest {

class Term {
public:
  Term(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value)
      : builder(&builder), location(location), value(value) {}

  mlir::Value get() const { return value; }
  mlir::OpBuilder &b() const { return *builder; }
  mlir::Type type() const { return value.getType(); }

  /// A constant of this term's type, an integer or a float.
  Term constant(double number) const {
    return create<mlir::arith::ConstantOp>(mlir::cast<mlir::TypedAttr>(b().getFloatAttr(type(), number)));
  }
  Term integer(int64_t number) const {
    return create<mlir::arith::ConstantOp>(mlir::cast<mlir::TypedAttr>(b().getIntegerAttr(type(), number)));
  }

  /// An op at this term's place; its one result.
  template <typename Op, typename... Arguments> Term create(Arguments &&...arguments) const {
    return {*builder, location, Op::create(*builder, location, std::forward<Arguments>(arguments)...)};
  }

  /// The same number as another type (f32 to f64 and back), or the same bits.
  Term widened() const { return create<mlir::arith::ExtFOp>(b().getF64Type(), value); }
  Term narrowed() const { return create<mlir::arith::TruncFOp>(b().getF32Type(), value); }
  Term bits() const {
    return create<mlir::arith::BitcastOp>(b().getIntegerType(type().getIntOrFloatBitWidth()), value);
  }
  Term asF32() const { return create<mlir::arith::BitcastOp>(b().getF32Type(), value); }
  Term asF64() const { return create<mlir::arith::BitcastOp>(b().getF64Type(), value); }

private:
  mlir::OpBuilder *builder;
  mlir::Location location;
  mlir::Value value;
};

inline Term operator+(Term x, Term y) { return x.create<mlir::arith::AddFOp>(x.get(), y.get()); }
inline Term operator-(Term x, Term y) { return x.create<mlir::arith::SubFOp>(x.get(), y.get()); }
inline Term operator*(Term x, Term y) { return x.create<mlir::arith::MulFOp>(x.get(), y.get()); }
inline Term operator/(Term x, Term y) { return x.create<mlir::arith::DivFOp>(x.get(), y.get()); }
inline Term operator-(Term x) { return x.create<mlir::arith::NegFOp>(x.get()); }
inline Term operator+(Term x, double y) { return x + x.constant(y); }
inline Term operator-(Term x, double y) { return x - x.constant(y); }
inline Term operator*(Term x, double y) { return x * x.constant(y); }
inline Term operator/(Term x, double y) { return x / x.constant(y); }
inline Term operator+(double x, Term y) { return y.constant(x) + y; }
inline Term operator-(double x, Term y) { return y.constant(x) - y; }
inline Term operator/(double x, Term y) { return y.constant(x) / y; }

/// x * y + z, rounded once.
inline Term fma(Term x, Term y, Term z) { return x.create<mlir::math::FmaOp>(x.get(), y.get(), z.get()); }
inline Term fma(Term x, Term y, double z) { return fma(x, y, x.constant(z)); }
inline Term fma(Term x, double y, Term z) { return fma(x, x.constant(y), z); }
inline Term fma(Term x, double y, double z) { return fma(x, x.constant(y), x.constant(z)); }

inline Term abs(Term x) { return x.create<mlir::math::AbsFOp>(x.get()); }
inline Term copysign(Term size, Term sign) { return size.create<mlir::math::CopySignOp>(size.get(), sign.get()); }

/// Comparisons: i1. All are false on a NaN but !=, which is true.
inline Term compare(mlir::arith::CmpFPredicate predicate, Term x, Term y) {
  return x.create<mlir::arith::CmpFOp>(predicate, x.get(), y.get());
}
inline Term operator<(Term x, Term y) { return compare(mlir::arith::CmpFPredicate::OLT, x, y); }
inline Term operator<=(Term x, Term y) { return compare(mlir::arith::CmpFPredicate::OLE, x, y); }
inline Term operator>(Term x, Term y) { return compare(mlir::arith::CmpFPredicate::OGT, x, y); }
inline Term operator>=(Term x, Term y) { return compare(mlir::arith::CmpFPredicate::OGE, x, y); }
inline Term operator==(Term x, Term y) { return compare(mlir::arith::CmpFPredicate::OEQ, x, y); }
inline Term operator!=(Term x, Term y) { return compare(mlir::arith::CmpFPredicate::UNE, x, y); }
inline Term operator<(Term x, double y) { return x < x.constant(y); }
inline Term operator<=(Term x, double y) { return x <= x.constant(y); }
inline Term operator>(Term x, double y) { return x > x.constant(y); }
inline Term operator>=(Term x, double y) { return x >= x.constant(y); }
inline Term operator==(Term x, double y) { return x == x.constant(y); }
inline Term operator!=(Term x, double y) { return x != x.constant(y); }
/// Of conditions. (Not && and ||: both sides are always built.)
inline Term operator&(Term x, Term y) { return x.create<mlir::arith::AndIOp>(x.get(), y.get()); }
inline Term operator|(Term x, Term y) { return x.create<mlir::arith::OrIOp>(x.get(), y.get()); }

inline Term select(Term condition, Term x, Term y) {
  return condition.create<mlir::arith::SelectOp>(condition.get(), x.get(), y.get());
}
inline Term select(Term condition, double x, Term y) { return select(condition, y.constant(x), y); }
inline Term select(Term condition, Term x, double y) { return select(condition, x, x.constant(y)); }

/// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
inline Term polynomial(Term x, std::initializer_list<double> coefficients) {
  const double *next = coefficients.end();
  Term sum = x.constant(*--next);
  while (next != coefficients.begin())
    sum = fma(sum, x, *--next);
  return sum;
}

} // namespace orzo::nest
