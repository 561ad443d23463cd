// Reshapes: dims folded into one, and taken apart again.
#include "Conversion/LinalgToConv/Walker.h"

using namespace mlir;

namespace orzo {

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

} // namespace orzo
