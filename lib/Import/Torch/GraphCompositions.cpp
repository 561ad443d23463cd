// Compositions of torch ops that are one mode: those that a graph prints (lib/Graph/TorchPointwise.cpp), and nothing
// else. Every one has an op that no single node prints, so that a graph of two nodes is never taken for one of one. The
// nodes that the ops on the way had become go unused, and so do not show.
#include "Import/Torch/Constants.h"
#include "Import/Torch/GraphReader.h"

#include <cmath>

using namespace mlir;

namespace orzo::torch {

using graph::PointwiseAttr;

/// x * factor, or x where `value` is no product with a scalar.
static std::pair<Value, double> scaled(Value value) {
  if (auto product = value.getDefiningOp<AtenMulScalarOp>())
    if (std::optional<double> factor = constantNumber(product.getOther()))
      return {product.getSelf(), *factor};
  return {value, 1};
}

/// sigmoid(x) gives x.
static Value sigmoidOf(Value value) {
  auto op = value.getDefiningOp<AtenSigmoidOp>();
  return op ? op.getSelf() : Value();
}

/// 1 - x gives x.
static Value oneMinus(Value value) {
  auto op = value.getDefiningOp<AtenRsubScalarOp>();
  return op && constantNumber(op.getOther()) == 1.0 && constantNumber(op.getAlpha()) == 1.0 ? op.getSelf() : Value();
}

template <typename Op> static std::optional<double> bound(Op op) { return constantNumber(op.getOther()); }

/// Whether `value` is a product that `likes` accepts, its factors in one order or the other.
static bool isProduct(Value value, llvm::function_ref<bool(Value, Value)> likes) {
  auto op = value.getDefiningOp<AtenMulTensorOp>();
  return op && (likes(op.getSelf(), op.getOther()) || likes(op.getOther(), op.getSelf()));
}

/// sigmoid'(x) = s*(1 - s) of s = sigmoid(x) gives x.
static Value sigmoidDerivative(Value value) {
  Value found;
  isProduct(value, [&](Value s, Value rest) {
    if (!sigmoidOf(s) || oneMinus(rest) != s)
      return false;
    found = sigmoidOf(s);
    return true;
  });
  return found;
}

/// swish'(x) = s*(1 + u*(1 - s)) of u = beta*x, s = sigmoid(u) gives u.
static Value swishDerivative(Value value) {
  Value found;
  isProduct(value, [&](Value s, Value sum) {
    Value u = sigmoidOf(s);
    auto plus = sum.getDefiningOp<AtenAddScalarOp>();
    if (!u || !plus || constantNumber(plus.getOther()) != 1.0 || constantNumber(plus.getAlpha()) != 1.0)
      return false;
    if (!isProduct(plus.getSelf(), [&](Value a, Value b) { return a == u && oneMinus(b) == s; }))
      return false;
    found = u;
    return true;
  });
  return found;
}

namespace {

/// What a select between two tensors is, when that is a mode of its own.
class Selection {
public:
  explicit Selection(AtenWhereSelfOp op) : condition(op.getCondition()), yes(op.getSelf()), no(op.getOther()) {}

  bool match() { return predicate() || softplusBackward() || relu() || reluBackward(); }

  PointwiseAttr attr;
  std::vector<Value> inputs;

private:
  /// p != 0 is what a select tests by itself.
  bool predicate() {
    auto test = condition.getDefiningOp<AtenNeScalarOp>();
    if (!test || bound(test) != 0.0)
      return false;
    attr.setMode(PointwiseMode::BINARY_SELECT);
    inputs = {test.getSelf(), yes, no};
    return true;
  }

  /// u > threshold ? dy : dy*sigmoid(u) of u = beta*x.
  bool softplusBackward() {
    auto test = condition.getDefiningOp<AtenGtScalarOp>();
    if (!test || !bound(test) ||
        !isProduct(no, [&](Value dy, Value s) { return dy == yes && sigmoidOf(s) == test.getSelf(); }))
      return false;
    auto [x, beta] = scaled(test.getSelf());
    attr.setMode(PointwiseMode::SOFTPLUS_BWD).setSoftplusBeta(beta).setSoftplusThreshold(*bound(test));
    inputs = {yes, x};
    return true;
  }

