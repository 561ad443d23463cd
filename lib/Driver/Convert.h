// Convert: an input in another spelling.
#pragma once

#include "Driver/SharedOptions.h"

#include <string>

namespace orzo::driver {

struct ConvertOptions {
  SharedOptions shared;
  std::string to;     ///< miopen, boo, fusilli, cpp, torch or linalg.
  std::string output; ///< -o: a file; empty and "-": standard output.
};

/// Prints every job in the wanted spelling: one line a problem for commands, a program for cpp, a module for
/// torch and linalg. What it prints is the same problem again; a spelling that cannot say it is Unsupported, with the
/// reason. The exit code.
int convertCommand(const ConvertOptions &options);

} // namespace orzo::driver
