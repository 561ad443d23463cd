// Compiler: from a problem or MLIR source to an artifact, or to the IR of one phase.
#pragma once

#include "Pipeline/Pipeline.h"
#include "Runtime/CPU/Isa.h"
#include "orzo/Support/Status.h"

#include <string>
#include <vector>

namespace orzo {

/// A compile request in C++; the fields are those of orzo_compile_request (Entry.h).
struct CompileRequest {
  enum class Input : uint8_t { Problem, Mlir } kind = Input::Problem;
  std::string input;
  std::string inputName = "<input>";
  std::string target = "cpu";
  int threads = 0;
  std::string forceLowering;
  std::string plan;
  bool countMultiplyAdds = false;
  std::string stopAfter; ///< A phase, "llvm", "asm", what Handback.h names, or empty.
  std::string dumpIrDirectory;
};

struct CompileOutput {
  std::vector<uint8_t> bytes; ///< The artifact file, or the IR's text when the request stops early.
  std::string notes;          ///< One a line.
  double compileMilliseconds = 0;
  double loadMilliseconds = 0;
};

/// Compiles. InvalidArgument: text or MLIR that does not parse or verify, an unknown target, phase, lowering or plan, a
/// lowering that cannot compute the problem. Unsupported: MLIR that is something else than one convolution.
/// Unavailable: no ISA of this machine is one that orzo knows, or a dump folder that cannot be written. Thread-safe.
Expected<CompileOutput> compile(const CompileRequest &request);

/// Identifies this compiler: a hash of its sources and LLVM's version.
const char *buildId();

} // namespace orzo