  /// x > lower ? min(x, upper) : lower + slope*(x - lower).
  bool relu() {
    auto test = condition.getDefiningOp<AtenGtScalarOp>();
    auto below = no.getDefiningOp<AtenAddScalarOp>();
    auto leak = below ? below.getSelf().getDefiningOp<AtenMulScalarOp>() : AtenMulScalarOp();
    auto shifted = leak ? leak.getSelf().getDefiningOp<AtenSubScalarOp>() : AtenSubScalarOp();
    if (!test || !shifted || shifted.getSelf() != test.getSelf() || !bound(test) || bound(below) != bound(test) ||
        bound(shifted) != bound(test) || !bound(leak) || constantNumber(below.getAlpha()) != 1.0 ||
        constantNumber(shifted.getAlpha()) != 1.0)
      return false;
    attr.setMode(PointwiseMode::RELU_FWD).setReluLowerClip(*bound(test)).setReluLowerClipSlope(*bound(leak));
    inputs = {test.getSelf()};
    if (yes == test.getSelf())
      return true;
    auto above = yes.getDefiningOp<AtenClampMaxOp>();
    if (!above || above.getSelf() != test.getSelf() || !bound(above))
      return false;
    attr.setReluUpperClip(*bound(above));
    return true;
  }

  /// x <= lower ? slope*dy : (x >= upper ? 0 : dy).
  bool reluBackward() {
    auto test = condition.getDefiningOp<AtenLeScalarOp>();
    auto leak = yes.getDefiningOp<AtenMulScalarOp>();
    if (!test || !leak || !bound(test) || !bound(leak))
      return false;
    attr.setMode(PointwiseMode::RELU_BWD).setReluLowerClip(*bound(test)).setReluLowerClipSlope(*bound(leak));
    inputs = {leak.getSelf(), test.getSelf()};
    if (no == leak.getSelf())
      return true;
    auto inside = no.getDefiningOp<AtenWhereScalarSelfOp>();
    auto end = inside ? inside.getCondition().getDefiningOp<AtenGeScalarOp>() : AtenGeScalarOp();
    if (!end || inside.getOther() != leak.getSelf() || constantNumber(inside.getSelf()) != 0.0 ||
        end.getSelf() != test.getSelf() || !bound(end))
      return false;
    attr.setReluUpperClip(*bound(end));
    return true;
  }

  Value condition, yes, no;
};

} // namespace

bool GraphReader::composition(Operation *op) {
  using enum PointwiseMode;
  auto is = [&](const PointwiseAttr &attr, ArrayRef<Value> inputs) {
    std::vector<GraphTensor> tensors;
    for (Value input : inputs)
      tensors.push_back(at(input));
    return pointwise(op, attr, tensors);
  };
  if (auto select = dyn_cast<AtenWhereSelfOp>(op)) {
    Selection selection(select);
    return selection.match() && is(selection.attr, selection.inputs);
  }
  if (auto sum = dyn_cast<AtenAddTensorOp>(op)) {
    auto square = sum.getOther().getDefiningOp<AtenSquareOp>();
    return square && constantNumber(sum.getAlpha()) == 1.0 &&
           is(PointwiseAttr().setMode(ADD_SQUARE), {sum.getSelf(), square.getSelf()});
  }
  if (isa<AtenTanhBackwardOp, AtenSigmoidBackwardOp>(op)) {
    Value dy = op->getOperand(0), y = op->getOperand(1);
    if (auto tanh = y.getDefiningOp<AtenTanhOp>(); tanh && isa<AtenTanhBackwardOp>(op))
      return is(PointwiseAttr().setMode(TANH_BWD), {dy, tanh.getSelf()});
    if (Value x = sigmoidOf(y); x && isa<AtenSigmoidBackwardOp>(op))
      return is(PointwiseAttr().setMode(SIGMOID_BWD), {dy, x});
    // Of a result that was kept: dy*(1 - y*y), dy*(y*(1 - y)).
    GraphTensor result = at(y);
    if (!result.tensor)
      return is(PointwiseAttr().setMode(MUL), {dy, y});
    GraphTensor one = constant(1, result);
    if (isa<AtenTanhBackwardOp>(op))
      return pointwise(op, MUL, {at(dy), step(op, SUB, {one, step(op, MUL, {result, result})})});
    return pointwise(op, MUL, {at(dy), step(op, MUL, {result, step(op, SUB, {one, result})})});
  }
  if (!isa<AtenMulTensorOp>(op))
    return false;
  PointwiseAttr attr;
  std::vector<Value> inputs;
  isProduct(op->getResult(0), [&](Value a, Value b) {
    if (Value u = sigmoidOf(b); u && scaled(u).first == a && scaled(u).second != 1) {
      attr.setMode(SWISH_FWD).setSwishBeta(scaled(u).second);
      inputs = {a};
    } else if (Value x = sigmoidDerivative(b)) {
      attr.setMode(SIGMOID_BWD);
      inputs = {a, x};
    } else if (Value u = swishDerivative(b)) {
      attr.setMode(SWISH_BWD).setSwishBeta(scaled(u).second);
      inputs = {a, scaled(u).first};
    }
    return !inputs.empty();
  });
  return !inputs.empty() && is(attr, inputs);
}

} // namespace orzo::torch
