#include "Dialect/Dispatch/Transforms/Passes.h"
#include "Dialect/Gemm/GemmDialect.h"

#include "mlir/IR/Builders.h"

namespace orzo::dispatch {
#define GEN_PASS_DEF_FORMDISPATCHESPASS
#include "Dialect/Dispatch/Transforms/Passes.h.inc"

namespace {

class FormDispatchesPass : public impl::FormDispatchesPassBase<FormDispatchesPass> {
  void runOnOperation() override {
    llvm::SmallVector<gemm::GemmOpInterface> kernels;
    getOperation().walk([&](gemm::GemmOpInterface op) {
      if (!op->getParentOfType<RegionOp>())
        kernels.push_back(op);
    });
    for (gemm::GemmOpInterface kernel : kernels) {
      mlir::OpBuilder builder(kernel);
      auto region = RegionOp::create(builder, kernel.getLoc(), kernel->getResultTypes());
      kernel->replaceAllUsesWith(region.getResults());
      builder.createBlock(&region.getBody());
      kernel->moveBefore(builder.getInsertionBlock(), builder.getInsertionBlock()->end());
      YieldOp::create(builder, kernel.getLoc(), kernel->getResults());
    }
  }
};

} // namespace
} // namespace orzo::dispatch
