// FuseMaps: pointwise work goes where its operand is made.
//
// A map whose operand no one else reads is computed with that operand, before it is stored: into the body of the map or
// reduction that reads the result (two nests of loops become one), then into the epilogue of the gemm op that makes an
// operand. Further operands of an epilogue are its extras.
//
//     worked example   %2 = gemm, %4 = map(%2, bias), %5 = map(%4)
//     %4 goes into the epilogue of %2 with the bias as extra, then %5 into the same: one op is left
//
// What does not fuse stays an op of its own, with a remark that says why.
#include "Dialect/Dispatch/Transforms/NestFusion.h"
#include "Dialect/Dispatch/Transforms/Passes.h"
#include "Dialect/Dispatch/Transforms/TensorMemory.h"
#include "Dialect/Gemm/GemmDialect.h"
#include "Spec/ElementMap.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace orzo::dispatch {
#define GEN_PASS_DEF_FUSEMAPSPASS
#include "Dialect/Dispatch/Transforms/Passes.h.inc"

namespace {

/// How often the memory of `value` is used, through reshapes.
int64_t useCount(mlir::Value value) {
  int64_t count = 0;
  for (mlir::Operation *user : value.getUsers())
    count +=
        mlir::isa<mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp>(user) ? useCount(user->getResult(0)) : 1;
  return count;
}

/// "%4" of a graph's value; else what the op is.
std::string nameOf(mlir::Operation *op) {
  if (auto name = op->getLoc()->findInstanceOf<mlir::NameLoc>())
    return name.getName().str();
  return op->getName().getStringRef().str();
}

class FuseMapsPass : public impl::FuseMapsPassBase<FuseMapsPass> {
  void runOnOperation() override {
    isStrict = getOperation()->hasAttr("orzo.strict_rounding");
    llvm::SmallVector<mlir::Operation *> nests;
    getOperation().walk([&](mlir::Operation *op) {
      if (mlir::isa<nest::MapOp, nest::ReduceOp>(op))
        nests.push_back(op);
    });
    reasons.clear();
    for (mlir::Operation *nest : nests)
      fuse(nest);
    for (auto &[op, reason] : reasons)
      op->emitRemark() << nameOf(op) << " is not computed with its operands: " << reason;
  }

  void fuse(mlir::Operation *op) {
    std::string reason;
    // Maps first: then one step brings the whole expression into the epilogue.
    while (mlir::Operation *fused = withProducingMap(NestOp(op), reason)) {
      eraseDead(op);
      op = fused;
    }
    if (mlir::isa<nest::MapOp>(op) && intoEpilogue(NestOp(op), reason))
      eraseDead(op);
    else if (!reason.empty())
      reasons[op] = reason;
  }

  /// Erases `op` when nobody needs it, then what it alone needed. An op leaves the list before it goes, so that what is
  /// in the list is there, whatever order the uses have.
  void eraseDead(mlir::Operation *op) {
    llvm::SetVector<mlir::Operation *> list;
    list.insert(op);
    while (!list.empty()) {
      mlir::Operation *last = list.pop_back_val();
      if (!mlir::isOpTriviallyDead(last))
        continue;
      for (mlir::Value operand : last->getOperands())
        if (mlir::Operation *maker = operand.getDefiningOp())
          list.insert(maker);
      reasons.erase(last);
      last->erase();
    }
  }

  /// Why the memory of `value` must exist; empty where nothing but one reader, `reads` times, needs it.
  std::string whyStored(mlir::Value value, int64_t reads) {
    std::string name = nameOf(value.getDefiningOp());
    if (useCount(value) > reads)
      return name + " is read more than once, or is an output";
    ElementType type = nest::typeOf(value);
    if (isStrict && type != ElementType::Float && type != ElementType::Boolean)
      return "strict rounding makes " + name + " a rounding point";
    if (!isFloat(type) && type != ElementType::Boolean)
      return name + " is made of integers, which cannot hold what lies between";
    if (type == ElementType::Double)
      return name + " is f64";
    return {};
  }

  /// `consumer` with the map of one of its operands in its body, in front of it; null where there is none.
  mlir::Operation *withProducingMap(const NestOp &consumer, std::string &reason) {
    for (auto [column, input] : llvm::enumerate(consumer.inputs())) {
      mlir::Value value = memoryOf(input);
      auto map = value.getDefiningOp<nest::MapOp>();
      if (!map)
        continue;
      if (reason = whyStored(value, 1); !reason.empty())
        continue;
      if (mlir::Operation *fused = mergeNests(map, consumer, column))
        return fused;
      reason = nameOf(map) + " is not read once, element by element";
    }
    return nullptr;
  }

  /// Whether `map` went into the epilogue of the gemm op that makes one of its operands, the last one of several.
  bool intoEpilogue(const NestOp &map, std::string &reason) {
    gemm::GemmOpInterface last;
    for (mlir::Value input : map.inputs())
      if (auto gemm = memoryOf(input).getDefiningOp<gemm::GemmOpInterface>())
        if (!last || last->isBeforeInBlock(gemm))
          last = gemm;
    if (!last)
      return false;
    mlir::Value value = last->getResult(0);
    auto reads = llvm::count_if(map.inputs(), [&](mlir::Value input) { return memoryOf(input) == value; });
    if (reason = whyStored(value, reads); !reason.empty())
      return false;
    return extend(last, map, reason);
  }

