#include "Dialect/Dispatch/Transforms/Passes.h"
#include "Dialect/Dispatch/Transforms/TensorMemory.h"
#include "Dialect/Gemm/GemmDialect.h"
#include "Dialect/Nest/NestDialect.h"

#include "mlir/IR/Builders.h"

namespace orzo::dispatch {
#define GEN_PASS_DEF_FORMDISPATCHESPASS
#include "Dialect/Dispatch/Transforms/Passes.h.inc"

namespace {

class FormDispatchesPass : public impl::FormDispatchesPassBase<FormDispatchesPass> {
  void runOnOperation() override {
    llvm::SmallVector<mlir::Operation *> products, nests;
    getOperation().walk([&](mlir::Operation *op) {
      if (op->getParentOfType<RegionOp>())
        return;
      if (mlir::isa<gemm::GemmOpInterface>(op))
        products.push_back(op);
      else if (mlir::isa<nest::MapOp, nest::ReduceOp>(op))
        nests.push_back(op);
    });
    for (mlir::Operation *product : products) {
      llvm::SmallVector<mlir::Operation *> launch = {product};
      for (mlir::Operation *&nest : nests)
        if (nest && mlir::isa<nest::ReduceOp>(nest) && joins(nest, product))
          launch.push_back(std::exchange(nest, nullptr));
      form(launch);
    }
    for (mlir::Operation *nest : nests)
      if (nest)
        form(nest);
  }

  /// Whether `reduce` may run with `product`: it reads what that reads or writes, and else only what is there before;
  /// and nobody needs it before.
  static bool joins(mlir::Operation *reduce, mlir::Operation *product) {
    if (llvm::any_of(reduce->getUsers(), [&](mlir::Operation *user) { return user->isBeforeInBlock(product); }))
      return false;
    bool shares = false;
    for (mlir::Value input : mlir::cast<mlir::DestinationStyleOpInterface>(reduce).getDpsInputs()) {
      mlir::Value memory = memoryOf(input);
      mlir::Operation *maker = memory.getDefiningOp();
      if (maker != product && maker && !maker->isBeforeInBlock(product))
        return false;
      shares |= maker == product || llvm::any_of(product->getOperands().take_front(2),
                                                 [&](mlir::Value operand) { return memoryOf(operand) == memory; });
    }
    return shares;
  }

  /// One region of `launch` where its first op stands.
  static void form(llvm::ArrayRef<mlir::Operation *> launch) {
    mlir::OpBuilder builder(launch.front());
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Operation *op : launch) {
      types.push_back(op->getResult(0).getType());
      // Destinations and reshapes come along.
      for (mlir::OpOperand &operand : op->getOpOperands())
        if (op != launch.front())
          makeAvailable(operand, launch.front());
    }
    auto region = RegionOp::create(builder, launch.front()->getLoc(), types);
    builder.createBlock(&region.getBody());
    llvm::SmallVector<mlir::Value> yielded;
    for (auto [number, op] : llvm::enumerate(launch)) {
      op->getResult(0).replaceUsesWithIf(region->getResult(static_cast<unsigned>(number)), [&](mlir::OpOperand &use) {
        return !llvm::is_contained(launch, use.getOwner());
      });
      op->moveBefore(builder.getInsertionBlock(), builder.getInsertionBlock()->end());
      yielded.push_back(op->getResult(0));
    }
    YieldOp::create(builder, launch.front()->getLoc(), yielded);
  }

  /// Makes `operand` one that is there before `product`, or its result: memory, whatever the shape.
  static void makeAvailable(mlir::OpOperand &operand, mlir::Operation *product) {
    operand.set(memoryOf(operand.get()));
    if (auto empty = operand.get().getDefiningOp<mlir::tensor::EmptyOp>())
      empty->moveBefore(product);
  }
};

} // namespace
} // namespace orzo::dispatch
