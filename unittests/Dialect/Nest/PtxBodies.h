// PtxBodies: pointwise bodies as kernels of a CUDA device.
#pragma once

#include "BodyKernels.h"

namespace orzo::nest {

/// One kernel a case, "body0", "body1" ...: (const float *a, const float *b, const float *c, float *out), one thread an
/// element, number blockIdx.x * 256 + threadIdx.x. gtest failures where something does not lower.
std::string ptxOfBodies(const std::vector<BodyCase> &cases);

} // namespace orzo::nest
