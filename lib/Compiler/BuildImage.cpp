#include "Compiler/BuildImage.h"

#include "Codegen/CPU/LoopsKernel.h"
#include "Codegen/CPU/NestKernel.h"
#include "Codegen/CPU/Sequence.h"
#include "Compiler/ProgramWriter.h"
#include "Dialect/Dispatch/DispatchDialect.h"
#include "Dialect/Gemm/GemmDialect.h"
#include "Dialect/Nest/NestDialect.h"
#include "Pipeline/KernelLowering.h"
#include "Target/CPU/SharedObject.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringMap.h"

namespace orzo {

namespace {

/// An emitted kernel, and for each of its slots the argument of the dispatch.func that it is.
struct EmittedKernel {
  cpu::KernelInfo info;
  llvm::SmallVector<unsigned> arguments;
  bool counts = false; ///< It takes the counters behind these.
};

class ImageBuilder {
public:
  ImageBuilder(mlir::ModuleOp dispatched, const ImageRequest &request)
      : dispatched(dispatched), request(request), kernels(mlir::ModuleOp::create(dispatched.getLoc())) {
    image.isa = std::string(name(request.isa));
  }

  Expected<ArtifactImage> build(ImageText &text) {
    for (auto function : dispatched.getOps<dispatch::FuncOp>())
      if (Status status = emit(function); !status.ok())
        return status;
    if (text.wantKernel)
      print(text.kernel);
    if (!request.emitOnly)
      if (Status status = makeCode(text); !status.ok())
        return status;
    for (auto program : dispatched.getOps<dispatch::ProgramOp>()) {
      image.workspaceBytes = program.getWorkspaceBytes();
      if (request.countMultiplyAdds)
        addCounters();
      addSharedScratch();
      ProgramWriter(image, [&](auto run, const auto &slots) { addRun(run, slots); }).write(program);
    }
    return std::move(image);
  }

private:
  Status makeCode(ImageText &text) {
    mlir::PassManager passes(dispatched.getContext(), mlir::ModuleOp::getOperationName());
    if (hasLoops)
      addLoopsLowering(passes);
    addKernelLowering(passes);
    if (mlir::failed(passes.run(*kernels)))
      return Status::internal("the kernels for " + image.isa + " do not lower to LLVM; please report this");
    if (text.wantTarget)
      print(text.target);
    cpu::TargetListing listing;
    Expected<std::vector<uint8_t>> object =
        cpu::buildSharedObject(*kernels, request.isa, text.wantListing ? &listing : nullptr);
    if (!object)
      return object.status();
    text.llvm = std::move(listing.llvm);
    text.assembly = std::move(listing.assembly);
    image.code = object.take();
    image.kernelHash = cpu::kernelHash(image.code);
    return Status::success();
  }

  void print(std::string &text) {
    llvm::raw_string_ostream stream(text);
    kernels->print(stream);
  }

  Status emit(dispatch::FuncOp function) {
    std::string symbol = nextSymbol();
    if (function.getLoops()) {
      hasLoops = true;
      emitted[function.getName()] = {cpu::emitLoops(*kernels, symbol, function),
                                     llvm::to_vector(llvm::seq(0u, function.getNumArguments()))};
      addPlan("loops as they are written, on one thread");
      return Status::success();
    }
    auto ops = llvm::to_vector(llvm::make_pointer_range(function.getKernelOps()));
    std::vector<EmittedKernel> parts;
    for (mlir::Operation *op : ops) {
      std::string own = ops.size() == 1 ? symbol : symbol + "_" + std::to_string(parts.size());
      Expected<EmittedKernel> kernel = emitOp(op, own);
      if (!kernel)
        return kernel.status().within(function.getName().str());
      parts.push_back(kernel.take());
    }
    emitted[function.getName()] = ops.size() == 1 ? std::move(parts.front()) : join(function, symbol, parts);
    return Status::success();
  }

