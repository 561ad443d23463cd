// Kernels: the register loops that Peak times.
#pragma once

#include "Peak/Peak.h"

#include <cstdint>

namespace orzo::peak {

/// Executes about `count` instructions on independent accumulators; returns how many it were. The machine must have the
/// instruction.
int64_t runInstruction(Instruction instruction, int64_t count);

/// Executes about `count` adds, each waiting for the one before; returns how many it were.
int64_t runDependentAdds(int64_t count);

} // namespace orzo::peak
