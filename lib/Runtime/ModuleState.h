// ModuleState: what a Module's handles share.
#pragma once

#include "Runtime/CPU/Program.h"
#include "Runtime/CUDA/Program.h"
#include "orzo/Runtime/Module.h"

#include <optional>

namespace orzo {

struct Module::State {
  Artifact artifact; ///< Without code.
  size_t imageIndex = 0;
  std::vector<TensorBinding> bindings;

  // On a CPU.
  std::optional<cpu::SharedObject> object; ///< Absent where nothing is dispatched.
  std::vector<cpu::Kernel> kernels;        ///< One per step.

  // On a CUDA device.
  std::optional<Device> device;
  std::shared_ptr<const cuda::KernelImage> kernelImage;

  /// Choose an image of `artifact` and load its kernels.
  Status loadOnCpu(std::string_view isa);
  Status loadOnCuda(std::string_view isa);

  const ArtifactImage &image() const { return artifact.images[imageIndex]; }
};

} // namespace orzo
