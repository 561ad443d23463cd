#include "Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace orzo::test {
namespace {

int64_t count(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

/// Calls `visit` with every index below `shape`.
void each(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t left = count(shape); left > 0; --left) {
    visit(index);
    for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0 && ++index[dim] == shape[dim]; --dim)
      index[dim] = 0;
  }
}

double &at(NaiveTensor &tensor, ArrayRef<int64_t> index) {
  int64_t flat = 0;
  for (auto [dim, extent] : llvm::zip_equal(index, tensor.shape)) {
    EXPECT_TRUE(dim >= 0 && dim < extent) << "index " << dim << " of " << extent;
    flat = flat * extent + std::clamp<int64_t>(dim, 0, extent - 1);
  }
  return tensor.elements[flat];
}

class Interpreter {
public:
  std::vector<NaiveTensor> run(func::FuncOp function, const std::vector<NaiveTensor> &arguments);

private:
  void op(Operation &op);
  void structured(linalg::LinalgOp op);
  double scalar(Value value, ArrayRef<int64_t> loops);
  int64_t whole(Value value, ArrayRef<int64_t> loops) { return static_cast<int64_t>(scalar(value, loops)); }
  NaiveTensor &tensor(Value value) { return tensors[value]; }
  static NaiveTensor empty(Type type, double value = 0) {
    auto shaped = cast<RankedTensorType>(type);
    return {std::vector<int64_t>(shaped.getShape()), std::vector<double>(count(shaped.getShape()), value)};
  }

  llvm::DenseMap<Value, NaiveTensor> tensors;
  llvm::DenseMap<Value, double> scalars; ///< Of the iteration.
};

double Interpreter::scalar(Value value, ArrayRef<int64_t> loops) {
  if (auto known = scalars.find(value); known != scalars.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  if (!op) {
    ADD_FAILURE() << "a scalar argument is read";
    return 0;
  }
  auto operand = [&](unsigned number) { return scalar(op->getOperand(number), loops); };
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return number.getValueAsDouble();
    APInt bits = cast<IntegerAttr>(constant.getValue()).getValue();
    return bits.getBitWidth() == 1 ? static_cast<double>(bits.getZExtValue())
                                   : static_cast<double>(bits.getSExtValue());
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return static_cast<double>(loops[index.getDim()]);
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::IndexCastOp>(op))
    return operand(0);
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return operand(0) + operand(1);
  if (isa<arith::SubIOp>(op))
    return operand(0) - operand(1);
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return operand(0) * operand(1);
  if (isa<arith::AndIOp>(op))
    return operand(0) != 0 && operand(1) != 0;
  if (isa<arith::DivSIOp>(op))
    return static_cast<double>(static_cast<int64_t>(operand(0)) / static_cast<int64_t>(operand(1)));
  if (isa<arith::RemSIOp>(op))
    return static_cast<double>(static_cast<int64_t>(operand(0)) % static_cast<int64_t>(operand(1)));
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    double a = operand(0), b = operand(1);
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::eq:
      return a == b;
    case arith::CmpIPredicate::slt:
      return a < b;
    case arith::CmpIPredicate::sge:
      return a >= b;
    default:
      ADD_FAILURE() << "a comparison that is not known";
      return 0;
    }
  }
  if (isa<arith::SelectOp>(op)) // Lazy: the value not chosen may be an element outside of its tensor.
    return operand(0) != 0 ? operand(1) : operand(2);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<int64_t> index;
    for (Value position : extract.getIndices())
      index.push_back(whole(position, loops));
    return at(tensor(extract.getTensor()), index);
  }
  ADD_FAILURE() << "scalar op " << op->getName().getStringRef().str();
  return 0;
}

void Interpreter::structured(linalg::LinalgOp op) {
  Value result = op->getResult(0);
  NaiveTensor out = tensor(op.getDpsInits()[0]);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  each(extents, [&](ArrayRef<int64_t> loops) {
    scalars.clear();
    auto indexOf = [&](OpOperand &operand) { return op.getMatchingIndexingMap(&operand).compose(loops); };
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if (op.isInitTensor(&operand))
        scalars[argument] = at(out, indexOf(operand));
      else if (isa<RankedTensorType>(operand.get().getType()))
        scalars[argument] = at(tensor(operand.get()), indexOf(operand));
      else
        scalars[argument] = scalar(operand.get(), loops);
    }
    at(out, indexOf(*op.getDpsInitOperand(0))) = scalar(yielded, loops);
  });
  scalars.clear();
  tensors[result] = std::move(out);
}

void Interpreter::op(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      tensors[constant] = empty(constant.getType(), splat.getSplatValue<APFloat>().convertToDouble());
    return;
  }
  if (isa<tensor::EmptyOp>(op)) {
    tensors[op.getResult(0)] = empty(op.getResult(0).getType(), -777); // Nobody may read it.
    return;
  }
  if (auto structuredOp = dyn_cast<linalg::LinalgOp>(op))
    return structured(structuredOp);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    NaiveTensor reshaped = empty(op.getResult(0).getType());
    reshaped.elements = tensor(op.getOperand(0)).elements;
    tensors[op.getResult(0)] = reshaped;
    return;
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    NaiveTensor out = tensor(insert.getDest());
    NaiveTensor &source = tensor(insert.getSource());
    each(source.shape, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> to;
      for (auto [dim, position] : llvm::enumerate(index))
        to.push_back(insert.getStaticOffsets()[dim] + position * insert.getStaticStrides()[dim]);
      at(out, to) = at(source, index);
    });
    tensors[insert] = out;
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    NaiveTensor out = empty(extract.getType());
    each(out.shape, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> from;
      for (auto [dim, position] : llvm::enumerate(index))
        from.push_back(extract.getStaticOffsets()[dim] + position * extract.getStaticStrides()[dim]);
      at(out, index) = at(tensor(extract.getSource()), from);
    });
    tensors[extract] = out;
    return;
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    NaiveTensor out = empty(pad.getResultType(), scalar(pad.getConstantPaddingValue(), {}));
    NaiveTensor &source = tensor(pad.getSource());
    each(source.shape, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> to;
      for (auto [dim, position] : llvm::enumerate(index))
        to.push_back(pad.getStaticLow()[dim] + position);
      at(out, to) = at(source, index);
    });
    tensors[pad] = out;
    return;
  }
  ADD_FAILURE() << "op " << op.getName().getStringRef().str();
}

std::vector<NaiveTensor> Interpreter::run(func::FuncOp function, const std::vector<NaiveTensor> &arguments) {
  size_t next = 0;
  for (BlockArgument argument : function.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      tensors[argument] = arguments.at(next++);
  std::vector<NaiveTensor> results;
  for (Operation &each : function.getBody().front()) {
    if (!isa<func::ReturnOp>(each)) {
      op(each);
      continue;
    }
    for (Value value : each.getOperands())
      results.push_back(tensor(value));
  }
  return results;
}

} // namespace

std::vector<NaiveTensor> interpret(func::FuncOp function, const std::vector<NaiveTensor> &arguments) {
  return Interpreter().run(function, arguments);
}

} // namespace orzo::test
