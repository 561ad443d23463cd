// ModuleState: what a Module's handles share.
#pragma once

#include "Runtime/CPU/Program.h"
#include "orzo/Runtime/Module.h"

#include <optional>

namespace orzo {

struct Module::State {
  Artifact artifact; ///< Without code.
  size_t imageIndex = 0;
  std::vector<TensorBinding> bindings;
  std::optional<cpu::SharedObject> object; ///< Absent where nothing is dispatched.
  std::vector<cpu::Kernel> kernels;        ///< One per step.

  const ArtifactImage &image() const { return artifact.images[imageIndex]; }
};

} // namespace orzo
