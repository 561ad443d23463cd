// Reductions: over some dims or all, kept with extent 1 or dropped.
#include "Import/Torch/Constants.h"
#include "Import/Torch/GraphReader.h"
#include "Import/Torch/TensorValue.h"

#include <cmath>

using namespace mlir;

namespace orzo::torch {

/// x of where(x != 0, x, 1): the factors of a product without zeros.
static Value withoutZeros(Value value) {
  auto select = value.getDefiningOp<AtenWhereScalarOtherOp>();
  auto test = select ? select.getCondition().getDefiningOp<AtenNeScalarOp>() : AtenNeScalarOp();
  bool matches = test && test.getSelf() == select.getSelf() && constantNumber(test.getOther()) == 0.0 &&
                 constantNumber(select.getOther()) == 1.0;
  return matches ? select.getSelf() : Value();
}

static std::optional<ReductionMode> modeOf(Operation *op) {
  if (isa<AtenSumOp, AtenSumDimIntListOp, PrimsSumOp>(op))
    return ReductionMode::ADD;
  if (isa<AtenMeanOp, AtenMeanDimOp>(op))
    return ReductionMode::AVG;
  if (isa<AtenMaxOp, AtenMaxDimOp, AtenAmaxOp>(op))
    return ReductionMode::MAX;
  if (isa<AtenMinOp, AtenMinDimOp, AtenAminOp>(op))
    return ReductionMode::MIN;
  if (isa<AtenProdOp, AtenProdDimIntOp, PrimsProdOp>(op))
    return withoutZeros(op->getOperand(0)) ? ReductionMode::MUL_NO_ZEROS : ReductionMode::MUL;
  if (!isa<AtenLinalgVectorNormOp, AtenNormScalarOptDimOp>(op))
    return std::nullopt;
  std::optional<double> order = isNone(op->getOperand(1)) ? 2.0 : constantNumber(op->getOperand(1));
  return order == 1.0        ? ReductionMode::NORM1
         : order == 2.0      ? ReductionMode::NORM2
         : order == INFINITY ? ReductionMode::AMAX
                             : ReductionMode::NOT_SET;
}

bool GraphReader::reduction(Operation *op) {
  std::optional<ReductionMode> mode = modeOf(op);
  if (!mode)
    return false;
  if (*mode == ReductionMode::NOT_SET) {
    refuse(op, nameOf(op) + " is read of order 1, 2 and infinity");
    return true;
  }
  if (op->getNumResults() == 2 && !op->getResult(1).use_empty()) {
    refuse(op, "the indices of " + nameOf(op) + " take part");
    return true;
  }
  GraphTensor from = *mode == ReductionMode::MUL_NO_ZEROS ? at(withoutZeros(op->getOperand(0))) : operand(op, 0),
              result;
  declared(op->getResult(0), result);
  graph::TensorPtr x = whole(op, from);
  if (!x)
    return true;
  bool isNorm = isa<AtenLinalgVectorNormOp, AtenNormScalarOptDimOp>(op);
  bool isAll = isa<AtenSumOp, AtenMeanOp, AtenMaxOp, AtenMinOp, AtenProdOp>(op);
  std::optional<Extents> axes = Extents();
  if (!isAll) {
    Value list = op->getOperand(isNorm ? 2 : 1);
    axes = isNone(list) ? Extents() : constantInts(list);
    if (!axes && constantInt(list))
      axes = Extents{*constantInt(list)};
  }
  int64_t rank = static_cast<int64_t>(from.dim.size());
  std::vector<bool> isReduced(rank, axes && axes->empty());
  for (int64_t axis : axes.value_or(Extents())) {
    if (axis < -rank || axis >= rank)
      axes.reset();
    if (!axes)
      break;
    isReduced[axis < 0 ? axis + rank : axis] = true;
  }
  if (!axes) {
    refuse(op, "the dims of " + nameOf(op) + " are no constants within " + std::to_string(rank) + " dims");
    return true;
  }
  Extents reduced, kept = from.dim, dropped;
  for (int64_t i = 0; i < rank; ++i) {
    if (isReduced[i]) {
      kept[i] = 1;
      reduced.push_back(i);
    } else {
      dropped.push_back(from.dim[i]);
    }
  }
  if (dropped.empty())
    dropped = {1};
  if (result.dim != kept && result.dim != dropped) {
    refuse(op, nameOf(op) + " is declared to be " + shapeText(result.dim) + ", where it gives " + shapeText(kept),
           /*isInvalid=*/true);
    return true;
  }
  GraphTensor made{node(op, graph::ReductionAttr().setMode(*mode).setAxes(reduced), {x}, kept, result.type), kept,
                   result.type};
  define(op, reshaped(op, made, result.dim));
  return true;
}

} // namespace orzo::torch
