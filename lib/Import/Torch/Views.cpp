#include "Import/Torch/Constants.h"
#include "Import/Torch/TorchReader.h"

using namespace mlir;

namespace orzo::torch {

static std::string nameOf(Operation *op) { return "'" + op->getName().getStringRef().str() + "'"; }

/// `dim` counted from the front; nullopt outside of 0 ... rank-1.
static std::optional<int64_t> wrapped(std::optional<int64_t> dim, int64_t rank) {
  if (!dim || *dim < -rank || *dim >= rank)
    return std::nullopt;
  return *dim < 0 ? *dim + rank : *dim;
}

/// The result in the shape that its type says, where that is a view.
TensorValue TorchReader::reshape(Operation *op, const TensorValue &from) {
  auto type = staticTensor(op->getResult(0).getType());
  if (!type)
    return TensorValue::other(op, "the shape of " + nameOf(op) + " is not static");
  __int128 before = 1, after = 1;
  for (int64_t extent : from.shape)
    before *= extent;
  for (int64_t extent : type->first)
    after = after > (__int128(1) << 62) ? after : after * extent;
  if (before != after)
    return TensorValue::other(op, nameOf(op) + " makes " + shapeText(type->first) + " of " + shapeText(from.shape));
  std::optional<TensorValue> view = from.reshaped(type->first);
  if (!view)
    return TensorValue::other(op, nameOf(op) + " reads permuted memory or a result in the shape " +
                                      shapeText(type->first) + ", which is a copy");
  return *view;
}

std::optional<TensorValue> TorchReader::view(Operation *op) {
  // Casts to the type a tensor has, and copies: the same elements.
  bool isCast = isa<AtenToDtypeOp, PrimsConvertElementTypeOp>(op);
  bool isSame =
      isCast ||
      isa<AtenContiguousOp, AtenCloneOp, AtenDetachOp, AtenAliasOp, CopyToVTensorOp, AtenExpandOp, AtenBroadcastToOp>(
          op);
  bool isReshape = isa<AtenViewOp, AtenReshapeOp, AtenUnsafeViewOp, AtenFlattenUsingIntsOp, AtenUnsqueezeOp,
                       AtenSqueezeOp, AtenSqueezeDimOp>(op);
  bool isPermutation = isa<AtenPermuteOp, AtenTransposeIntOp, AtenTOp, AtenNumpyTOp>(op);
  if (!isSame && !isReshape && !isPermutation)
    return std::nullopt;
  const TensorValue &from = tensor(op->getOperand(0));
  if (from.kind == TensorValue::Kind::Other)
    return from;
  auto type = staticTensor(op->getResult(0).getType());
  if (!type)
    return TensorValue::other(op, "the shape of " + nameOf(op) + " is not static");
  if (type->second != from.elementType)
    return TensorValue::other(op, nameOf(op) + " changes the element type: rounding is a node of a graph");
  if (isReshape)
    return reshape(op, from);

  TensorValue view = from;
  if (isPermutation) {
    int64_t rank = static_cast<int64_t>(from.shape.size());
    std::vector<int64_t> order(rank);
    for (int64_t dim = 0; dim < rank; ++dim)
      order[dim] = dim;
    if (auto permute = dyn_cast<AtenPermuteOp>(op)) {
      std::optional<std::vector<int64_t>> dims = constantInts(permute.getDims());
      if (!dims || static_cast<int64_t>(dims->size()) != rank)
        return TensorValue::other(op, "the dims of " + nameOf(op) + " are no list of " + std::to_string(rank) +
                                          " constants");
      std::vector<bool> seen(rank, false);
      for (int64_t position = 0; position < rank; ++position) {
        std::optional<int64_t> dim = wrapped((*dims)[position], rank);
        if (!dim || seen[*dim])
          return TensorValue::other(op, "the dims of " + nameOf(op) + " are no permutation");
        seen[*dim] = true;
        order[position] = *dim;
      }
    } else if (auto transpose = dyn_cast<AtenTransposeIntOp>(op)) {
      std::optional<int64_t> first = wrapped(constantInt(transpose.getDim0()), rank);
      std::optional<int64_t> second = wrapped(constantInt(transpose.getDim1()), rank);
      if (!first || !second)
        return TensorValue::other(op, "the dims of " + nameOf(op) + " are no constants within " + std::to_string(rank) +
                                          " dims");
      std::swap(order[*first], order[*second]);
    } else {
      std::reverse(order.begin(), order.end());
      if (isa<AtenTOp>(op) && rank > 2)
        return TensorValue::other(op, nameOf(op) + " of more than 2 dims");
    }
    view = from.permuted(order);
  }
  if (view.shape != type->first)
    return TensorValue::other(op, nameOf(op) + " is declared to be " + shapeText(type->first) +
                                      ", where its operand gives " + shapeText(view.shape));
  return view;
}

} // namespace orzo::torch
