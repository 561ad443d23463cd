#include "Conversion/LinalgToConv/Body.h"

#include "Conversion/LinalgToConv/Conditions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace orzo {

OrRefusal<Loops> loopsOf(linalg::LinalgOp op) {
  Loops loops;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent))
      return Refusal{op.getLoc(), "a loop has a dynamic extent"};
    if (extent == 0)
      return Refusal{op.getLoc(), "a loop has no iterations: a tensor is empty"};
    loops.push_back({0, extent - 1});
  }
  return loops;
}

static std::string nameOf(Operation *op) { return op->getName().getStringRef().str(); }

OrRefusal<SmallVector<IndexExpr>> applyMap(AffineMap map, Location location) {
  SmallVector<IndexExpr> loops;
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    loops.push_back(IndexExpr::loop(loop));
  return applyMapTo(map, loops, location);
}

namespace {

class BodyReader {
public:
  BodyReader(linalg::LinalgOp op, const Loops &loops) : op(op), loops(loops) {}

  OrRefusal<Element> element(Value value);
  OrRefusal<Moved> moved(Value value);
  bool isInside(Value value) { return value.getParentBlock() == op.getBlock(); }

private:
  OrRefusal<Moved> selected(arith::SelectOp select);
  OrRefusal<Element> argument(BlockArgument argument);
  OrRefusal<Element> extract(tensor::ExtractOp extract);

  linalg::LinalgOp op;
  const Loops &loops;
};

OrRefusal<Element> BodyReader::argument(BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  auto type = dyn_cast<RankedTensorType>(operand->get().getType());
  if (!type)
    return Refusal{op.getLoc(), "an operand is a scalar, not a tensor"};
  OrRefusal<SmallVector<IndexExpr>> index = applyMap(op.getMatchingIndexingMap(operand), op.getLoc());
  if (!index)
    return index.refusal();
  Element element{operand->get(), *index, {}, type.getElementType()};
  for (int64_t extent : type.getShape())
    element.present.push_back({0, extent - 1});
  return element;
}

OrRefusal<Element> BodyReader::extract(tensor::ExtractOp extract) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  Element element{extract.getTensor(), {}, {}, type.getElementType()};
  for (auto [position, extent] : llvm::zip_equal(extract.getIndices(), type.getShape())) {
    OrRefusal<Number> index = readNumber(position);
    if (!index)
      return index.refusal();
    if (index->modulus != 0)
      return Refusal{extract.getLoc(), "an index is a remainder"};
    element.index.push_back(index->expr);
    element.present.push_back({0, extent - 1});
  }
  return element;
}

OrRefusal<Element> BodyReader::element(Value value) {
  OrRefusal<Moved> move = moved(value);
  if (!move)
    return move.refusal();
  if (move->isZero)
    return Refusal{value.getLoc(), "a constant zero takes part in the product"};
  // Nothing below may read outside of its tensor, or divide with a rest: what that gives is not defined.
  Element &element = move->element;
  auto type = cast<RankedTensorType>(element.tensor.getType());
  for (auto [index, present, extent] : llvm::zip_equal(element.index, element.present, type.getShape())) {
    if (index.overflowed())
      return Refusal{value.getLoc(), "an index leaves 62 bits"};
    (void)present;
  }
  return element;
}

