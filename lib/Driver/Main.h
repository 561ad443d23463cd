// Main: the two programs, each a list of subcommands.
#pragma once

namespace orzo::driver {

/// `orzo`: compiles and runs. The exit code: 0 good; 1 wrong numbers; 2 invalid argument; 3 unsupported; 4 unavailable;
/// 5 internal. Throws nothing.
int orzoMain(int argc, char **argv);

/// `orzo-run`: runs artifacts; knows no compiler. The same exit codes.
int orzoRunMain(int argc, char **argv);

} // namespace orzo::driver
