// Compilation: a job's artifact, from the cache or from the compiler; or the IR of one phase.
#pragma once

#include "Api/Compilation.h"
#include "Driver/Job.h"

namespace orzo::driver {

/// Compiles a problem or MLIR job (an artifact job is its own result). A cache folder that the job brings along counts
/// where the settings name none. Problems go through the cache, keyed by
/// canonical text, resolved target, forced lowering, plan or thread hint, and the compiler's build id; MLIR does not,
/// since only the compiler can tell its canonical text. With stopAfter or a dump folder the cache is not looked at.
/// Errors are those of the compiler, and Unavailable when its library is missing.
Expected<Compiled> compileJob(const Job &job, const CompileSettings &settings);

} // namespace orzo::driver
