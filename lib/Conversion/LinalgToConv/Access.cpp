#include "Conversion/LinalgToConv/Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace orzo {

int IndexSystem::add(Interval interval) {
  loops.push_back(interval);
  return static_cast<int>(loops.size()) - 1;
}

void IndexSystem::substitute(int loop, const IndexExpr &replacement) {
  for (Access &access : accesses)
    for (DimAccess &dim : access.dims)
      dim.index = dim.index.substitute(loop, replacement);
}

void IndexSystem::split(int loop, int64_t inner) {
  int64_t extent = loops[loop].high + 1;
  int first = add({0, extent / inner - 1}), second = add({0, inner - 1});
  substitute(loop, IndexExpr::loop(first).times(inner).plus(IndexExpr::loop(second)));
}

bool IndexSystem::overflowed() const {
  return llvm::any_of(accesses, [](const Access &access) {
    return llvm::any_of(access.dims, [](const DimAccess &dim) { return dim.index.overflowed(); });
  });
}

bool isZeroTensor(Value value) {
  // Chains are short; a bound keeps damaged input from costing more.
  for (int step = 0; step < 64; ++step) {
    if (matchPattern(value, m_PosZeroFloat()))
      return true;
    Operation *from = value.getDefiningOp();
    if (!from)
      return false;
    if (auto fill = dyn_cast<linalg::FillOp>(from))
      return matchPattern(fill.getInputs()[0], m_PosZeroFloat());
    if (auto splat = dyn_cast<tensor::SplatOp>(from))
      return matchPattern(splat.getInput(), m_PosZeroFloat());
    if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(from)) {
      value = from->getOperand(0);
      continue;
    }
    if (auto transpose = dyn_cast<linalg::TransposeOp>(from)) {
      value = transpose.getInput();
      continue;
    }
    if (auto broadcast = dyn_cast<linalg::BroadcastOp>(from)) {
      value = broadcast.getInput();
      continue;
    }
    auto generic = dyn_cast<linalg::GenericOp>(from);
    if (!generic || generic.getNumDpsInits() != 1)
      return false;
    Value yield = generic.getBlock()->getTerminator()->getOperand(0);
    auto argument = dyn_cast<BlockArgument>(yield);
    if (argument && argument.getOwner() == generic.getBlock()) {
      // A copy: of its input, where every element of the output is written.
      OpOperand *operand = generic.getMatchingOpOperand(argument);
      if (!generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)).isPermutation())
        return false;
      value = operand->get();
      continue;
    }
    return matchPattern(yield, m_PosZeroFloat()) &&
           generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)).isPermutation();
  }
  return false;
}

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

/// One walk.
class Walker {
public:
  Walker(IndexSystem &system, int number, WalkOptions options) : system(system), number(number), options(options) {}

  std::optional<Refusal> run() {
    for (int step = 0; step < 1000; ++step) {
      if (access().isZero)
        return std::nullopt;
      if (isZeroTensor(access().value)) {
        access().isZero = true;
        return std::nullopt;
      }
      Operation *from = access().value.getDefiningOp();
      if (!from || !isMove(from))
        return std::nullopt;
      if (std::optional<Refusal> refusal = through(from))
        return refusal;
      if (system.overflowed())
        return Refusal{from->getLoc(), "an index leaves 62 bits"};
      if (atReshapedArgument)
        return std::nullopt;
    }
    return Refusal{access().value.getLoc(), "the chain of ops is too long"};
  }

private:
  Access &access() { return system.accesses[number]; }

  bool isMove(Operation *op) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return generic.getNumDpsInits() == 1 && !reduces(generic) &&
             generic.getNumLoops() == generic.getNumParallelLoops();
    return isa<linalg::TransposeOp, linalg::CopyOp, tensor::CastOp, tensor::InsertSliceOp, tensor::ExtractSliceOp,
               tensor::PadOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, arith::ExtFOp, arith::TruncFOp>(op);
  }

  /// Moves on to `source`, whose dims are read at `dims`.
  std::optional<Refusal> goTo(Value source, SmallVector<DimAccess> dims) {
    auto type = dyn_cast<RankedTensorType>(source.getType());
    if (!type || !type.hasStaticShape())
      return Refusal{access().value.getLoc(), "a tensor has a dynamic shape"};
    access().value = source;
    access().shape.assign(type.getShape().begin(), type.getShape().end());
    access().dims = std::move(dims);
    return std::nullopt;
  }

  std::optional<Refusal> through(Operation *op);
  std::optional<Refusal> insertSlice(tensor::InsertSliceOp op);
  std::optional<Refusal> extractSlice(tensor::ExtractSliceOp op);
  std::optional<Refusal> pad(tensor::PadOp op);
  std::optional<Refusal> expand(tensor::ExpandShapeOp op);
  std::optional<Refusal> collapse(tensor::CollapseShapeOp op);
  std::optional<Refusal> generic(linalg::GenericOp op);
  std::optional<Refusal> cast(Operation *op, Type from, Type to);
  bool unflatten(DimAccess dim, ArrayRef<int64_t> shape, SmallVectorImpl<DimAccess> &dims);

  /// Whether every iteration's index is data.
  bool alwaysPresent(const DimAccess &dim) {
    return dim.index.divisor() == 1 && dim.present.contains(dim.index.range(system.loops));
  }

  IndexSystem &system;
  int number;
  WalkOptions options;
  bool rounded = false, atReshapedArgument = false;
};

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

/// Whether `groups` name 0 ... rank-1 in order: the ops' verifiers let numbers pass that name no dim.
static bool inOrder(ArrayRef<ReassociationIndices> groups, int64_t rank) {
  int64_t next = 0;
  for (const ReassociationIndices &group : groups)
    for (int64_t dim : group)
      if (dim != next++)
        return false;
  return groups.empty() || next == rank;
}

