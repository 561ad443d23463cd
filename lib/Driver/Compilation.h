// Compilation: a job's artifact, from the cache or from the compiler; or the IR of one phase.
#pragma once

#include "Driver/Job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orzo::driver {

struct CompileSettings {
  std::string target = "cpu"; ///< "cpu", "cpu:ISA,..." or "cuda:sm_90a".
  int threads = 0;            ///< The planner's hint; 0 = this machine's cores.
  std::string forceLowering;  ///< Empty: the best.
  std::string plan;           ///< Empty: the cost model's.
  bool useCache = true;
  std::optional<std::string> cacheDirectory; ///< Not given: the job's, else ORZO_CACHE_DIR, else ~/.cache/orzo.
  std::string stopAfter; ///< A phase, "llvm", "asm", or a text for other compilers (Entry.h): the text is the result.
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

/// "cpu" resolved to "cpu:<this machine's highest level>"; "cpu:..." and "cuda:..." as they are, for the compiler to
/// judge. InvalidArgument for others; Unavailable where the machine has no level.
Expected<std::string> resolveTarget(const std::string &target);

/// Compiles a problem or MLIR job (an artifact job is its own result). Problems go through the cache, keyed by
/// canonical text, resolved target, forced lowering, plan or thread hint, and the compiler's build id; MLIR does not,
/// since only the compiler can tell its canonical text. With stopAfter or a dump folder the cache is not looked at.
/// Errors are those of the compiler, and Unavailable when its library is missing.
Expected<Compiled> compileJob(const Job &job, const CompileSettings &settings);

} // namespace orzo::driver
