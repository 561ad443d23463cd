// Ops that move data: transposes, casts, slices, pads, and generics that yield what they read.
#include "Conversion/LinalgToConv/Walker.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace orzo {
namespace {

/// Padding beyond this is no convolution that Spec knows (C14), and sums of it would wrap.
constexpr int64_t farthest = int64_t(1) << 60;

/// step * i + offset for i in `interval`.
Interval scaled(Interval interval, int64_t step, int64_t offset) {
  auto at = [&](int64_t index) {
    __int128 value = __int128(step) * index + offset;
    return static_cast<int64_t>(std::clamp<__int128>(value, -farthest, farthest));
  };
  return {std::min(at(interval.low), at(interval.high)), std::max(at(interval.low), at(interval.high))};
}

} // namespace

std::optional<Refusal> Walker::through(Operation *op) {
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    SmallVector<DimAccess> dims(access().dims.size());
    for (auto [position, source] : llvm::enumerate(transpose.getPermutation()))
      dims[source] = access().dims[position];
    return goTo(transpose.getInput(), std::move(dims));
  }
  if (auto copy = dyn_cast<linalg::CopyOp>(op)) {
    if (std::optional<Refusal> refusal =
            cast(op, getElementTypeOrSelf(copy.getInputs()[0]), getElementTypeOrSelf(copy->getResult(0))))
      return refusal;
    return goTo(copy.getInputs()[0], access().dims);
  }
  if (isa<arith::ExtFOp, arith::TruncFOp, tensor::CastOp>(op)) {
    if (std::optional<Refusal> refusal =
            cast(op, getElementTypeOrSelf(op->getOperand(0)), getElementTypeOrSelf(op->getResult(0))))
      return refusal;
    return goTo(op->getOperand(0), access().dims);
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return insertSlice(insert);
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    return extractSlice(extract);
  if (auto padding = dyn_cast<tensor::PadOp>(op))
    return pad(padding);
  if (auto reshape = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand(reshape);
  if (auto reshape = dyn_cast<tensor::CollapseShapeOp>(op))
    return collapse(reshape);
  return generic(llvm::cast<linalg::GenericOp>(op));
}

/// Walking back over a cast from `from` to `to`.
std::optional<Refusal> Walker::cast(Operation *op, Type from, Type to) {
  if (from == to)
    return std::nullopt;
  if (!isa<FloatType>(from) || !isa<FloatType>(to))
    return Refusal{op->getLoc(), "it casts between types of which one is no float"};
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth()) {
    // On the result side a widening of what is rounded further back would be a second rounding point.
    if (options.mayRound)
      return Refusal{op->getLoc(), "the result is rounded and then widened again"};
    return std::nullopt;
  }
  if (!options.mayRound || rounded)
    return Refusal{op->getLoc(), options.mayRound ? "the result is rounded twice" : "an operand is rounded first"};
  rounded = true;
  return std::nullopt;
}

/// The static offsets, sizes and strides of a slice op.
static std::optional<Refusal> staticSlice(OffsetSizeAndStrideOpInterface op) {
  for (ArrayRef<int64_t> list : {op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides()})
    if (llvm::any_of(list, [](int64_t value) { return ShapedType::isDynamic(value); }))
      return Refusal{op.getLoc(), "a slice has dynamic offsets, sizes or strides"};
  if (llvm::any_of(op.getStaticStrides(), [](int64_t stride) { return stride < 1; }))
    return Refusal{op.getLoc(), "a slice has a stride below 1"};
  return std::nullopt;
}

