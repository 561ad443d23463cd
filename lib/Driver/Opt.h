// Opt: mlir-opt with orzo's dialects and passes, out of the compiler library.
#pragma once

namespace orzo::driver {

/// argv[0] is the program; everything behind it is mlir-opt's. The exit code; 4 when the library is missing.
int optCommand(int argc, char **argv);

} // namespace orzo::driver