OrRefusal<Moved> BodyReader::selected(arith::SelectOp select) {
  OrRefusal<Moved> data = moved(select.getTrueValue());
  if (!data)
    return data;
  if (!matchPattern(select.getFalseValue(), m_AnyZeroFloat()) || data->isZero)
    return Refusal{select.getLoc(), "a select chooses between two values neither of which is zero"};
  OrRefusal<Conditions> guard = readConditions(select.getCondition(), loops);
  if (!guard)
    return guard.refusal();
  Element &element = data->element;
  // Every condition must be one on an index of the element, or hold for every iteration. What they let through must be
  // inside.
  element.present.clear();
  for (const IndexExpr &index : element.index)
    element.present.push_back(index.range(loops));
  for (auto &[expr, bound] : guard->bounds) {
    if (bound.contains(expr.range(loops)))
      continue;
    bool used = false;
    for (auto [index, present] : llvm::zip_equal(element.index, element.present)) {
      // The bound on k*index + c, for index = numerator/divisor.
      IndexExpr numerator = index.numerator();
      for (int sign : {1, -1}) {
        IndexExpr rest = expr.plus(numerator.times(-sign));
        if (!rest.isConstant() || rest.divisor() != 1)
          continue;
        Interval whole = sign > 0 ? Interval{bound.low - rest.constant(), bound.high - rest.constant()}
                                  : Interval{rest.constant() - bound.high, rest.constant() - bound.low};
        present = present.intersect({ceilDivide(whole.low, index.divisor()), floorDivide(whole.high, index.divisor())});
        used = true;
        break;
      }
      if (used)
        break;
    }
    if (!used)
      return Refusal{select.getLoc(), "a condition bounds something else than the index read"};
  }
  auto type = cast<RankedTensorType>(element.tensor.getType());
  for (auto [present, extent] : llvm::zip_equal(element.present, type.getShape()))
    if (!Interval{0, extent - 1}.contains(present))
      return Refusal{select.getLoc(), "its conditions let an index pass that is outside of the tensor"};
  for (auto [index, present] : llvm::zip_equal(element.index, element.present)) {
    if (index.divisor() == 1)
      continue;
    bool guarded = llvm::any_of(guard->divisible, [&](auto &test) {
      return test.second == index.divisor() &&
             (test.first == index.numerator() || test.first == index.numerator().times(-1));
    });
    if (!guarded)
      return Refusal{select.getLoc(), "an index is a division that may leave a rest"};
  }
  for (auto &[expr, modulus] : guard->divisible) {
    bool used = llvm::any_of(element.index, [&, expr = expr, modulus = modulus](IndexExpr &index) {
      return modulus == index.divisor() && (expr == index.numerator() || expr == index.numerator().times(-1));
    });
    if (!used)
      return Refusal{select.getLoc(), "a test for divisibility is not one of the index read"};
  }
  return data;
}

OrRefusal<Moved> BodyReader::moved(Value value) {
  if (matchPattern(value, m_PosZeroFloat()))
    return Moved{true, {}};
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBlock()) {
    OrRefusal<Element> element = this->argument(argument);
    if (!element)
      return element.refusal();
    return Moved{false, *element};
  }
  Operation *from = value.getDefiningOp();
  if (auto read = dyn_cast_or_null<tensor::ExtractOp>(from)) {
    OrRefusal<Element> element = extract(read);
    if (!element)
      return element.refusal();
    return Moved{false, *element};
  }
  if (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(from)) {
    OrRefusal<Moved> inner = moved(from->getOperand(0));
    if (inner && !inner->isZero) {
      inner->element.widened |= inner->element.rounded && isa<arith::ExtFOp>(from);
      inner->element.rounded |= isa<arith::TruncFOp>(from);
      inner->element.type = value.getType();
    }
    return inner;
  }
  if (auto select = dyn_cast_or_null<arith::SelectOp>(from))
    return selected(select);
  if (!from)
    return Refusal{value.getLoc(), "a scalar comes from outside of the op"};
  return Refusal{value.getLoc(), "it computes " + nameOf(from) + ", which is no part of a convolution"};
}

} // namespace

static Value yielded(linalg::LinalgOp op) {
  Operation *end = op.getBlock()->getTerminator();
  return end->getNumOperands() == 1 ? end->getOperand(0) : Value();
}

