// Compilation: a job's artifact, from the cache or from the compiler; or the IR of one phase.
#pragma once

#include "Api/Compilation.h"
#include "Driver/Job.h"

namespace orzo::driver {

/// Compiles a problem or MLIR job by compileCached(); an artifact job is its own result. A cache folder that the job
/// brings along counts where the settings name none.
Expected<Compiled> compileJob(const Job &job, const CompileSettings &settings);

} // namespace orzo::driver
