#include "Conversion/ConvToLinalg/LinalgBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace orzo {

static SmallVector<utils::IteratorType> parallels(size_t count) {
  return SmallVector<utils::IteratorType>(count, utils::IteratorType::parallel);
}

Value LinalgBuilder::empty(ArrayRef<int64_t> shape, Type type) {
  return tensor::EmptyOp::create(builder, location, shape, type);
}

Value LinalgBuilder::zeros(ArrayRef<int64_t> shape, Type type, bool constant) {
  if (constant) {
    auto tensorType = RankedTensorType::get(shape, type);
    return arith::ConstantOp::create(builder, location, tensorType,
                                     DenseElementsAttr::get(tensorType, builder.getZeroAttr(type)));
  }
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type));
  return linalg::FillOp::create(builder, location, zero, empty(shape, type)).getResult(0);
}

Value LinalgBuilder::pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  auto isZero = [](int64_t width) { return width == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return value;
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> lows, highs;
  for (auto [extent, before, after] : llvm::zip_equal(type.getShape(), low, high)) {
    shape.push_back(before + extent + after);
    lows.push_back(builder.getIndexAttr(before));
    highs.push_back(builder.getIndexAttr(after));
  }
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(builder, location, RankedTensorType::get(shape, type.getElementType()), value, lows,
                               highs, zero);
}

static void appendAttributes(OpBuilder &builder, ArrayRef<DimRange> ranges, SmallVector<OpFoldResult> &offsets,
                             SmallVector<OpFoldResult> &sizes, SmallVector<OpFoldResult> &strides) {
  for (const DimRange &range : ranges) {
    offsets.push_back(builder.getIndexAttr(range.offset));
    sizes.push_back(builder.getIndexAttr(range.size));
    strides.push_back(builder.getIndexAttr(range.stride));
  }
}

Value LinalgBuilder::slice(Value value, ArrayRef<DimRange> ranges, ArrayRef<bool> drop) {
  RankedTensorType type = typeOf(value);
  bool isWhole = llvm::none_of(drop, [](bool dropped) { return dropped; });
  for (auto [extent, range] : llvm::zip_equal(type.getShape(), ranges))
    isWhole &= range.size == extent;
  if (isWhole)
    return value;
  SmallVector<int64_t> shape;
  for (auto [i, range] : llvm::enumerate(ranges))
    if (drop.empty() || !drop[i])
      shape.push_back(range.size);
  SmallVector<OpFoldResult> offsets, sizes, strides;
  appendAttributes(builder, ranges, offsets, sizes, strides);
  return tensor::ExtractSliceOp::create(builder, location, RankedTensorType::get(shape, type.getElementType()), value,
                                        offsets, sizes, strides);
}

Value LinalgBuilder::insert(Value value, Value into, ArrayRef<DimRange> ranges) {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  appendAttributes(builder, ranges, offsets, sizes, strides);
  return tensor::InsertSliceOp::create(builder, location, value, into, offsets, sizes, strides);
}

Value LinalgBuilder::mirror(Value value, ArrayRef<bool> mirrored) {
  if (llvm::none_of(mirrored, [](bool flip) { return flip; }))
    return value;
  RankedTensorType type = typeOf(value);
  Value init = empty(type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(type.getRank())};
  auto body = [&](OpBuilder &nested, Location where, ValueRange) {
    SmallVector<Value> indices;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      Value index = linalg::IndexOp::create(nested, where, i);
      if (mirrored[i]) {
        Value last = arith::ConstantIndexOp::create(nested, where, type.getDimSize(i) - 1);
        index = arith::SubIOp::create(nested, where, last, index);
      }
      indices.push_back(index);
    }
    Value element = tensor::ExtractOp::create(nested, where, value, indices);
    linalg::YieldOp::create(nested, where, element);
  };
  return linalg::GenericOp::create(builder, location, TypeRange(type), ValueRange(), ValueRange(init), maps,
                                   parallels(type.getRank()), body)
      .getResult(0);
}

/// By one op, or null where neither shape refines the other.
static Value reshapeOnce(OpBuilder &builder, Location location, Value value, RankedTensorType to) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from == to)
    return value;
  auto groups = getReassociationIndicesForReshape(from, to);
  if (!groups)
    return {};
  if (from.getRank() > to.getRank())
    return tensor::CollapseShapeOp::create(builder, location, to, value, *groups);
  return tensor::ExpandShapeOp::create(builder, location, to, value, *groups);
}

Value LinalgBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  // From where the elements come: two reshapes are one.
  while (Operation *definition = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(definition))
      break;
    value = definition->getOperand(0);
  }
  RankedTensorType from = typeOf(value), to = RankedTensorType::get(shape, from.getElementType());
  if (Value direct = reshapeOnce(builder, location, value, to))
    return direct;
  Value flat = reshapeOnce(builder, location, value, from.clone({from.getNumElements()}));
  return reshapeOnce(builder, location, flat, to);
}

/// `value` widened to `type`.
static Value widen(OpBuilder &builder, Location location, Value value, Type type) {
  return value.getType() == type ? value : arith::ExtFOp::create(builder, location, type, value).getResult();
}

Value LinalgBuilder::multiplyAdd(Value lhs, Value rhs, Value init, ArrayRef<AffineMap> maps,
                                 ArrayRef<utils::IteratorType> iterators) {
  auto body = [](OpBuilder &nested, Location where, ValueRange arguments) {
    Type type = arguments[2].getType();
    Value product = arith::MulFOp::create(nested, where, widen(nested, where, arguments[0], type),
                                          widen(nested, where, arguments[1], type));
    Value sum = arith::AddFOp::create(nested, where, arguments[2], product);
    linalg::YieldOp::create(nested, where, sum);
  };
  return linalg::GenericOp::create(builder, location, TypeRange(init.getType()), ValueRange{lhs, rhs}, ValueRange(init),
                                   maps, iterators, body)
      .getResult(0);
}

Value LinalgBuilder::round(Value value, Type type) {
  RankedTensorType from = typeOf(value);
  if (from.getElementType() == type)
    return value;
  Value init = empty(from.getShape(), type);
  AffineMap identity = builder.getMultiDimIdentityMap(from.getRank());
  auto body = [type](OpBuilder &nested, Location where, ValueRange arguments) {
    Value rounded = arith::TruncFOp::create(nested, where, type, arguments[0]);
    linalg::YieldOp::create(nested, where, rounded);
  };
  return linalg::GenericOp::create(builder, location, TypeRange(init.getType()), ValueRange(value), ValueRange(init),
                                   {identity, identity}, parallels(from.getRank()), body)
      .getResult(0);
}

} // namespace orzo
