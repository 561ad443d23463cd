// BuildCudaImage: the kernel and target phases for a CUDA device - PTX text and the launches of its kernels.
#pragma once

#include "Compiler/BuildImage.h"

namespace orzo {

/// The only CUDA architecture there is code for.
inline constexpr const char *cudaIsa = "sm_90a";

/// As buildImage(), for "sm_90a". `request` gives the plan's text; its other fields are those of a CPU. A plan with
/// splits makes two steps: the partial sums, in a workspace slot of the image, and their ordered sum; so does a long
/// reduction. What a dispatch computes after its product is a step of its own. No device is needed. Unsupported says
/// what this target has no kernel for.
Expected<ArtifactImage> buildCudaImage(mlir::ModuleOp dispatched, const ImageRequest &request, ImageText &text);

} // namespace orzo
