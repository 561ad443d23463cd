#include "Compiler/PlanList.h"

#include "Codegen/CPU/Plan.h"
#include "Compiler/ProgramWriter.h"

namespace orzo {

/// What Module::workspaceBytes() will say: slots, then every thread's scratch, each a multiple of 64.
static int64_t workspaceBytes(const ArtifactImage &image, int threads) {
  auto roundUp = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
  int64_t scratch = 0;
  for (const ArtifactStep &step : image.steps)
    scratch = std::max(scratch, step.scratchBytes);
  return scratch > 0 ? roundUp(image.workspaceBytes) + threads * roundUp(scratch) : image.workspaceBytes;
}

Expected<std::string> listPlans(mlir::ModuleOp dispatched, const ImageRequest &request) {
  std::string lines;
  gemm::GemmOpInterface kernel = mainKernel(dispatched);
  if (!kernel)
    return lines;
  ImageRequest trial = request;
  trial.threads = request.threads > 0 ? request.threads : std::max(1, coreCount());
  trial.emitOnly = true;
  for (const cpu::Plan &plan : cpu::candidatePlans(nestOfKernel(kernel), request.isa, trial.threads)) {
    trial.plan = text(plan);
    ImageText none;
    Expected<ArtifactImage> image = buildImage(dispatched, trial, none);
    if (!image)
      return image.status();
    lines += trial.plan + "\t" + std::to_string(workspaceBytes(*image, trial.threads)) + "\t" + plan.reason + "\n";
  }
  return lines;
}

} // namespace orzo