std::optional<Refusal> Walker::insertSlice(tensor::InsertSliceOp op) {
  if (std::optional<Refusal> refusal = staticSlice(llvm::cast<OffsetSizeAndStrideOpInterface>(op.getOperation())))
    return refusal;
  bool covers = op.getStaticSizes() == op.getDestType().getShape();
  if (!covers && !isZeroTensor(op.getDest()))
    return Refusal{op.getLoc(), "a slice is inserted into something else than zeros"};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<DimAccess> dims;
  for (auto [position, dim] : llvm::enumerate(access().dims)) {
    int64_t offset = op.getStaticOffsets()[position], size = op.getStaticSizes()[position];
    int64_t stride = size == 1 ? 1 : op.getStaticStrides()[position];
    int64_t extent = op.getDestType().getDimSize(position);
    __int128 last = __int128(offset) + __int128(size - 1) * stride;
    if (offset < 0 || last >= extent)
      return Refusal{op.getLoc(), "a slice is inserted outside of its destination"};
    if (dim.index.divisor() != 1 && stride != 1 && dim.index.constant() % dim.index.divisor() != 0 &&
        dim.index.isConstant())
      return Refusal{op.getLoc(), "zeros are inserted twice along a dim"};
    DimAccess inner = {
        dim.index.plus(-offset).dividedBy(stride),
        Interval{ceilDivide(dim.present.low - offset, stride), floorDivide(dim.present.high - offset, stride)}
            .intersect({0, size - 1})};
    if (!dropped[position]) {
      dims.push_back(inner);
    } else if (extent != 1) {
      return Refusal{op.getLoc(), "a slice of lower rank is inserted"};
    }
  }
  return goTo(op.getSource(), std::move(dims));
}

std::optional<Refusal> Walker::extractSlice(tensor::ExtractSliceOp op) {
  if (std::optional<Refusal> refusal = staticSlice(llvm::cast<OffsetSizeAndStrideOpInterface>(op.getOperation())))
    return refusal;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<DimAccess> dims;
  size_t next = 0;
  for (int64_t position = 0; position < op.getSourceType().getRank(); ++position) {
    int64_t offset = op.getStaticOffsets()[position], size = op.getStaticSizes()[position];
    int64_t stride = op.getStaticStrides()[position];
    if (offset < 0 || __int128(offset) + __int128(size - 1) * stride >= op.getSourceType().getDimSize(position))
      return Refusal{op.getLoc(), "a slice is taken outside of its source"};
    if (dropped[position]) {
      dims.push_back({IndexExpr::constant(offset), {offset, offset}});
      continue;
    }
    const DimAccess &dim = access().dims[next++];
    if (stride != 1 && dim.index.divisor() != 1)
      return Refusal{op.getLoc(), "every so-many-th element is taken of a tensor with inserted zeros"};
    dims.push_back({dim.index.times(stride).plus(offset),
                    {offset + stride * dim.present.low, offset + stride * dim.present.high}});
  }
  return goTo(op.getSource(), std::move(dims));
}

std::optional<Refusal> Walker::pad(tensor::PadOp op) {
  Value padding = op.getConstantPaddingValue();
  if (!padding || !matchPattern(padding, m_PosZeroFloat()))
    return Refusal{op.getLoc(), "a pad is not with zeros"};
  SmallVector<DimAccess> dims;
  for (auto [position, dim] : llvm::enumerate(access().dims)) {
    int64_t low = op.getStaticLow()[position], extent = op.getSourceType().getDimSize(position);
    if (ShapedType::isDynamic(low) || ShapedType::isDynamic(extent) || std::abs(low) > farthest)
      return Refusal{op.getLoc(), "a pad is dynamic"};
    dims.push_back(
        {dim.index.plus(-low), Interval{dim.present.low - low, dim.present.high - low}.intersect({0, extent - 1})});
  }
  return goTo(op.getSource(), std::move(dims));
}

