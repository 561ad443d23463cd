#include "Dialect/Dispatch/Transforms/Passes.h"
#include "Dialect/Dispatch/Transforms/TensorMemory.h"
#include "Dialect/Gemm/GemmDialect.h"

#include "mlir/IR/Builders.h"

namespace orzo::dispatch {
#define GEN_PASS_DEF_ASSIGNBUFFERSPASS
#include "Dialect/Dispatch/Transforms/Passes.h.inc"

namespace {

constexpr int64_t alignment = 64;

/// One destination that steps write: a tensor.empty and the chain of results that are updates of it in place.
struct Buffer {
  mlir::Value root;
  int64_t bytes = 0;
  size_t firstStep = 0, lastStep = 0;
  bool isResult = false;
  int64_t offset = 0;
};

int64_t alignedBytes(mlir::Type type) {
  auto shaped = mlir::cast<mlir::ShapedType>(type);
  int64_t bytes = shaped.getNumElements() * ((shaped.getElementTypeBitWidth() + 7) / 8);
  return (bytes + alignment - 1) / alignment * alignment;
}

mlir::MemRefType slotType(mlir::Type type) {
  auto shaped = mlir::cast<mlir::ShapedType>(type);
  return mlir::MemRefType::get(shaped.getShape(), shaped.getElementType());
}

/// Gives every workspace buffer an offset, first fit among those alive at the same time; returns the workspace's size.
int64_t placeBuffers(llvm::MutableArrayRef<Buffer> buffers) {
  int64_t size = 0;
  llvm::SmallVector<const Buffer *> placed;
  for (Buffer &buffer : buffers) {
    if (buffer.isResult)
      continue;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Buffer *other : placed) {
        bool alive = other->firstStep <= buffer.lastStep && buffer.firstStep <= other->lastStep;
        if (alive && buffer.offset < other->offset + other->bytes && other->offset < buffer.offset + buffer.bytes) {
          buffer.offset = other->offset + other->bytes;
          moved = true;
        }
      }
    }
    placed.push_back(&buffer);
    size = std::max(size, buffer.offset + buffer.bytes);
  }
  return size;
}

class AssignBuffersPass : public impl::AssignBuffersPassBase<AssignBuffersPass> {
  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<mlir::func::FuncOp>("problem");
    if (!function) {
      getOperation().emitError("unsupported: expected func.func @problem");
      return signalPassFailure();
    }
    auto problem = function->getAttrOfType<mlir::StringAttr>("gemm.problem");
    auto lowering = function->getAttrOfType<mlir::StringAttr>("gemm.lowering");
    auto reason = function->getAttrOfType<mlir::StringAttr>("gemm.reason");
    if (!problem || !lowering || !reason) {
      function.emitError("lacks gemm.problem, gemm.lowering or gemm.reason, which --orzo-conv-to-gemm leaves");
      return signalPassFailure();
    }
    if (mlir::failed(collect(function)))
      return signalPassFailure();
    int64_t workspaceBytes = placeBuffers(buffers);

