#include "Dialect/Dispatch/Transforms/Passes.h"
#include "Dialect/Gemm/GemmDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

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

class OutlineDispatchesPass : public impl::OutlineDispatchesPassBase<OutlineDispatchesPass> {
  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    mlir::OpBuilder functions = mlir::OpBuilder::atBlockBegin(getOperation().getBody());
    llvm::SmallVector<RegionOp> regions;
    getOperation().walk([&](RegionOp region) { regions.push_back(region); });
    for (RegionOp region : regions) {
      mlir::Block &body = region.getBody().front();
      auto kernel = mlir::dyn_cast<gemm::GemmOpInterface>(body.front());
      if (!kernel || !llvm::hasNItems(body, 2)) {
        region.emitError("unsupported: expected a region of one gemm op");
        return signalPassFailure();
      }
      FuncOp function = outline(functions, kernel);
      // insert() makes the name unique: two regions may compute the same thing.
      symbols.insert(function);
      mlir::OpBuilder builder(region);
      auto run = RunOp::create(
          builder, region.getLoc(), region.getResultTypes(), mlir::FlatSymbolRefAttr::get(function.getSymNameAttr()),
          mlir::ValueRange{kernel.getLhsValue(), kernel.getRhsValue()}, mlir::ValueRange{kernel.getOutValue()});
      region.replaceAllUsesWith(run.getResults());
      region.erase();
    }
  }

  FuncOp outline(mlir::OpBuilder &builder, gemm::GemmOpInterface kernel) {
    llvm::SmallVector<mlir::Type> slots;
    for (mlir::Value operand : kernel->getOperands())
      slots.push_back(slotType(operand.getType()));
    auto function = FuncOp::create(builder, kernel.getLoc(), kernelName(kernel), slots);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&function.getBody().front());
    mlir::OperationState state(kernel.getLoc(), kernel->getName(), function.getArguments(), mlir::TypeRange(),
                               kernel->getAttrs());
    mlir::IRMapping mapping;
    kernel.getEpilogueRegion().cloneInto(state.addRegion(), mapping);
    builder.create(state);
    ReturnOp::create(builder, kernel.getLoc());
    builder.setInsertionPointAfter(function);
    return function;
  }
};

} // namespace
} // namespace orzo::dispatch
