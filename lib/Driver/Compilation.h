// Compilation: a job's artifact, from the cache or from the compiler; or the IR of one phase.
#pragma once

#include "Api/Compilation.h"
#include "Driver/Job.h"

namespace orzo::driver {

/// Compiles a problem or MLIR job by compileCached(); an artifact job is its own result. A cache folder that the job
/// brings along counts where the settings name none.
///
/// MLIR that is one convolution is compiled as what it was read as: `job.spec` and `job.direction` are set, and the
/// artifact is that of the canonical text, from the cache where it is there. Reading loads the compiler either way.
/// With stopAfter or a dump folder, MLIR goes through the phases as it is, and `job` is left alone.
Expected<Compiled> compileJob(Job &job, const CompileSettings &settings);

/// The MLIR of `job` through the compiler as it is, without the cache. An error's message begins with the job's name.
Expected<Compiled> compileModule(const Job &job, const CompileSettings &settings);

} // namespace orzo::driver
