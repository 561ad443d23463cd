#include "Conversion/LinalgToLoops/Passes.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace orzo {
#define GEN_PASS_DEF_OUTLINELOOPSPASS
#include "Conversion/LinalgToLoops/Passes.h.inc"

namespace {

constexpr int64_t alignment = 64;

class OutlineLoopsPass : public impl::OutlineLoopsPassBase<OutlineLoopsPass> {
  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<mlir::func::FuncOp>("problem");
    auto text = function ? function->getAttrOfType<mlir::StringAttr>("orzo.linalg") : nullptr;
    auto reason = function ? function->getAttrOfType<mlir::StringAttr>("orzo.reason") : nullptr;
    if (!text || !reason || function.getNumResults() > 0) {
      getOperation().emitError(
          "unsupported: expected func.func @problem over memory, with orzo.linalg and orzo.reason");
      return signalPassFailure();
    }
    writeCopies(function);
    mlir::FailureOr<int64_t> bytes = placeAllocations(function);
    if (mlir::failed(bytes))
      return signalPassFailure();
    mlir::OpBuilder builder(function);
    dispatch::FuncOp kernel = outline(builder, function);
    writeProgram(builder, function, kernel, text, reason, *bytes);
    function.erase();
  }

  /// A copy is a loop like any other.
  static void writeCopies(mlir::func::FuncOp function) {
    llvm::SmallVector<mlir::memref::CopyOp> copies;
    function.walk([&](mlir::memref::CopyOp copy) { copies.push_back(copy); });
    for (mlir::memref::CopyOp copy : copies) {
      mlir::OpBuilder builder(copy);
      mlir::linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(), copy.getTarget());
      copy.erase();
    }
  }

  /// Makes every allocation a part of one more argument of bytes, if there are any; returns its size.
  mlir::FailureOr<int64_t> placeAllocations(mlir::func::FuncOp function) {
    llvm::SmallVector<mlir::memref::AllocOp> allocations;
    llvm::SmallVector<mlir::Operation *> ends;
    function.walk([&](mlir::Operation *op) {
      if (auto allocation = mlir::dyn_cast<mlir::memref::AllocOp>(op))
        allocations.push_back(allocation);
      else if (mlir::isa<mlir::memref::DeallocOp>(op))
        ends.push_back(op);
    });
    for (mlir::Operation *end : ends)
      end->erase();
    int64_t bytes = 0;
    llvm::SmallVector<int64_t> offsets;
    for (mlir::memref::AllocOp allocation : allocations) {
      mlir::MemRefType type = allocation.getType();
      if (!type.hasStaticShape() || !type.getLayout().isIdentity())
        return allocation.emitError("unsupported: memory of dynamic size");
      offsets.push_back(bytes);
      int64_t size = type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
      bytes += (size + alignment - 1) / alignment * alignment;
    }
    if (allocations.empty())
      return 0;
    bytes = std::max(bytes, alignment); // What has no elements has an address all the same.
    auto type = mlir::MemRefType::get(bytes, mlir::IntegerType::get(&getContext(), 8));
    if (mlir::failed(function.insertArgument(function.getNumArguments(), type, {}, function.getLoc())))
      return mlir::failure();
    for (auto [allocation, offset] : llvm::zip_equal(allocations, offsets)) {
      mlir::OpBuilder builder(allocation);
      mlir::Value begin = mlir::arith::ConstantIndexOp::create(builder, allocation.getLoc(), offset);
      allocation.replaceAllUsesWith(mlir::memref::ViewOp::create(builder, allocation.getLoc(), allocation.getType(),
                                                                 function.getArguments().back(), begin,
                                                                 mlir::ValueRange())
                                        .getResult());
      allocation.erase();
    }
    return bytes;
  }

  static dispatch::FuncOp outline(mlir::OpBuilder &builder, mlir::func::FuncOp function) {
    auto kernel = dispatch::FuncOp::create(builder, function.getLoc(), "linalg", function.getArgumentTypes());
    kernel.setLoops(true);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    mlir::IRMapping mapping;
    mapping.map(function.getArguments(), kernel.getArguments());
    for (mlir::Operation &op : function.getBody().front().without_terminator())
      builder.clone(op, mapping);
    dispatch::ReturnOp::create(builder, function.getLoc());
    return kernel;
  }

  static void writeProgram(mlir::OpBuilder &builder, mlir::func::FuncOp function, dispatch::FuncOp kernel,
                           mlir::StringAttr text, mlir::StringAttr reason, int64_t workspaceBytes) {
    mlir::Location location = function.getLoc();
    auto program = dispatch::ProgramOp::create(builder, location, "problem", builder.getStringAttr("linalg"), reason,
                                               text, workspaceBytes);
    builder.createBlock(&program.getBody());
    llvm::SmallVector<mlir::Value> ins, outs;
    int64_t arguments = 0, results = 0;
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
      if (workspaceBytes > 0 && index + 1 == function.getNumArguments()) {
        outs.push_back(dispatch::WorkspaceOp::create(builder, location, type, 0).getSlot());
        continue;
      }
      bool isResult = function.getArgAttr(index, "bufferize.result") != nullptr;
      std::string name = isResult ? "result" + std::to_string(results++) : "arg" + std::to_string(arguments++);
      mlir::Value slot =
          dispatch::BindingOp::create(builder, location, mlir::cast<mlir::MemRefType>(type), name, "", isResult)
              .getSlot();
      (isResult ? outs : ins).push_back(slot);
    }
    dispatch::RunOp::create(builder, location, mlir::TypeRange(), mlir::FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
                            ins, outs);
  }
};

} // namespace
} // namespace orzo
