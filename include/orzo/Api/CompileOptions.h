// CompileOptions: what may be asked of Graph::compile(), and the plans to choose from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace orzo::graph {

/// One way to compute a graph's main convolution, the one with the most work.
struct PlanVariant {
  std::string text;          ///< Blocks and tiles, e.g. "avx2 fma tile 6x16 rows 96 columns 512 depth 256 resident".
  size_t workspaceBytes = 0; ///< Of the whole graph, with the handle's threads.
  std::string reason;        ///< Why one might want it, one sentence.
};

struct CompileOptions {
  bool useCache = true; ///< false: neither looked up in the cache nor kept there.
  /// Most bytes of workspace that execute() may take with the handle. The cost model's plan is taken where it fits,
  /// else the first of Graph::plans() that does.
  std::optional<size_t> workspaceLimit;
  /// The same bits from run to run and for any number of threads. Every plan has that: false changes nothing.
  bool deterministic = true;
  /// Which of Graph::plans() to compile by; for handles with one instruction set as target.
  std::optional<size_t> planIndex;
};

} // namespace orzo::graph
