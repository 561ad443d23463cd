#include "Dialect/Dispatch/Transforms/Passes.h"
#include "Dialect/Gemm/GemmDialect.h"
#include "Dialect/Nest/NestDialect.h"

#include "mlir/IR/Builders.h"

namespace orzo::dispatch {
#define GEN_PASS_DEF_FORMDISPATCHESPASS
#include "Dialect/Dispatch/Transforms/Passes.h.inc"

namespace {

class FormDispatchesPass : public impl::FormDispatchesPassBase<FormDispatchesPass> {
  void runOnOperation() override {
    llvm::SmallVector<mlir::Operation *> kernels;
    getOperation().walk([&](mlir::Operation *op) {
      if (mlir::isa<gemm::GemmOpInterface, nest::MapOp, nest::ReduceOp>(op) && !op->getParentOfType<RegionOp>())
        kernels.push_back(op);
    });
    for (mlir::Operation *kernel : kernels) {
      mlir::OpBuilder builder(kernel);
      auto region = RegionOp::create(builder, kernel->getLoc(), kernel->getResultTypes());
      kernel->replaceAllUsesWith(region.getResults());
      builder.createBlock(&region.getBody());
      kernel->moveBefore(builder.getInsertionBlock(), builder.getInsertionBlock()->end());
      YieldOp::create(builder, kernel->getLoc(), kernel->getResults());
    }
  }
};

} // namespace
} // namespace orzo::dispatch
