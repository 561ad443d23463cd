// TargetList: how a request spells what to compile for.
#pragma once

#include "Runtime/CPU/Isa.h"
#include "orzo/Support/Status.h"

#include <string_view>
#include <vector>

namespace orzo {

/// "cpu" is the highest ISA level of this machine; "cpu:avx2,avx512" are those named, in this order, each once.
/// InvalidArgument names what was got and what would work; Unavailable when "cpu" finds none.
Expected<std::vector<Isa>> parseTarget(std::string_view text);

/// Whether `text` names a CUDA device ("cuda" or "cuda:ARCH"): there "cuda:sm_90a" is the one target.
bool isCudaTarget(std::string_view text);

/// Success for "cuda:sm_90a"; InvalidArgument names what was got and what would work.
Status checkCudaTarget(std::string_view text);

} // namespace orzo
