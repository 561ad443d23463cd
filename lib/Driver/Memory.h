// Memory: how much of it this process may still take.
#pragma once

#include <cstdint>

namespace orzo::driver {

/// Bytes that can be allocated without swapping or being killed, by the kernel's estimate and the control group's
/// limit; INT64_MAX where neither is known.
int64_t availableMemory();

} // namespace orzo::driver