std::optional<Refusal> Walker::expand(tensor::ExpandShapeOp op) {
  if (!inOrder(op.getReassociationIndices(), static_cast<int64_t>(access().dims.size())))
    return Refusal{op.getLoc(), "its groups of dims are out of order"};
  SmallVector<DimAccess> dims;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    if (group.size() == 1) {
      dims.push_back(access().dims[group[0]]);
      continue;
    }
    IndexExpr index = IndexExpr::constant(0);
    int64_t stride = 1, longDims = 0;
    Interval present = {0, 0};
    for (int64_t position : llvm::reverse(group)) {
      const DimAccess &dim = access().dims[position];
      int64_t extent = access().shape[position];
      if (extent == 1) {
        // Index 0 is the only one there is.
        if (!alwaysPresent(dim))
          return Refusal{op.getLoc(), "a dim of extent 1 is padded before it is folded into another"};
        continue;
      }
      index = index.plus(dim.index.times(stride));
      if (++longDims == 1)
        present = dim.present;
      stride *= extent;
    }
    if (longDims > 1) {
      for (int64_t position : group)
        if (access().shape[position] != 1 && !alwaysPresent(access().dims[position]))
          return Refusal{op.getLoc(), "padded dims are folded into one"};
      present = {0, stride - 1};
    }
    dims.push_back({index, present});
  }
  return goTo(op.getSrc(), std::move(dims));
}

/// Takes a flat index apart into indices of `shape`; false where that is not possible loop by loop. May split loops.
bool Walker::unflatten(DimAccess dim, ArrayRef<int64_t> shape, SmallVectorImpl<DimAccess> &dims) {
  SmallVector<int64_t> longDims;
  for (int64_t extent : shape)
    if (extent != 1)
      longDims.push_back(extent);
  SmallVector<IndexExpr> parts;
  if (longDims.size() > 1) {
    if (!alwaysPresent(dim) || dim.index.overflowed())
      return false;
    IndexExpr rest = dim.index;
    for (size_t level = longDims.size() - 1; level > 0; --level) {
      int64_t base = longDims[level];
      // Terms that are whole multiples of the base belong to the dims further out.
      IndexExpr inner = IndexExpr::constant(rest.constant() - floorDivide(rest.constant(), base) * base);
      for (int loop : rest.loops())
        if (rest.coefficient(loop) % base != 0)
          inner = inner.plus(IndexExpr::loop(loop).times(rest.coefficient(loop)));
      if (!Interval{0, base - 1}.contains(inner.range(system.loops))) {
        // A loop that runs over several dims is split where the base says.
        for (int loop : inner.loops()) {
          int64_t step = inner.coefficient(loop), extent = system.loops[loop].high + 1;
          if (step < 1 || base % step != 0 || system.loops[loop].low != 0)
            continue;
          int64_t period = base / step;
          if (period > 1 && extent > period && extent % period == 0) {
            system.split(loop, period);
            return true; // The caller sees that there are more loops, and starts again.
          }
        }
        return false;
      }
      parts.push_back(inner);
      rest = rest.plus(inner.times(-1)).dividedBy(base);
      if (rest.divisor() != 1)
        return false;
    }
    parts.push_back(rest);
    std::reverse(parts.begin(), parts.end());
  } else if (longDims.size() == 1) {
    parts.push_back(dim.index);
  }
  if (longDims.empty()) {
    // The first of the dims of extent 1 takes what padding there was.
    dims.assign(shape.size(), {IndexExpr::constant(0), {0, 0}});
    if (!dims.empty())
      dims[0] = dim;
    return true;
  }
  size_t next = 0;
  for (int64_t extent : shape) {
    if (extent == 1)
      dims.push_back({IndexExpr::constant(0), {0, 0}});
    else if (longDims.size() == 1)
      dims.push_back(dim);
    else
      dims.push_back({parts[next++], {0, extent - 1}});
  }
  return true;
}

/// The argument that `value` is a mere reshape of, or null.
static Value reshapedArgument(Value value) {
  while (Operation *from = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(from))
      return {};
    value = from->getOperand(0);
  }
  return value;
}

std::optional<Refusal> Walker::collapse(tensor::CollapseShapeOp op) {
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  if (!inOrder(groups, op.getSrcType().getRank()))
    return Refusal{op.getLoc(), "its groups of dims are out of order"};
  SmallVector<DimAccess> dims(shape.size(), DimAccess{IndexExpr::constant(0), {0, 0}});
  for (size_t position = 0; position < groups.size(); ++position) {
    SmallVector<int64_t> extents;
    for (int64_t dim : groups[position])
      extents.push_back(shape[dim]);
    SmallVector<DimAccess> parts;
    size_t before = system.loops.size();
    if (!unflatten(access().dims[position], extents, parts)) {
      Value argument = reshapedArgument(op.getResult());
      if (!argument)
        return Refusal{op.getLoc(), "the index into a folded dim cannot be taken apart"};
      access().value = argument;
      atReshapedArgument = true;
      return std::nullopt;
    }
    if (system.loops.size() != before) {
      // A loop was split, here and in every access: what was taken apart earlier is out of date.
      position = size_t(-1);
      continue;
    }
    for (auto [dim, part] : llvm::zip_equal(groups[position], parts))
      dims[dim] = part;
  }
  return goTo(op.getSrc(), std::move(dims));
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

} // namespace

std::optional<Refusal> walk(IndexSystem &system, int number, WalkOptions options) {
  return Walker(system, number, options).run();
}

} // namespace orzo
