#include "Compiler/BuildCudaImage.h"

#include "Codegen/GPU/KernelEmitter.h"
#include "Compiler/ProgramWriter.h"
#include "Pipeline/KernelLowering.h"
#include "Target/CUDA/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringMap.h"

namespace orzo {

namespace {

/// What one dispatch.func became: nothing where the result is empty.
struct Emitted {
  std::optional<gpu::KernelInfo> main, sum;
  llvm::SmallVector<unsigned> arguments;
  int64_t partialBytes = 0;
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
    if (const auto *spec = std::get_if<ConvSpec>(&problem))
      return gpu::tablesOf(*spec);
    return gpu::tablesOf(nestOfKernel(kernel));
  }

  Status emit(dispatch::FuncOp function) {
    auto ops = function.getKernelOps();
    auto kernel = mlir::dyn_cast<gemm::GemmOpInterface>(*ops.begin());
    if (!kernel || !llvm::hasSingleElement(ops) || !kernel.getExtraValues().empty())
      return Status::unsupported("pointwise work and reductions are not compiled for CUDA yet");
    return emitGemm(function, kernel);
  }

  Status emitGemm(dispatch::FuncOp function, gemm::GemmOpInterface kernel) {
    Expected<gpu::Tables> tables = tablesOfKernel(kernel);
    if (!tables)
      return tables.status();
    Emitted &entry = emitted[function.getName()];
    entry.arguments = kernelArguments(kernel, {tables->lhsRole, tables->rhsRole, tables->outRole});
    if (tables->maxRows() == 0)
      return Status::success();
    gpu::Plan plan = gpu::choosePlan(*tables);
    if (!request.plan.empty()) {
      Expected<gpu::Plan> given = gpu::parsePlan(request.plan, *tables);
      if (!given)
        return given.status().within("plan");
      plan = given.take();
    }
    image.plan += (image.plan.empty() ? "" : "; ") + gpu::text(plan);
    if (Status status = gpu::setTile(*tables, plan); !status.ok())
      return status;

    // Symbols say only a number: equal kernels are equal text, whatever they are called for people.
    mlir::Region *epilogue = kernel.hasIdentityEpilogue() ? nullptr : &kernel.getEpilogueRegion();
    Expected<gpu::KernelInfo> main = gpu::emitKernel(*kernels, nextSymbol(), *tables, plan, epilogue);
    if (!main)
      return main.status();
    entry.main = main.take();
    entry.partialBytes = gpu::partialBytes(*tables, plan);
    if (plan.splits > 1) {
      Expected<gpu::KernelInfo> sum = gpu::emitOrderedSum(*kernels, nextSymbol(), *tables, plan, epilogue);
      if (!sum)
        return sum.status();
      entry.sum = sum.take();
    }
    return Status::success();
  }

  std::string nextSymbol() { return "orzo_kernel_" + std::to_string(symbols++); }

  void addRun(dispatch::RunOp run, const std::vector<int32_t> &slots) {
    const Emitted &entry = emitted[run.getCallee()];
    if (!entry.main)
      return;
    int32_t out = slots[entry.arguments[2]], target = entry.sum ? addPartialSums(entry.partialBytes) : out;
    std::string name = run.getCallee().str();
    addStep(name, *entry.main, {slots[entry.arguments[0]], slots[entry.arguments[1]], target});
    if (entry.sum)
      addStep(name + "_sum", *entry.sum, {target, out});
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
  llvm::StringMap<Emitted> emitted;
  int symbols = 0;
};

} // namespace

Expected<ArtifactImage> buildCudaImage(mlir::ModuleOp dispatched, const ImageRequest &request, ImageText &text) {
  dispatched.getContext()
      ->loadDialect<mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                    mlir::scf::SCFDialect>();
  return CudaImageBuilder(dispatched, request).build(text);
}

} // namespace orzo
