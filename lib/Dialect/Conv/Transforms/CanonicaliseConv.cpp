#include "Dialect/Conv/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace orzo::conv {
#define GEN_PASS_DEF_CANONICALISECONVPASS
#include "Dialect/Conv/Transforms/Passes.h.inc"

namespace {

class CanonicaliseConvPass : public impl::CanonicaliseConvPassBase<CanonicaliseConvPass> {
  void runOnOperation() override {
    for (mlir::Operation &op : getOperation().getBody()->getOperations()) {
      auto function = mlir::dyn_cast<mlir::func::FuncOp>(op);
      if (!function || !function.getName().starts_with("problem")) {
        op.emitError("unsupported: expected a module of one func.func @problem");
        return signalPassFailure();
      }
      // What was not raised stays as it is; whoever raises has said why.
      if (holdsLinalg(function))
        continue;
      // A graph was brought to its form as a whole.
      if (function->hasAttr("orzo.graph"))
        continue;
      ConvOpInterface conv = problemOf(function);
      if (!conv)
        return signalPassFailure();
      canonicaliseOp(conv);
    }
  }

  static bool holdsLinalg(mlir::func::FuncOp function) {
    return function
        .walk([](mlir::Operation *op) {
          llvm::StringRef dialect = op->getName().getDialectNamespace();
          bool found = dialect == "linalg" || dialect == "tensor";
          return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  }

  void canonicaliseOp(ConvOpInterface conv) {
    ConvSpec source = conv.getSpec();
    Canonical canonical = canonicalise(source);
    if (canonical.spec == source)
      return;
    mlir::InFlightDiagnostic remark = conv->emitRemark("read as ");
    remark << text(canonical.spec);
    for (Role role : {Role::X, Role::W, Role::Y})
      remark << (role == Role::X ? "; " : ", ") << orzo::name(role).data() << " is the source's "
             << orzo::name(canonical.views[static_cast<int>(role)].source).data();
    rewrite(conv, canonical.spec);
  }

  /// New arguments stand for the same memory, so only their types and order change; each has its one use in `conv`.
  void rewrite(ConvOpInterface conv, const ConvSpec &spec) {
    auto function = conv->getParentOfType<mlir::func::FuncOp>();
    mlir::Operation *end = function.getBody().front().getTerminator();
    mlir::OpBuilder builder(conv);
    llvm::SmallVector<mlir::Type> arguments;
    for (Role role : operandRoles(spec.direction))
      arguments.push_back(tensorType(&getContext(), spec, role));
    mlir::Type result = tensorType(&getContext(), spec, resultRole(spec.direction));
    for (auto [argument, type] : llvm::zip_equal(function.getArguments(), arguments))
      argument.setType(type);
    ConvOpInterface renamed =
        createConv(builder, conv.getLoc(), spec, function.getArgument(0), function.getArgument(1));
    end->setOperand(0, renamed->getResult(0));
    conv->erase();
    function.setFunctionType(builder.getFunctionType(arguments, result));
  }
};

} // namespace
} // namespace orzo::conv
