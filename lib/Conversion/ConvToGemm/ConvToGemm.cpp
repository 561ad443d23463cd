#include "Conversion/ConvToGemm/ConvToZeroInsert.h"
#include "Conversion/ConvToGemm/Lowering.h"
#include "Conversion/ConvToGemm/Passes.h"

#include "mlir/IR/Builders.h"

namespace orzo {
#define GEN_PASS_DEF_CONVTOGEMMPASS
#include "Conversion/ConvToGemm/Passes.h.inc"

namespace {

class ConvToGemmPass : public impl::ConvToGemmPassBase<ConvToGemmPass> {
public:
  using ConvToGemmPassBase::ConvToGemmPassBase;

private:
  void runOnOperation() override {
    llvm::SmallVector<conv::ConvOpInterface> convolutions;
    getOperation().walk([&](conv::ConvOpInterface conv) { convolutions.push_back(conv); });
    reasons.clear();
    for (conv::ConvOpInterface conv : convolutions)
      if (mlir::failed(lower(conv)))
        return signalPassFailure();
    if (auto graph = getOperation()->getAttrOfType<mlir::StringAttr>("orzo.graph")) {
      mlir::OpBuilder builder(&getContext());
      describe(builder, graph.getValue(), "graph", reasons.empty() ? "it holds no convolution" : reasons);
    }
  }

  /// What becomes of the function's problem, for the program and its readers.
  void describe(mlir::OpBuilder &builder, llvm::StringRef problem, std::string_view lowering, std::string_view reason) {
    getOperation()->setAttr("gemm.problem", builder.getStringAttr(problem));
    getOperation()->setAttr("gemm.lowering", builder.getStringAttr(llvm::StringRef(lowering)));
    getOperation()->setAttr("gemm.reason", builder.getStringAttr(llvm::StringRef(reason)));
  }

  mlir::LogicalResult lower(conv::ConvOpInterface conv) {
    ConvSpec spec = conv.getSpec();
    Expected<LoweringChoice> choice = chooseLowering(spec, lowering);
    if (!choice)
      return conv->emitError(choice.status().message());
    mlir::OpBuilder builder(conv);
    mlir::Value result = build(builder, conv, spec, *choice);
    conv->replaceAllUsesWith(mlir::ValueRange(result));
    conv->erase();
    if (getOperation()->hasAttr("orzo.values")) {
      reasons += (reasons.empty() ? "" : "; ") + std::string(name(choice->lowering)) + ": " + choice->reason;
      return mlir::success();
    }
    describe(builder, text(spec), name(choice->lowering), choice->reason);
    return mlir::success();
  }

  std::string reasons; ///< Of a graph's convolutions.

  mlir::Value build(mlir::OpBuilder &builder, conv::ConvOpInterface conv, const ConvSpec &spec,
                    const LoweringChoice &choice) {
    if (choice.lowering == Lowering::ZeroInsert)
      return buildZeroInsert(builder, conv, zeroInsertion(spec).take());
    mlir::Location location = conv.getLoc();
    auto type = mlir::cast<mlir::RankedTensorType>(conv->getResult(0).getType());
    mlir::Value out = mlir::tensor::EmptyOp::create(builder, location, type.getShape(), type.getElementType());
    gemm::Problem problem = spec;
    if (choice.contraction)
      problem = *choice.contraction;
    std::array<Role, 3> roles = gemm::operandRoles(problem);
    mlir::Value lhs = conv.getTensor(roles[0]), rhs = conv.getTensor(roles[1]);
    if (choice.contraction)
      return gemm::ContractOp::create(builder, location, lhs, rhs, out,
                                      gemm::ContractionAttr::get(&getContext(), *choice.contraction))
          ->getResult(0);
    auto specAttr = conv::SpecAttr::get(&getContext(), spec);
    if (choice.lowering == Lowering::WGrad)
      return gemm::WgradOp::create(builder, location, lhs, rhs, out, specAttr)->getResult(0);
    return gemm::ImplicitOp::create(builder, location, lhs, rhs, out, specAttr)->getResult(0);
  }
};

} // namespace
} // namespace orzo
