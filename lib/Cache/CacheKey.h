// CacheKey: what decides the bytes of a compiled artifact.
#pragma once

#include <string>

namespace orzo {

struct CacheKey {
  std::string problem; ///< Canonical text; the same as the artifact's own.
  std::string binding; ///< Text of the binding; empty for the problem's own order.
  std::string target;  ///< "cpu:avx2", ... (the resolved levels, not "cpu").
  std::string plan;    ///< Text of a given plan; empty for the cost model's (then with its thread count as a hint).
  std::string forceLowering; ///< Empty, or the name given.
  std::string compilerBuild; ///< The compiler's build_id().
};

/// SHA-256 over all fields, each with its length, so that no two keys run into each other; 64 hexadecimal digits.
std::string digest(const CacheKey &key);

} // namespace orzo
