#include "Dialect/Dispatch/Transforms/Passes.h"
#include "Dialect/Gemm/GemmDialect.h"
#include "Dialect/Nest/NestDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

namespace orzo::dispatch {
#define GEN_PASS_DEF_OUTLINEDISPATCHESPASS
#include "Dialect/Dispatch/Transforms/Passes.h.inc"

namespace {

std::string joined(const std::vector<SpatialDim> &dims, auto field) {
  std::string line;
  for (const SpatialDim &dim : dims)
    line += (line.empty() ? "" : "x") + std::to_string(field(dim));
  return line;
}

/// A name for people, and a C identifier: contract_4096x4096x2048_bf16 (m, n, k), b8_ before the extents of a batched
/// one; fprop_n4_c256_k256_in28x28_f3x3_s1x1_bf16.
std::string kernelName(gemm::GemmOpInterface kernel) {
  gemm::Problem problem = kernel.problem();
  auto elements = mlir::cast<mlir::ShapedType>(kernel.getLhsValue().getType()).getElementType();
  std::string type(orzo::name(conv::dataType(elements).take()));
  if (const auto *contraction = std::get_if<Contraction>(&problem)) {
    int64_t batch = contraction->extentOf(contraction->batch);
    return "contract_" + (batch > 1 ? "b" + std::to_string(batch) + "_" : "") +
           std::to_string(contraction->extentOf(contraction->m)) + "x" +
           std::to_string(contraction->extentOf(contraction->n)) + "x" +
           std::to_string(contraction->extentOf(contraction->k)) + "_" + type;
  }
  const ConvSpec &spec = std::get<ConvSpec>(problem);
  std::string line(orzo::name(spec.direction));
  line += "_n" + std::to_string(spec.n) + "_c" + std::to_string(spec.c) + "_k" + std::to_string(spec.k);
  if (spec.groups > 1)
    line += "_g" + std::to_string(spec.groups);
  if (spec.rank() > 0)
    line += "_in" + joined(spec.spatial, [](const SpatialDim &dim) { return dim.in; }) + "_f" +
            joined(spec.spatial, [](const SpatialDim &dim) { return dim.filter; }) + "_s" +
            joined(spec.spatial, [](const SpatialDim &dim) { return dim.stride; });
  return line + "_" + type;
}

mlir::MemRefType slotType(mlir::Type tensor) {
  auto type = mlir::cast<mlir::RankedTensorType>(tensor);
  return mlir::MemRefType::get(type.getShape(), type.getElementType());
}

/// map_2_bf16_1048576: inputs, type and elements of the result; reduce_add_1_f32_2048.
std::string nestName(mlir::Operation *kernel) {
  auto step = mlir::cast<mlir::DestinationStyleOpInterface>(kernel);
  mlir::Value out = step.getDpsInits().front();
  std::string line = "map_";
  if (auto reduce = mlir::dyn_cast<nest::ReduceOp>(kernel))
    line = "reduce_" + reduce.getMode().str() + "_";
  return line + std::to_string(step.getNumDpsInputs()) + "_" + std::string(orzo::name(nest::typeOf(out))) + "_" +
         std::to_string(nest::elementsOf(out));
}

/// The first op gives the name; what runs after it in the same launch is counted.
std::string regionName(llvm::ArrayRef<mlir::Operation *> kernels) {
  auto gemm = mlir::dyn_cast<gemm::GemmOpInterface>(kernels.front());
  std::string name = gemm ? kernelName(gemm) : nestName(kernels.front());
  if (gemm && !gemm.hasIdentityEpilogue())
    name += "_fused";
  for (mlir::Operation *kernel : kernels.drop_front())
    name += "_and_" + nestName(kernel);
  return name;
}

class OutlineDispatchesPass : public impl::OutlineDispatchesPassBase<OutlineDispatchesPass> {
  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    mlir::OpBuilder functions = mlir::OpBuilder::atBlockBegin(getOperation().getBody());
    llvm::SmallVector<RegionOp> regions;
    getOperation().walk([&](RegionOp region) { regions.push_back(region); });
    for (RegionOp region : regions) {
      llvm::SmallVector<mlir::Operation *> kernels;
      for (mlir::Operation &op : region.getBody().front().without_terminator())
        kernels.push_back(&op);
      if (kernels.empty() || !llvm::all_of(kernels, [](mlir::Operation *op) {
            return mlir::isa<gemm::GemmOpInterface, nest::MapOp, nest::ReduceOp>(op);
          })) {
        region.emitError("unsupported: expected a region of gemm and nest ops");
        return signalPassFailure();
      }
      Slots slots = collectSlots(region, kernels);
      FuncOp function = outline(functions, region, kernels, slots);
      // insert() makes the name unique: two regions may compute the same thing.
      symbols.insert(function);
      mlir::OpBuilder builder(region);
      auto run =
          RunOp::create(builder, region.getLoc(), region.getResultTypes(),
                        mlir::FlatSymbolRefAttr::get(function.getSymNameAttr()), slots.ins.getArrayRef(), slots.outs);
      region.replaceAllUsesWith(run.getResults());
      region.erase();
    }
  }

  /// What a region reads and writes of its surroundings, and the slot of each.
  struct Slots {
    llvm::SetVector<mlir::Value> ins;
    llvm::SmallVector<mlir::Value> outs;           ///< In the order of the region's results.
    llvm::DenseMap<mlir::Value, unsigned> numbers; ///< Of operands and results of the ops inside.
  };

  static Slots collectSlots(RegionOp region, llvm::ArrayRef<mlir::Operation *> kernels) {
    Slots slots;
    llvm::DenseMap<mlir::Value, mlir::Value> destinations; // Of results inside.
    for (mlir::Operation *kernel : kernels) {
      auto step = mlir::cast<mlir::DestinationStyleOpInterface>(kernel);
      for (mlir::Value input : step.getDpsInputs())
        if (!destinations.contains(input))
          slots.ins.insert(input);
      destinations[kernel->getResult(0)] = step.getDpsInits().front();
    }
    for (auto [index, input] : llvm::enumerate(slots.ins))
      slots.numbers[input] = static_cast<unsigned>(index);
    for (mlir::Value result : region.getBody().front().getTerminator()->getOperands()) {
      auto slot = static_cast<unsigned>(slots.ins.size() + slots.outs.size());
      slots.outs.push_back(destinations.lookup(result));
      slots.numbers[result] = slots.numbers[slots.outs.back()] = slot;
    }
    return slots;
  }

  static FuncOp outline(mlir::OpBuilder &builder, RegionOp region, llvm::ArrayRef<mlir::Operation *> kernels,
                        const Slots &slots) {
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value slot : llvm::concat<const mlir::Value>(slots.ins, slots.outs))
      types.push_back(slotType(slot.getType()));
    auto function = FuncOp::create(builder, region.getLoc(), regionName(kernels), types);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&function.getBody().front());
    for (mlir::Operation *kernel : kernels) {
      llvm::SmallVector<mlir::Value> operands;
      for (mlir::Value operand : kernel->getOperands())
        operands.push_back(function.getArgument(slots.numbers.lookup(operand)));
      mlir::OperationState state(kernel->getLoc(), kernel->getName(), operands, mlir::TypeRange(), kernel->getAttrs());
      mlir::IRMapping mapping;
      kernel->getRegion(0).cloneInto(state.addRegion(), mapping);
      builder.create(state);
    }
    ReturnOp::create(builder, region.getLoc());
    builder.setInsertionPointAfter(function);
    return function;
  }
};

} // namespace
} // namespace orzo::dispatch
