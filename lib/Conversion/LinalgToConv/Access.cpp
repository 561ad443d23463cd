#include "Conversion/LinalgToConv/Access.h"

#include "Conversion/LinalgToConv/Walker.h"

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

std::optional<Refusal> walk(IndexSystem &system, int number, WalkOptions options) {
  return Walker(system, number, options).run();
}

} // namespace orzo
