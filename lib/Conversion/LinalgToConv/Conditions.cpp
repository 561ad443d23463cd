#include "Conversion/LinalgToConv/Conditions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace orzo {

static std::string nameOf(Operation *op) { return op->getName().getStringRef().str(); }

static OrRefusal<IndexExpr> apply(AffineExpr expr, ArrayRef<IndexExpr> dims, Location location) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return IndexExpr::constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || (expr.getKind() != AffineExprKind::Add && expr.getKind() != AffineExprKind::Mul))
    return Refusal{location, "an index map has a symbol, a floordiv, a ceildiv or a mod"};
  OrRefusal<IndexExpr> left = apply(binary.getLHS(), dims, location), right = apply(binary.getRHS(), dims, location);
  if (!left)
    return left;
  if (!right)
    return right;
  if (expr.getKind() == AffineExprKind::Add)
    return left->plus(*right);
  if (right->isConstant())
    return left->times(right->constant());
  if (left->isConstant())
    return right->times(left->constant());
  return Refusal{location, "an index map multiplies loops"};
}

OrRefusal<SmallVector<IndexExpr>> applyMapTo(AffineMap map, ArrayRef<IndexExpr> dims, Location location) {
  SmallVector<IndexExpr> index;
  if (map.getNumSymbols() != 0)
    return Refusal{location, "an index map has symbols"};
  for (AffineExpr expr : map.getResults()) {
    OrRefusal<IndexExpr> each = apply(expr, dims, location);
    if (!each)
      return each.refusal();
    if (each->overflowed())
      return Refusal{location, "an index leaves 62 bits"};
    index.push_back(*each);
  }
  return index;
}

OrRefusal<Number> readNumber(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    if (constant.getSignificantBits() > 62)
      return Refusal{value.getLoc(), "an index leaves 62 bits"};
    return Number{IndexExpr::constant(constant.getSExtValue())};
  }
  Operation *from = value.getDefiningOp();
  if (!from)
    return Refusal{value.getLoc(), "an index is computed from data"};
  if (auto index = dyn_cast<linalg::IndexOp>(from))
    return Number{IndexExpr::loop(static_cast<int>(index.getDim()))};
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::TruncIOp>(from))
    return readNumber(from->getOperand(0));
  SmallVector<Number> operands;
  for (Value operand : from->getOperands()) {
    OrRefusal<Number> each = readNumber(operand);
    if (!each)
      return each;
    if (each->modulus != 0)
      return Refusal{value.getLoc(), "an index is computed from a remainder"};
    operands.push_back(*each);
  }
  if (auto map = dyn_cast<affine::AffineApplyOp>(from)) {
    SmallVector<IndexExpr> dims;
    for (Number &operand : operands)
      dims.push_back(operand.expr);
    if (map.getAffineMap().getNumSymbols() != 0 || map.getAffineMap().getNumDims() != dims.size())
      return Refusal{value.getLoc(), "an index map has symbols"};
    OrRefusal<SmallVector<IndexExpr>> index = applyMapTo(map.getAffineMap(), dims, value.getLoc());
    if (!index)
      return index.refusal();
    return Number{(*index)[0]};
  }
  auto refuse = [&]() -> OrRefusal<Number> {
    return Refusal{value.getLoc(), "an index is computed by " + nameOf(from)};
  };
  if (operands.size() != 2)
    return refuse();
  IndexExpr a = operands[0].expr, b = operands[1].expr;
  if (isa<arith::AddIOp>(from))
    return Number{a.plus(b)};
  if (isa<arith::SubIOp>(from))
    return Number{a.plus(b.times(-1))};
  if (isa<arith::MulIOp>(from)) {
    if (b.isConstant() && b.divisor() == 1)
      return Number{a.times(b.constant())};
    if (a.isConstant() && a.divisor() == 1)
      return Number{b.times(a.constant())};
    return refuse();
  }
  bool positive = b.isConstant() && b.divisor() == 1 && b.constant() > 0;
  if (positive && isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(from))
    return Number{a.dividedBy(b.constant())};
  if (positive && isa<arith::RemSIOp, arith::RemUIOp>(from))
    return Number{a, b.constant()};
  return refuse();
}

static constexpr Interval anything = {-(int64_t(1) << 61), int64_t(1) << 61};

static OrRefusal<Conditions> comparison(arith::CmpIOp compare, const Loops &loops) {
  OrRefusal<Number> left = readNumber(compare.getLhs()), right = readNumber(compare.getRhs());
  if (!left)
    return left.refusal();
  if (!right)
    return right.refusal();
  Conditions conditions;
  auto refuse = [&]() -> OrRefusal<Conditions> {
    return Refusal{compare.getLoc(), "a condition is neither a bound nor a test for divisibility"};
  };
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (left->modulus != 0) {
    if (predicate != arith::CmpIPredicate::eq || !right->expr.isConstant() || right->modulus != 0 ||
        left->expr.divisor() != 1)
      return refuse();
    // x mod m == c is (x - c) divisible by m; for a signed remainder and c != 0 only where x is not negative.
    if (right->expr.constant() != 0 && left->expr.range(loops).low < 0)
      return refuse();
    conditions.divisible.push_back({left->expr.plus(-right->expr.constant()), left->modulus});
    return conditions;
  }
  if (right->modulus != 0 || left->expr.divisor() != 1 || right->expr.divisor() != 1)
    return refuse();
  // As a bound on the difference.
  IndexExpr difference = left->expr.plus(right->expr.times(-1));
  Interval bound = anything;
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    bound = {0, 0};
    break;
  case arith::CmpIPredicate::slt:
    bound.high = -1;
    break;
  case arith::CmpIPredicate::sle:
    bound.high = 0;
    break;
  case arith::CmpIPredicate::sgt:
    bound.low = 1;
    break;
  case arith::CmpIPredicate::sge:
    bound.low = 0;
    break;
  case arith::CmpIPredicate::ult:
    // 0 <= left < right, where right is a positive constant.
    if (!right->expr.isConstant() || right->expr.constant() <= 0)
      return refuse();
    conditions.bounds.push_back({left->expr, {0, right->expr.constant() - 1}});
    return conditions;
  default:
    return refuse();
  }
  conditions.bounds.push_back({difference, bound});
  return conditions;
}

OrRefusal<Conditions> readConditions(Value value, const Loops &loops) {
  Operation *from = value.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(from)) {
    OrRefusal<Conditions> left = readConditions(both.getLhs(), loops), right = readConditions(both.getRhs(), loops);
    if (!left || !right)
      return left ? right : left;
    left->bounds.append(right->bounds);
    left->divisible.append(right->divisible);
    return left;
  }
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(from))
    return comparison(compare, loops);
  return Refusal{value.getLoc(), "a condition is not a comparison of indices"};
}

} // namespace orzo