/// Reads that the conditions do not keep inside their tensor have no defined value: only raised where there are none.
static std::optional<Refusal> readsOutside(const Element &element, const Loops &loops, Location location,
                                           bool guarded) {
  auto type = cast<RankedTensorType>(element.tensor.getType());
  for (auto [index, extent] : llvm::zip_equal(element.index, type.getShape())) {
    if (index.overflowed())
      return Refusal{location, "an index leaves 62 bits"};
    if (ShapedType::isDynamic(extent))
      return Refusal{location, "a tensor has a dynamic extent"};
    if (!guarded && (index.divisor() != 1 || !Interval{0, extent - 1}.contains(index.range(loops))))
      return Refusal{location, "it reads outside of a tensor"};
  }
  return std::nullopt;
}

OrRefusal<Moved> readMove(linalg::LinalgOp op, const Loops &loops) {
  Value value = yielded(op);
  if (!value)
    return Refusal{op.getLoc(), "it yields more than one value"};
  OrRefusal<Moved> move = BodyReader(op, loops).moved(value);
  if (!move || move->isZero)
    return move;
  bool guarded = isa_and_nonnull<arith::SelectOp>(value.getDefiningOp());
  if (std::optional<Refusal> outside = readsOutside(move->element, loops, op.getLoc(), guarded))
    return *outside;
  return move;
}

/// `value` as an addition of the output argument and something else.
static Value addend(linalg::LinalgOp op, Value value) {
  auto sum = dyn_cast_or_null<arith::AddFOp>(value ? value.getDefiningOp() : nullptr);
  if (!sum || op.getNumDpsInits() != 1)
    return {};
  Value accumulator = op.getRegionOutputArgs()[0];
  if (sum.getLhs() == accumulator)
    return sum.getRhs();
  return sum.getRhs() == accumulator ? sum.getLhs() : Value();
}

bool reduces(linalg::LinalgOp op) { return static_cast<bool>(addend(op, yielded(op))); }

OrRefusal<MultiplyAdd> readMultiplyAdd(linalg::LinalgOp op, const Loops &loops) {
  Value term = addend(op, yielded(op));
  if (!term) {
    Operation *last = yielded(op) ? yielded(op).getDefiningOp() : nullptr;
    return Refusal{op.getLoc(), "its body is not a sum of floats onto its output" +
                                    (last ? ": it ends with " + nameOf(last) : std::string())};
  }
  auto product = dyn_cast_or_null<arith::MulFOp>(term.getDefiningOp());
  if (!product) {
    if (isa_and_nonnull<arith::ExtFOp>(term.getDefiningOp()))
      return Refusal{term.getLoc(), "each product is rounded before it is added"};
    return Refusal{op.getLoc(), "its body is a sum, not a sum of products"};
  }
  if (product.getLhs() == op.getRegionOutputArgs()[0] || product.getRhs() == op.getRegionOutputArgs()[0])
    return Refusal{op.getLoc(), "its body multiplies what it accumulates"};
  BodyReader reader(op, loops);
  OrRefusal<Element> lhs = reader.element(product.getLhs()), rhs = reader.element(product.getRhs());
  if (!lhs)
    return lhs.refusal();
  if (!rhs)
    return rhs.refusal();
  for (Element *element : {&*lhs, &*rhs}) {
    Value factor = element == &*lhs ? product.getLhs() : product.getRhs();
    while (isa_and_nonnull<arith::ExtFOp>(factor.getDefiningOp()))
      factor = factor.getDefiningOp()->getOperand(0);
    bool guarded = isa_and_nonnull<arith::SelectOp>(factor.getDefiningOp());
    if (std::optional<Refusal> outside = readsOutside(*element, loops, op.getLoc(), guarded))
      return *outside;
    if (element->rounded)
      return Refusal{op.getLoc(), "an operand is rounded before it is multiplied"};
    if (element->tensor == op.getDpsInits()[0])
      return Refusal{op.getLoc(), "it reads what it accumulates"};
  }
  return MultiplyAdd{*lhs, *rhs, term.getType()};
}

} // namespace orzo
