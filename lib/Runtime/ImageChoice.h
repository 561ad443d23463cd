// ImageChoice: which of an artifact's images a machine runs.
#pragma once

#include "Runtime/CPU/Isa.h"
#include "Runtime/Core/Artifact.h"

namespace orzo {

/// Index of the image of `artifact` for a machine that supports `machine` (lowest first): the highest level both have,
/// or the level `requested` where that is not empty. Unsupported names the levels of the artifact and of the machine;
/// InvalidArgument: `requested` is no ISA at all.
Expected<size_t> chooseImage(const Artifact &artifact, std::span<const Isa> machine, std::string_view requested);

} // namespace orzo