    mlir::OpBuilder builder(function);
    builder.setInsertionPointToEnd(getOperation().getBody());
    auto program = ProgramOp::create(builder, function.getLoc(), "problem", lowering, reason, problem, workspaceBytes);
    builder.createBlock(&program.getBody());
    slots.clear();
    bufferSlots.assign(buffers.size(), {});
    if (auto names = function->getAttrOfType<mlir::ArrayAttr>("orzo.values"))
      bindValues(builder, function, names);
    else
      bindRoles(builder, function, parseConvSpec(problem.getValue()).take());
    placeWorkspace(builder, function);
    for (mlir::DestinationStyleOpInterface step : steps)
      place(builder, step);
    function.erase();
  }

  /// Fills steps and buffers, and bufferOf for every tensor that a step makes or overwrites.
  mlir::LogicalResult collect(mlir::func::FuncOp function) {
    steps.clear();
    buffers.clear();
    results.clear();
    bufferOf.clear();
    for (mlir::Operation &op : function.getBody().front().without_terminator()) {
      if (mlir::isa<mlir::tensor::EmptyOp, mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp>(op))
        continue;
      if (!mlir::isa<RunOp, FillOp, CopyOp>(op))
        return op.emitError("unsupported: no step of a dispatch.program");
      auto step = mlir::cast<mlir::DestinationStyleOpInterface>(op);
      for (mlir::Value input : step.getDpsInputs())
        if (auto found = bufferOf.find(memoryOf(input)); found != bufferOf.end())
          buffers[found->second].lastStep = steps.size();
      for (auto [index, init] : llvm::enumerate(step.getDpsInits())) {
        if (!init.hasOneUse() || mlir::isa<mlir::BlockArgument>(init))
          return op.emitError("unsupported: overwrites a tensor that is used elsewhere");
        auto [found, isNew] = bufferOf.try_emplace(init, buffers.size());
        if (isNew)
          buffers.push_back({init, alignedBytes(init.getType()), steps.size()});
        size_t buffer = found->second;
        buffers[buffer].lastStep = steps.size();
        bufferOf[step->getResult(index)] = buffer;
      }
      steps.push_back(step);
    }
    mlir::Operation *end = function.getBody().front().getTerminator();
    for (mlir::Value result : end->getOperands()) {
      auto found = bufferOf.find(memoryOf(result));
      if (found == bufferOf.end() || buffers[found->second].isResult)
        return end->emitError("unsupported: returns a tensor that no step of its own computes");
      buffers[found->second].isResult = true;
      results.push_back(found->second);
    }
    return mlir::success();
  }

  /// The bindings of a graph: its arguments, then its results, by the names of their values.
  void bindValues(mlir::OpBuilder &builder, mlir::func::FuncOp function, mlir::ArrayAttr names) {
    auto bind = [&](mlir::Type type, size_t number, bool isResult) {
      return BindingOp::create(builder, function.getLoc(), slotType(type),
                               mlir::cast<mlir::StringAttr>(names[number]).getValue(), "", isResult)
          .getSlot();
    };
    for (auto [number, argument] : llvm::enumerate(function.getArguments()))
      slots[argument] = bind(argument.getType(), number, false);
    for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
      bufferSlots[results[number]] = bind(type, function.getNumArguments() + number, true);
  }

  /// The bindings of a convolution, in role order.
  void bindRoles(mlir::OpBuilder &builder, mlir::func::FuncOp function, const ConvSpec &spec) {
    std::array<Role, 2> operands = operandRoles(spec.direction);
    for (Role role : {Role::X, Role::W, Role::Y}) {
      bool isResult = role == resultRole(spec.direction);
      auto binding =
          BindingOp::create(builder, function.getLoc(), slotType(conv::tensorType(&getContext(), spec, role)),
                            orzo::name(role).data(), text(spec.layout(role), role, spec.rank()), isResult);
      if (!isResult)
        slots[function.getArgument(role == operands[0] ? 0 : 1)] = binding.getSlot();
      for (size_t i = 0; i < buffers.size(); ++i)
        if (isResult && buffers[i].isResult)
          bufferSlots[i] = binding.getSlot();
    }
  }

  void placeWorkspace(mlir::OpBuilder &builder, mlir::func::FuncOp function) {
    for (size_t i = 0; i < buffers.size(); ++i)
      if (!buffers[i].isResult)
        bufferSlots[i] =
            WorkspaceOp::create(builder, function.getLoc(), slotType(buffers[i].root.getType()), buffers[i].offset)
                .getSlot();
  }

  /// `step` again, on slots.
  void place(mlir::OpBuilder &builder, mlir::DestinationStyleOpInterface step) {
    mlir::OperationState state(step.getLoc(), step->getName());
    state.addAttributes(step->getAttrs());
    for (mlir::Value operand : step->getOperands()) {
      auto found = bufferOf.find(memoryOf(operand));
      state.addOperands(found == bufferOf.end() ? slots.lookup(memoryOf(operand)) : bufferSlots[found->second]);
    }
    builder.create(state);
  }

  llvm::SmallVector<mlir::DestinationStyleOpInterface> steps;
  llvm::SmallVector<Buffer> buffers;
  llvm::DenseMap<mlir::Value, size_t> bufferOf;
  llvm::SmallVector<size_t> results; ///< Buffers of the function's results.
  llvm::DenseMap<mlir::Value, mlir::Value> slots;
  llvm::SmallVector<mlir::Value> bufferSlots;
};

} // namespace
} // namespace orzo::dispatch
