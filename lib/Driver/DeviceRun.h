// DeviceRun: a module on a CUDA device, on generated data - run twice, verified, timed - written into a report.
#pragma once

#include "Driver/ArtifactRun.h"

namespace orzo::driver {

/// What a CUDA image says differently: its target, no threads, and the workspace of its launches.
void describeOnDevice(const ArtifactImage &image, ProblemReport &report);

/// "1000 tiles on a persistent grid of blocks of 384 threads, 98304 bytes of shared memory, 3 tensor maps, 0 bytes of
/// scratch".
std::string describeLaunch(const CudaLaunch &launch);

/// What an H200 reaches on random data: the speeds that floors of CUDA images are computed from, wherever that is.
inline constexpr double h200Gflops = 790e3, h200GBs = 4300;

/// Uploads generated operands into guarded tensors, poisons result and workspace, runs, and does it again: the result
/// must be verified (on the host, as on a CPU), the guard zones untouched, and both runs equal to the bit. Then it is
/// timed by the device's events, one buffer set, so that what fits stays in L2; bench/gpu times with rotating buffers.
/// A wrong result is not timed. Unavailable: not enough memory on the device.
Status runOnDevice(const Module &module, const ArtifactProblem &problem, const RunSettings &settings,
                   ProblemReport &report);

} // namespace orzo::driver
