// Compile: to an artifact file, or to the IR of one phase.
#pragma once

#include "Driver/SharedOptions.h"

#include <string>

namespace orzo::driver {

struct CompileOptions {
  SharedOptions shared;
  std::string output; ///< -o: the artifact's file, or the IR's with `emit`; "-" is standard output; empty: none.
  std::string emit;   ///< Empty: the artifact. A phase, llvm, asm, torch, linalg or iree; ptx comes later.
};

/// Compiles every job and reports on each; the exit code.
int compileCommand(const CompileOptions &options);

} // namespace orzo::driver
