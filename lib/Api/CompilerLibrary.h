// CompilerLibrary: liborzo-compiler.so, found beside the program, identified without loading, loaded when needed.
//
// It lies in ../lib of the executable's folder, or in that folder itself. Loading it loads MLIR and LLVM, so that is
// left until something has to be compiled. What names the compiler in cache keys must therefore be readable from the
// file alone: the linker's build id, a hash of the library's contents that its ELF note section holds, or, where a
// linker left none, the file's size and time of change.
#pragma once

#include "Compiler/Entry.h"
#include "orzo/Support/Status.h"

#include <string>

namespace orzo {

/// Path of the library. Unavailable names the paths that were tried.
Expected<std::string> findCompilerLibrary();

/// What identifies the library's contents: "elf-<hex>", or "file-<size>-<time>". Reads the file, loads nothing.
/// Unavailable when there is none.
Expected<std::string> compilerBuildId();

struct LoadedCompiler {
  const orzo_compiler_table *table = nullptr;
  double loadMilliseconds = 0; ///< What loading took, libraries that it needs included; 0 when it was loaded already.
};

/// Loads the library once per process; safe from several threads. Unavailable: not found, not loadable (with the
/// loader's reason), or of another entry version (both named).
Expected<LoadedCompiler> loadCompiler();

/// Text for people about the library without loading it: its path and build id, or that there is none and why.
std::string describeCompilerLibrary();

} // namespace orzo