/// Result element j is what iteration d yields, where j = map(d) for the output's map; elements that no d reaches keep
/// what the output held, which must then be zero.
std::optional<Refusal> Walker::generic(linalg::GenericOp op) {
  OrRefusal<Loops> loops = loopsOf(op);
  if (!loops)
    return loops.refusal();
  OrRefusal<Moved> move = readMove(op, *loops);
  if (!move)
    return move.refusal();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  OrRefusal<SmallVector<IndexExpr>> output = applyMap(map, op.getLoc());
  if (!output)
    return output.refusal();

  // Each loop, solved for from the result's dim that it steps through.
  SmallVector<std::optional<DimAccess>> solved(loops->size());
  bool coversAll = true;
  for (auto [position, expr] : llvm::enumerate(*output)) {
    const DimAccess &dim = access().dims[position];
    SmallVector<int> used = expr.loops();
    Interval written = expr.range(*loops);
    coversAll &= written == Interval{0, access().shape[position] - 1};
    if (used.empty()) {
      if (access().shape[position] != 1 || expr.constant() != 0 || !alwaysPresent(dim))
        return Refusal{op.getLoc(), "it writes one index of a longer dim"};
      continue;
    }
    int64_t step = used.size() == 1 ? expr.coefficient(used[0]) : 0;
    if (step == 0 || solved[used[0]])
      return Refusal{op.getLoc(), "its output is indexed by more than one loop along a dim"};
    Interval extent = (*loops)[used[0]];
    if (extent.high == 0)
      step = step < 0 ? -1 : 1;
    coversAll &= step == 1 || step == -1;
    // d = (j - c)/step.
    IndexExpr index = dim.index.plus(-expr.constant()).times(step < 0 ? -1 : 1).dividedBy(std::abs(step));
    Interval present = {dim.present.low - expr.constant(), dim.present.high - expr.constant()};
    if (step < 0)
      present = {-present.high, -present.low};
    present = {ceilDivide(present.low, std::abs(step)), floorDivide(present.high, std::abs(step))};
    solved[used[0]] = DimAccess{index, present.intersect(extent)};
  }
  for (auto [loop, dim] : llvm::enumerate(solved))
    if (!dim) {
      if ((*loops)[loop].high != 0)
        return Refusal{op.getLoc(), "a loop does not step through its output"};
      dim = DimAccess{IndexExpr::constant(0), {0, 0}};
    }
  if (!coversAll && !isZeroTensor(op.getDpsInits()[0]))
    return Refusal{op.getLoc(), "elements that it does not write are not zero"};
  if (move->isZero) {
    access().isZero = true;
    return std::nullopt;
  }

  const Element &element = move->element;
  if (element.widened || (element.rounded && !options.mayRound))
    return Refusal{op.getLoc(), "it rounds, and what is rounded is not yet the result"};
  if (std::optional<Refusal> refusal =
          cast(op, getElementTypeOrSelf(element.tensor.getType()), getElementTypeOrSelf(op->getResult(0).getType())))
    return refusal;
  SmallVector<DimAccess> dims;
  SmallVector<bool> looksThrough(loops->size(), false);
  for (auto [expr, present] : llvm::zip_equal(element.index, element.present)) {
    SmallVector<int> used = expr.loops();
    DimAccess dim = {IndexExpr::constant(expr.constant()), present};
    for (int loop : used)
      dim.index = dim.index.plus(solved[loop]->index.times(expr.coefficient(loop)));
    dim.index = dim.index.dividedBy(expr.divisor());
    if (used.size() == 1) {
      // Where the loop itself is not there, neither is the element: a bound on the loop is one on the index.
      const DimAccess &loop = *solved[used[0]];
      int64_t step = expr.coefficient(used[0]);
      if (std::abs(step) != 1 && loop.index.divisor() != 1)
        return Refusal{op.getLoc(), "an index is a multiple of one with inserted zeros"};
      Interval bound = scaled(loop.present, step, expr.constant());
      dim.present =
          dim.present.intersect({ceilDivide(bound.low, expr.divisor()), floorDivide(bound.high, expr.divisor())});
      looksThrough[used[0]] = true;
    } else {
      for (int loop : used)
        if (!alwaysPresent(*solved[loop]))
          return Refusal{op.getLoc(), "an index is the sum of loops of which one is padded"};
    }
    dims.push_back(dim);
  }
  for (auto [loop, dim] : llvm::enumerate(solved))
    if (!looksThrough[loop] && !alwaysPresent(*dim))
      return Refusal{op.getLoc(), "elements are padded along a dim that is not read"};
  return goTo(element.tensor, std::move(dims));
}

} // namespace orzo
