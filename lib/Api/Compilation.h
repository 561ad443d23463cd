// Compilation: the artifact of a problem, from the cache or from the compiler; or the IR of one phase.
#pragma once

#include "orzo/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orzo {

struct CompileSettings {
  std::string target = "cpu"; ///< "cpu", "cpu:ISA,..." or "cuda:sm_90a"; several are joined by '+'.
  int threads = 0;            ///< The planner's hint; 0 = this machine's cores.
  std::string forceLowering;  ///< Empty: the best.
  std::string plan;           ///< Empty: the cost model's.
  bool useCache = true;
  std::optional<std::string> cacheDirectory; ///< Not given: ORZO_CACHE_DIR, else ~/.cache/orzo.
  std::string stopAfter;                     ///< A phase, "llvm" or "asm": the IR is the result.
  std::string dumpIrDirectory;
};

struct Compiled {
  std::vector<uint8_t> bytes; ///< The artifact file, or the IR's text with stopAfter.
  /// From parsed input to artifact bytes, without loadMs; 0 when nothing was compiled.
  double compileMs = 0;
  /// Loading the compiler library and those it needs, and registering dialects; 0 when nothing was loaded.
  double loadMs = 0;
  bool cached = false;            ///< The bytes come from the cache.
  std::vector<std::string> notes; ///< The compiler's and the cache's.
};

/// Every "cpu" of `target` resolved to "cpu:<this machine's highest level>"; "cpu:..." and "cuda:..." as they are, for
/// the compiler to judge. InvalidArgument for others; Unavailable where the machine has no level.
Expected<std::string> resolveTarget(const std::string &target);

/// What to compile, and how errors call it.
struct CompileInput {
  bool isMlir = false;
  std::string text; ///< Canonical text of a problem, or MLIR.
  std::string name;
};

/// Compiles `input`. Problems go through the cache, keyed by canonical text, resolved target, forced lowering, plan or
/// thread hint, and the compiler's build id; MLIR does not, since only the compiler can tell its canonical text. With
/// stopAfter or a dump folder the cache is not looked at. Errors are those of the compiler, and Unavailable when its
/// library is missing. Safe from several threads and processes at once.
Expected<Compiled> compileCached(const CompileInput &input, const CompileSettings &settings);

} // namespace orzo
