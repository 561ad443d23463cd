#include "Driver/Opt.h"

#include "Api/CompilerLibrary.h"

#include <cstdio>

namespace orzo::driver {

int optCommand(int argc, char **argv) {
  Expected<LoadedCompiler> compiler = loadCompiler();
  if (!compiler) {
    std::fprintf(stderr, "orzo opt: %s\n", compiler.status().message().c_str());
    return exitCode(compiler.status().code());
  }
  return compiler->table->opt_main(argc, argv);
}

} // namespace orzo::driver
