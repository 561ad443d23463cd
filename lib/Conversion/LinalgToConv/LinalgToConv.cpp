// LinalgToConv
//
//   func.func @problem(%dy: tensor<8x4xf32>, %w: tensor<4x3xf32>) -> tensor<8x3xf32> {
//     %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x3xf32>) -> tensor<8x3xf32>
//     %0 = linalg.matmul ins(%dy, %w : ...) outs(%init : ...) -> tensor<8x3xf32>
//     return %0 : tensor<8x3xf32>
//   }
// =>
//   func.func @problem(%arg0: tensor<8x4xf32>, %arg1: tensor<4x3xf32>) -> tensor<8x3xf32> {
//     %0 = conv.fprop %arg0, %arg1 : ... #conv.geometry<x = "nc", w = "ck", y = "nk", groups = 1, acc = f32>
//     return %0 : tensor<8x3xf32>
//   }
#include "Conversion/LinalgToConv/Passes.h"

#include "Dialect/Conv/ConvDialect.h"
#include "Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace orzo {
#define GEN_PASS_DEF_LINALGTOCONVPASS
#include "Conversion/LinalgToConv/Passes.h.inc"

static bool hasLinalg(mlir::func::FuncOp function) {
  return function
      .walk([](mlir::Operation *op) {
        bool found = mlir::isa_and_nonnull<mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect>(op->getDialect());
        return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

static bool hasConv(mlir::func::FuncOp function) {
  return function.walk([](conv::ConvOpInterface) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

bool isToBeRaised(mlir::func::FuncOp function) { return hasLinalg(function) || !hasConv(function); }

namespace {

class LinalgToConvPass : public impl::LinalgToConvPassBase<LinalgToConvPass> {
public:
  explicit LinalgToConvPass(RaiseReport *report = nullptr) : report(report) {}

private:
  void runOnOperation() override {
    std::vector<conv::BoundProblem> all;
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<mlir::func::FuncOp>())) {
      // A graph comes without linalg; its tensor ops are seen as memory.
      if (!isToBeRaised(function) || function->hasAttr("orzo.graph"))
        continue;
      OrRefusal<std::vector<conv::BoundProblem>> problems = raiseConvs(function);
      if (!problems) {
        // Where there is no linalg that could stay, nothing after this would know what to do with it.
        if (!hasLinalg(function)) {
          mlir::emitError(problems.refusal().location, "unsupported: not one convolution: ")
              << problems.refusal().reason;
          return signalPassFailure();
        }
        mlir::emitRemark(problems.refusal().location, "stays linalg: ") << problems.refusal().reason;
        if (report && !report->refusal)
          report->refusal = problems.refusal();
        continue;
      }
      mlir::OpBuilder builder(function);
      for (const conv::BoundProblem &problem : *problems) {
        conv::createProblem(builder, problem.spec, all.size());
        all.push_back(problem);
      }
      function.erase();
    }
    if (report)
      report->problems = all;
  }

  RaiseReport *report;
};

} // namespace

std::unique_ptr<mlir::Pass> createLinalgToConvPass(RaiseReport *report) {
  return std::make_unique<LinalgToConvPass>(report);
}

} // namespace orzo