  /// One launch of several kernels, over all arguments of `function`.
  EmittedKernel join(dispatch::FuncOp function, const std::string &symbol, const std::vector<EmittedKernel> &parts) {
    auto slotCount = static_cast<int64_t>(function.getArgumentTypes().size());
    EmittedKernel joined;
    joined.arguments = llvm::to_vector(llvm::seq<unsigned>(0, slotCount));
    joined.counts = llvm::any_of(parts, [](const EmittedKernel &part) { return part.counts; });
    std::vector<cpu::SequencePart> sequence;
    llvm::SmallVector<unsigned> written; // By each part.
    for (auto [op, part] : llvm::zip_equal(function.getKernelOps(), parts)) {
      cpu::SequencePart &added = sequence.emplace_back();
      added.info = part.info;
      added.slots.assign(part.arguments.begin(), part.arguments.end());
      mlir::Value out = mlir::cast<mlir::DestinationStyleOpInterface>(op).getDpsInits().front();
      unsigned own = mlir::cast<mlir::BlockArgument>(out).getArgNumber();
      for (auto [earlier, argument] : llvm::enumerate(written))
        if (llvm::is_contained(part.arguments, argument) || llvm::is_contained(parts[earlier].arguments, own))
          added.after.push_back(earlier);
      written.push_back(own);
      if (part.counts)
        added.slots.push_back(slotCount);
    }
    joined.info = cpu::emitSequence(*kernels, symbol, sequence, slotCount + joined.counts);
    return joined;
  }

  Expected<EmittedKernel> emitOp(mlir::Operation *op, const std::string &symbol) {
    Expected<EmittedKernel> kernel = emitKnownOp(op, symbol);
    return kernel ? std::move(kernel) : Expected<EmittedKernel>(atValueOf(op, kernel.status()));
  }

  Expected<EmittedKernel> emitKnownOp(mlir::Operation *op, const std::string &symbol) {
    if (auto gemm = mlir::dyn_cast<gemm::GemmOpInterface>(op))
      return emitGemm(gemm, symbol);
    if (auto map = mlir::dyn_cast<nest::MapOp>(op))
      return emitNest(map, std::nullopt, symbol);
    auto reduce = mlir::cast<nest::ReduceOp>(op);
    return emitNest(reduce, reduce.getReductionMode(), symbol);
  }

  template <typename Op>
  Expected<EmittedKernel> emitNest(Op op, std::optional<ReductionMode> reduction, const std::string &symbol) {
    StridedNest nest;
    nest.loops = op.getLoops().getLoops();
    nest.offsets = op.getLoops().getOffsets().vec();
    for (mlir::Value operand : op->getOperands())
      nest.types.push_back(nest::typeOf(operand));
    nest.reduction = reduction;
    Expected<cpu::KernelInfo> info = cpu::emitNest(*kernels, symbol, nest, op.getBody(), request.isa, threads());
    if (!info)
      return info.status();
    // Nest kernels have no plan that could be given: only how they are cut is said.
    std::string units;
    for (int64_t range : info->unitRanges)
      units += (units.empty() ? " units " : "+") + std::to_string(range);
    addPlan(image.isa + (reduction ? " reduce " + std::string(name(*reduction)) : " map") + units);
    return EmittedKernel{info.take(), dispatch::FuncOp::argumentsOf(op)};
  }

  Expected<EmittedKernel> emitGemm(gemm::GemmOpInterface kernel, const std::string &symbol) {
    Nest nest = nestOfKernel(kernel);
    cpu::Plan plan = cpu::choosePlan(nest, request.isa, threads());
    if (!request.plan.empty() && kernel == mainKernel(dispatched)) {
      Expected<cpu::Plan> given = cpu::parsePlan(request.plan, nest);
      if (!given)
        return given.status().within("plan");
      if (given->isa != request.isa)
        return Status::invalidArgument("plan: is for " + std::string(name(given->isa)) + ", the target is " +
                                       image.isa);
      plan = given.take();
    }
    addPlan(text(plan));
    Expected<cpu::KernelInfo> info =
        cpu::emitKernel(*kernels, symbol, nest, plan, epilogueOf(kernel), request.countMultiplyAdds);
    if (!info)
      return info.status();
    return EmittedKernel{info.take(), kernelArguments(kernel, {nest.lhs, nest.rhs, nest.out}),
                         request.countMultiplyAdds};
  }

