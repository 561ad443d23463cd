// DeviceRun: a module on a CUDA device, on generated data - run twice, verified, timed - written into a report.
#pragma once

#include "Driver/ArtifactRun.h"

namespace orzo::driver {

/// What a CUDA image says differently: its target, no threads, and the workspace of its launches.
void describeOnDevice(const ArtifactImage &image, ProblemReport &report);

/// Uploads generated operands into guarded tensors, poisons result and workspace, runs, and does it again: the result
/// must be verified (on the host, as on a CPU), the guard zones untouched, and both runs equal to the bit. Then it is
/// timed by the device's events, one buffer set, so that what fits stays in L2; bench/gpu times with rotating buffers.
/// A wrong result is not timed. Unavailable: not enough memory on the device.
Status runOnDevice(const Module &module, const ConvSpec &spec, const RunSettings &settings, ProblemReport &report);

} // namespace orzo::driver
