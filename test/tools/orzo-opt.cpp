// orzo-opt: mlir-opt with orzo's dialects and passes, through the compiler's entry table.
#include "Compiler/Entry.h"

#include <cstdio>
#include <dlfcn.h>

int main(int argc, char **argv) {
  void *library = dlopen(ORZO_COMPILER_LIBRARY, RTLD_LAZY);
  if (!library) {
    std::fprintf(stderr, "orzo-opt: %s\n", dlerror());
    return 4;
  }
  auto entry = reinterpret_cast<orzo_compiler_entry_fn>(dlsym(library, "orzo_compiler_entry"));
  if (!entry || entry()->version != ORZO_COMPILER_ENTRY_VERSION) {
    std::fprintf(stderr, "orzo-opt: %s is no compiler of version %d\n", ORZO_COMPILER_LIBRARY,
                 ORZO_COMPILER_ENTRY_VERSION);
    return 4;
  }
  return entry()->opt_main(argc, argv);
}
