// ImageChoice: which of an artifact's images a machine runs.
#pragma once

#include "Runtime/CPU/Isa.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Runtime/Device.h"

namespace orzo {

/// Index of the image of `artifact` for a machine that supports `machine` (lowest first): the highest level both have,
/// or the level `requested` where that is not empty. Unsupported names the levels of the artifact and of the machine;
/// InvalidArgument: `requested` is no ISA at all.
Expected<size_t> chooseImage(const Artifact &artifact, std::span<const Isa> machine, std::string_view requested);

/// Whether a module loaded with `requested` runs on a CUDA device: a CUDA ISA is asked for, or none is and the artifact
/// has no image for a CPU.
bool choosesCuda(const Artifact &artifact, std::string_view requested);

/// Index of the image of `artifact` for `device`: the one `requested`, or where that is empty the first that the device
/// runs. Unsupported names the artifact's images and the device.
Expected<size_t> chooseCudaImage(const Artifact &artifact, const Device &device, std::string_view requested);

} // namespace orzo