  // The object's symbols say only a number: equal code has equal bytes, whatever the kernel is called for people.
  std::string nextSymbol() const { return "orzo_kernel_" + std::to_string(emitted.size()); }

  void addPlan(const std::string &plan) { image.plan += (image.plan.empty() ? "" : "; ") + plan; }

  int threads() const { return request.threads > 0 ? request.threads : std::max(1, coreCount()); }

  /// A slot of its own after the program's workspace.
  int32_t appendSlot(int64_t bytes) {
    constexpr int64_t alignment = 64;
    auto roundUp = [](int64_t value) { return (value + alignment - 1) / alignment * alignment; };
    image.slots.push_back({-1, roundUp(image.workspaceBytes), bytes});
    image.workspaceBytes = image.slots.back().workspaceOffset + roundUp(bytes);
    return static_cast<int32_t>(image.slots.size()) - 1;
  }

  /// One slot for all kernels that hand something from stage to stage: no two of them run at the same time.
  void addSharedScratch() {
    int64_t bytes = 0;
    for (const auto &kernel : emitted)
      bytes = std::max(bytes, kernel.second.info.sharedScratchBytes);
    if (bytes > 0)
      sharedScratch = appendSlot(bytes);
  }

  /// Cleared before the first launch.
  void addCounters() {
    counters = appendSlot(2 * sizeof(int64_t));
    ArtifactStep clear;
    clear.kind = ArtifactStep::Kind::Fill;
    clear.name = "fill_counters_zero";
    clear.slots = {counters};
    image.steps.push_back(std::move(clear));
  }

  void addRun(dispatch::RunOp run, const std::vector<int32_t> &slots) {
    const EmittedKernel &kernel = emitted[run.getCallee()];
    ArtifactStep step;
    step.kind = ArtifactStep::Kind::Dispatch;
    step.name = run.getCallee().str();
    for (unsigned argument : kernel.arguments)
      step.slots.push_back(slots[argument]);
    if (kernel.counts)
      step.slots.push_back(counters);
    if (kernel.info.sharedScratchBytes > 0)
      step.slots.push_back(sharedScratch);
    step.symbol = kernel.info.symbol;
    step.unitRanges = kernel.info.unitRanges;
    step.stageRanges = kernel.info.stageRanges;
    step.scratchBytes = kernel.info.scratchBytes;
    step.flopsExecuted = kernel.info.flopsExecuted;
    step.flopsTile = kernel.info.flopsTile;
    image.steps.push_back(std::move(step));
  }

  mlir::ModuleOp dispatched;
  const ImageRequest &request;
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
  bool hasLoops = false;
  ArtifactImage image;
  int32_t counters = -1;      ///< The slot of the multiply-add counters, when they are asked for.
  int32_t sharedScratch = -1; ///< The slot that addSharedScratch() adds, when a kernel asks for it.
  llvm::StringMap<EmittedKernel> emitted;
};

} // namespace

/// Multiply-adds of `nest`, those in padding too.
static int64_t productsOf(const Nest &nest) {
  int64_t products = 0;
  for (const NestPhase &phase : nest.phases)
    products += nest.rows(phase) * nest.columns(phase) * nest.depth(phase);
  return products * nest.batchCount();
}

gemm::GemmOpInterface mainKernel(mlir::ModuleOp dispatched) {
  gemm::GemmOpInterface main;
  int64_t most = -1;
  for (auto function : dispatched.getOps<dispatch::FuncOp>()) {
    if (function.getLoops())
      continue;
    for (mlir::Operation &op : function.getKernelOps())
      if (auto kernel = mlir::dyn_cast<gemm::GemmOpInterface>(op))
        if (int64_t work = productsOf(nestOfKernel(kernel)); work > most) {
          main = kernel;
          most = work;
        }
  }
  return main;
}

Expected<ArtifactImage> buildImage(mlir::ModuleOp dispatched, const ImageRequest &request, ImageText &text) {
  // The emitter builds ops of these outside of any pass, which would load them.
  dispatched.getContext()
      ->loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::scf::SCFDialect,
                    mlir::vector::VectorDialect>();
  return ImageBuilder(dispatched, request).build(text);
}

} // namespace orzo
