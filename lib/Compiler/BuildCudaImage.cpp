#include "Compiler/BuildCudaImage.h"

#include "Codegen/GPU/KernelEmitter.h"
#include "Codegen/GPU/NestKernel.h"
#include "Compiler/ProgramWriter.h"
#include "Dialect/Nest/NestDialect.h"
#include "Pipeline/KernelLowering.h"
#include "Target/CUDA/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringMap.h"

namespace orzo {

namespace {

/// One launch of those that a dispatch.func became.
struct Launch {
  static constexpr unsigned partial = ~0U;
  std::string suffix; ///< Of the step's name.
  gpu::KernelInfo kernel;
  llvm::SmallVector<unsigned> arguments; ///< By slot of the kernel: that of the dispatch.func, or `partial`.
  int64_t partialBytes = 0;              ///< Not 0: it writes a new `partial`, which the next launch reads.
};

class CudaImageBuilder {
public:
  CudaImageBuilder(mlir::ModuleOp dispatched, const ImageRequest &request)
      : dispatched(dispatched), request(request), kernels(mlir::ModuleOp::create(dispatched.getLoc())) {
    image.isa = cudaIsa;
  }

  Expected<ArtifactImage> build(ImageText &text) {
    for (auto function : dispatched.getOps<dispatch::FuncOp>())
      if (Status status = emit(function); !status.ok())
        return status.within(function.getName().str());
    if (text.wantKernel)
      print(text.kernel);
    mlir::PassManager passes(dispatched.getContext(), mlir::ModuleOp::getOperationName());
    addCudaKernelLowering(passes);
    if (mlir::failed(passes.run(*kernels)))
      return Status::internal("the kernels for " + image.isa + " do not lower to LLVM; please report this");
    if (text.wantTarget)
      print(text.target);
    Expected<std::string> ptx = cuda::buildPtx(*kernels, text.wantListing ? &text.llvm : nullptr);
    if (!ptx)
      return ptx.status();
    if (text.wantListing)
      text.assembly = *ptx;
    image.code.assign(ptx->begin(), ptx->end());
    image.kernelHash = cuda::kernelHash(*ptx);
    for (auto program : dispatched.getOps<dispatch::ProgramOp>()) {
      image.workspaceBytes = program.getWorkspaceBytes();
      ProgramWriter(image, [&](auto run, const auto &slots) { addRun(run, slots); }).write(program);
    }
    return std::move(image);
  }

private:
  void print(std::string &text) {
    llvm::raw_string_ostream stream(text);
    kernels->print(stream);
  }

  static Expected<gpu::Tables> tablesOfKernel(gemm::GemmOpInterface kernel) {
    gemm::Problem problem = kernel.problem();
    auto tablesOf = [&]() -> Expected<gpu::Tables> {
      if (const auto *spec = std::get_if<ConvSpec>(&problem))
        return gpu::tablesOf(*spec);
      DataType lhs = elementOf(kernel.getLhsValue()), rhs = elementOf(kernel.getRhsValue());
      return gpu::tablesOf(nestOf(std::get<Contraction>(problem), lhs, rhs, lhs));
    };
    Expected<gpu::Tables> tables = tablesOf();
    if (tables) // Pointwise work in the epilogue may have changed it.
      tables->result = nest::typeOf(kernel.getOutValue());
    return tables;
  }

  Status emit(dispatch::FuncOp function) {
    std::vector<Launch> &launches = emitted[function.getName()];
    for (mlir::Operation &op : function.getKernelOps()) {
      auto kernel = mlir::dyn_cast<gemm::GemmOpInterface>(op);
      Status status = kernel ? emitGemm(launches, kernel) : emitNest(launches, op);
      if (!status.ok())
        return atValueOf(&op, status);
    }
    return Status::success();
  }

