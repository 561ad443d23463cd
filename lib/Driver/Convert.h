// Convert: an input in another spelling.
#pragma once

#include "Driver/SharedOptions.h"

#include <string>

namespace orzo::driver {

struct ConvertOptions {
  SharedOptions shared;
  std::string to;     ///< miopen, boo, fusilli, torch or linalg.
  std::string output; ///< -o: a file; empty and "-": standard output.
};

/// Prints every job in the wanted spelling: one line a problem for commands, a module for torch and linalg. What it
/// prints is read back as the same problem; a spelling that cannot say it is Unsupported, with the reason. The exit
/// code.
int convertCommand(const ConvertOptions &options);

} // namespace orzo::driver
