// CudaLaunchCheck: whether a dispatch's launch description is one that a CUDA device can run.
#pragma once

#include "Runtime/Core/Artifact.h"

#include <string_view>

namespace orzo {

/// Whether `isa` names an NVIDIA architecture: "sm_" and a number, with or without a letter ("sm_90a").
bool isCudaIsa(std::string_view isa);

/// Checks step.cuda, which is there, against the limits of compute capability 9.0 and the rules of cuTensorMapEncode;
/// slots of the step are known to exist.
///
/// - grid: tiles not negative, at most 2^31 - 1 without persistence; 1 to 32 blocks a multiprocessor; threads a
///   multiple of 32 up to 1024; at most 227 KiB of shared memory; scratch not negative; no per-thread scratch of the
///   CPU's kind.
/// - tensor maps: a slot of the step; an offset that is a multiple of 16; a known type, mode and swizzle; 1 to 5 dims
///   (im2col: 3 to 5) of 1 to 2^32 elements, a stride for each but the first, positive, below 2^40 and a multiple of
///   16; element strides 1 to 8; all elements within the slot's bytes. Tiled: boxes of 1 to 256 a dim. Im2col: corners
///   within 16, 8 or 5 signed bits for one, two or three spatial dims, 1 to 256 channels, 1 to 1024 pixels. The
///   innermost box (or the channels) takes a multiple of 16 bytes, no more than the swizzle's span. Where no tile is
///   launched, sizes may be 0.
/// - parameters: known kind; a map or slot that exists; addresses within the slot or scratch; integers in 32 bits; at
///   most 4096 bytes in all.
/// InvalidArgument names the map or parameter at fault, what was got and what would be valid.
Status checkCudaLaunch(const ArtifactImage &image, const ArtifactStep &step);

} // namespace orzo
