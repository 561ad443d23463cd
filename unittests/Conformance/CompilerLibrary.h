// CompilerLibrary: liborzo-compiler.so as the tools use it - dlopen'd, spoken to through its C table alone.
#pragma once

#include "Compiler/Entry.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orzo::conformance {

struct CompileOptions {
  std::string target = "cpu";
  std::string forceLowering; ///< Empty: the compiler chooses.
  std::string plan;          ///< Empty: the cost model's.
  int threads = 2;           ///< The planner's hint.
  bool countMultiplyAdds = false;
};

struct Compiled {
  std::vector<uint8_t> artifact; ///< The artifact file's bytes.
  double compileMilliseconds = 0;
};

/// The table; the process ends with a message where the library of this build cannot be loaded.
const orzo_compiler_table &compilerTable();

/// Compiles one canonical text. A failure is the table's status and message; that an artifact comes exactly with
/// success, and a message with every failure, is checked (Internal where not).
Expected<Compiled> compileText(const std::string &text, const CompileOptions &options = {});

} // namespace orzo::conformance