  Status emitGemm(std::vector<Launch> &launches, gemm::GemmOpInterface kernel) {
    Expected<gpu::Tables> tables = tablesOfKernel(kernel);
    if (!tables)
      return tables.status();
    if (tables->maxRows() == 0)
      return Status::success();
    gpu::Plan plan = gpu::choosePlan(*tables);
    if (!request.plan.empty() && kernel == mainKernel(dispatched)) {
      Expected<gpu::Plan> given = gpu::parsePlan(request.plan, *tables);
      if (!given)
        return given.status().within("plan");
      plan = given.take();
    }
    image.plan += (image.plan.empty() ? "" : "; ") + gpu::text(plan);
    if (Status status = gpu::setTile(*tables, plan); !status.ok())
      return status;

    Epilogue epilogue = epilogueOf(kernel);
    llvm::SmallVector<unsigned> arguments =
        kernelArguments(kernel, {tables->lhsRole, tables->rhsRole, tables->outRole});
    Expected<gpu::KernelInfo> main = gpu::emitKernel(*kernels, nextSymbol(), *tables, plan, epilogue);
    if (!main)
      return main.status();
    if (plan.splits == 1) {
      launches.push_back({"", main.take(), arguments});
      return Status::success();
    }
    launches.push_back(
        {"", main.take(), {arguments[0], arguments[1], Launch::partial}, gpu::partialBytes(*tables, plan)});
    Expected<gpu::KernelInfo> sum = gpu::emitOrderedSum(*kernels, nextSymbol(), *tables, plan, epilogue);
    if (!sum)
      return sum.status();
    arguments.erase(arguments.begin()); // The operands make room for the partial sums.
    arguments.front() = Launch::partial;
    launches.push_back({"_sum", sum.take(), arguments});
    return Status::success();
  }

  Status emitNest(std::vector<Launch> &launches, mlir::Operation &op) {
    StridedNest nest;
    auto loops = mlir::cast<nest::LoopsAttr>(op.getAttr("loops"));
    nest.loops = loops.getLoops();
    nest.offsets = loops.getOffsets();
    for (mlir::Value operand : op.getOperands())
      nest.types.push_back(nest::typeOf(operand));
    if (auto reduce = mlir::dyn_cast<nest::ReduceOp>(op))
      nest.reduction = reduce.getReductionMode();
    Expected<gpu::NestKernels> made = gpu::emitNest(*kernels, [&] { return nextSymbol(); }, nest, op.getRegion(0));
    if (!made)
      return made.status();
    std::string suffix = launches.empty() ? "" : nest.reduction ? "_reduce" : "_map";
    llvm::SmallVector<unsigned> arguments = dispatch::FuncOp::argumentsOf(&op);
    if (!made->main)
      return Status::success();
    if (!made->sum) {
      launches.push_back({suffix, *made->main, arguments});
      return Status::success();
    }
    llvm::SmallVector<unsigned> sum = {Launch::partial, arguments.back()};
    arguments.back() = Launch::partial;
    launches.push_back({suffix, *made->main, arguments, made->partialBytes});
    launches.push_back({suffix + "_sum", *made->sum, sum});
    return Status::success();
  }

  // Symbols say only a number: equal kernels are equal text, whatever they are called for people.
  std::string nextSymbol() { return "orzo_kernel_" + std::to_string(symbols++); }

  void addRun(dispatch::RunOp run, const std::vector<int32_t> &slots) {
    int32_t partial = -1;
    for (const Launch &launch : emitted[run.getCallee()]) {
      if (launch.partialBytes > 0)
        partial = addPartialSums(launch.partialBytes);
      std::vector<int32_t> launchSlots;
      for (unsigned argument : launch.arguments)
        launchSlots.push_back(argument == Launch::partial ? partial : slots[argument]);
      addStep(run.getCallee().str() + launch.suffix, launch.kernel, launchSlots);
    }
  }

  void addStep(const std::string &name, const gpu::KernelInfo &kernel, std::vector<int32_t> slots) {
    ArtifactStep step;
    step.kind = ArtifactStep::Kind::Dispatch;
    step.name = name;
    step.slots = std::move(slots);
    step.symbol = kernel.symbol;
    step.cuda = kernel.launch;
    step.flopsExecuted = kernel.flopsExecuted;
    step.flopsTile = kernel.flopsTile;
    image.steps.push_back(std::move(step));
  }

  /// A workspace slot after all others.
  int32_t addPartialSums(int64_t bytes) {
    int64_t offset = (image.workspaceBytes + 255) / 256 * 256;
    image.slots.push_back({-1, offset, bytes});
    image.workspaceBytes = offset + bytes;
    return static_cast<int32_t>(image.slots.size()) - 1;
  }

  mlir::ModuleOp dispatched;
  const ImageRequest &request;
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
  ArtifactImage image;
  llvm::StringMap<std::vector<Launch>> emitted; ///< None where the result is empty.
  int symbols = 0;
};

} // namespace

Expected<ArtifactImage> buildCudaImage(mlir::ModuleOp dispatched, const ImageRequest &request, ImageText &text) {
  dispatched.getContext()
      ->loadDialect<mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                    mlir::math::MathDialect, mlir::scf::SCFDialect>();
  return CudaImageBuilder(dispatched, request).build(text);
}

} // namespace orzo