  bool extend(gemm::GemmOpInterface gemm, const NestOp &map, std::string &reason) {
    mlir::Value value = gemm->getResult(0);
    int64_t elements = nest::elementsOf(value);
    size_t column = 0;
    while (memoryOf(map.inputs()[column]) != value)
      ++column;
    mlir::Value result = map.op->getResult(0);
    std::optional<ElementMap> toResult;
    if (map.offsets[column] == 0)
      toResult = elementMap(map.loops, column, map.resultColumn(), elements, map.offsets.back());
    if (!toResult || !toResult->isIdentity() || nest::elementsOf(result) != elements) {
      reason = "its result does not have the elements of " + nameOf(gemm) + " in their order of memory";
      return false;
    }
    if (Expected<DataType> type = conv::dataType(mlir::cast<mlir::ShapedType>(result.getType()).getElementType());
        !type) {
      reason = "a kernel of products stores f32, bf16 or f16";
      return false;
    }
    llvm::SmallVector<mlir::Attribute> maps;
    if (auto known = gemm->getAttrOfType<mlir::ArrayAttr>("extra_maps"))
      llvm::append_range(maps, known);
    llvm::SmallVector<mlir::Value> extras(gemm.getExtraValues());
    llvm::SmallVector<int64_t> argumentOf; // By input of the map: of the epilogue.
    for (auto [index, input] : llvm::enumerate(map.inputs())) {
      std::optional<ElementMap> toInput = elementMap(map.loops, column, index, elements, map.offsets[index]);
      if (memoryOf(input) == value && toInput->isIdentity()) {
        argumentOf.push_back(0);
        continue;
      }
      if (memoryOf(input) == value) {
        reason = nameOf(gemm) + " is read in more than one order";
        return false;
      }
      ElementType type = nest::typeOf(input);
      if (toDataType(type) == std::nullopt && type != ElementType::Boolean) {
        reason = "an epilogue reads f32, bf16, f16 or bool, not " + std::string(name(type));
        return false;
      }
      if (llvm::any_of(map.loops, [&](const GraphLoop &loop) { return loop.strides[index] < 0; })) {
        reason = "an operand is read backwards";
        return false;
      }
      mlir::Attribute attr = gemm::ElementMapAttr::get(&getContext(), *toInput);
      size_t number = 0;
      while (number < extras.size() && (extras[number] != input || maps[number] != attr))
        ++number;
      if (number == extras.size()) {
        extras.push_back(input);
        maps.push_back(attr);
      }
      argumentOf.push_back(static_cast<int64_t>(number) + 1);
    }
    replace(gemm, map, extras, maps, argumentOf);
    return true;
  }

  /// Writes `gemm` anew in front of `map`, which it replaces.
  void replace(gemm::GemmOpInterface gemm, const NestOp &map, llvm::ArrayRef<mlir::Value> extras,
               llvm::ArrayRef<mlir::Attribute> maps, llvm::ArrayRef<int64_t> argumentOf) {
    mlir::OpBuilder builder(map.op);
    mlir::Location location = map.op->getLoc();
    auto flat = mlir::cast<mlir::RankedTensorType>(map.op->getResult(0).getType());
    auto shaped = mlir::cast<mlir::RankedTensorType>(gemm->getResult(0).getType());
    auto type = mlir::RankedTensorType::get(shaped.getShape(), flat.getElementType());
    mlir::Value out = mlir::tensor::EmptyOp::create(builder, location, type.getShape(), type.getElementType());
    mlir::OperationState state(location, gemm->getName());
    state.addOperands({gemm.getLhsValue(), gemm.getRhsValue(), out});
    state.addOperands(extras);
    state.addTypes(type);
    state.addAttributes(gemm->getAttrs());
    if (!maps.empty())
      state.attributes.set("extra_maps", builder.getArrayAttr(maps));
    mlir::Block *body = addBody(builder, state, extras.size() + 1);
    mlir::Block &before = gemm.getEpilogueRegion().front();
    mlir::Value value = inlined(builder, before, body->getArguments().take_front(before.getNumArguments()));
    llvm::SmallVector<mlir::Value> inputs;
    for (int64_t argument : argumentOf)
      inputs.push_back(argument == 0 ? value : body->getArgument(static_cast<unsigned>(argument)));
    gemm::YieldOp::create(builder, location, inlined(builder, map.body(), inputs));
    builder.setInsertionPoint(map.op);
    mlir::Value fused = builder.create(state)->getResult(0);
    if (type != flat)
      fused = reshaped(builder, location, fused, flat);
    map.op->getResult(0).replaceAllUsesWith(fused);
  }

  static mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                              mlir::RankedTensorType flat) {
    auto rank = mlir::cast<mlir::RankedTensorType>(value.getType()).getRank();
    llvm::SmallVector<mlir::ReassociationIndices> groups;
    if (rank == 0)
      return mlir::tensor::ExpandShapeOp::create(builder, location, flat, value, groups);
    groups.push_back(llvm::to_vector(llvm::seq<int64_t>(rank)));
    return mlir::tensor::CollapseShapeOp::create(builder, location, flat, value, groups);
  }

  bool isStrict = false;
  llvm::MapVector<mlir::Operation *, std::string> reasons; ///< Of the nests that stay.
};

} // namespace
} // namespace orzo::dispatch
