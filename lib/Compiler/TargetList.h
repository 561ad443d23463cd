// TargetList: how a request spells what to compile for.
#pragma once

#include "Runtime/CPU/Isa.h"
#include "orzo/Support/Status.h"

#include <string_view>
#include <vector>

namespace orzo {

/// What to build images for.
struct TargetList {
  std::vector<Isa> isas; ///< Of CPUs, in the order named, each once.
  bool cuda = false;     ///< sm_90a.
};

/// One or more of "cpu" (the highest ISA level of this machine), "cpu:avx2,avx512" (those named) and "cuda:sm_90a",
/// joined by '+'. InvalidArgument names what was got and what would work; Unavailable when "cpu" finds none.
Expected<TargetList> parseTargets(std::string_view text);

} // namespace orzo
