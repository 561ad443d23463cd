// Verification: is this result the right one?
//
//   full      every element against the oracle
//   project   the result's channels contracted with random signs, against the oracle run on the contracted operand:
//   every
//             element takes part at 1/channels of the cost
//   sample    4096 elements and more: random ones, borders, every phase, first and last
//   auto      full where the oracle takes under `fullSeconds` by its estimate, else project and sample
//   off       nothing
//
// On random data elements must lie within errorBound(); on integer data and ones they must equal the exact integer
// rounded once. In every mode, off too, all of the result is searched for left poison and the canaries are looked at.
#pragma once

#include "Measure/GuardedBuffer.h"
#include "Reference/Evaluate.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace orzo {

enum class VerifyMode : uint8_t { Auto, Full, Project, Sample, Off };

/// "auto", "full", "project", "sample", "off".
std::string_view name(VerifyMode mode);
/// The reverse; InvalidArgument lists the five.
Expected<VerifyMode> parseVerifyMode(std::string_view text);

struct VerifyOptions {
  VerifyMode mode = VerifyMode::Auto;
  bool exact = false; ///< The operands are integers small enough for exact sums (isExact(DataKind)).
  uint64_t seed = 0;  ///< Of the signs and samples; not of the data.
  int threads = 0;    ///< The oracle's threads; 0 takes every core.
  double fullSeconds = 3;
};

struct NamedBuffer {
  std::string_view name; ///< "x", "w", "y".
  const GuardedBuffer *buffer;
};

struct VerifyResult {
  std::string status = "off"; ///< "ok", "failed", "off".
  std::string mode = "off";   ///< What was done: "full", "project", "sample", "project+sample", "off".
  /// |y - ref| and its bound where they came nearest to, or went furthest beyond, the bound. Exact data: the bound is
  /// 0. A NaN in the result counts as an infinite error.
  double error = 0, bound = 0;
  std::string poison = "ok"; ///< "ok", or what is left where, or which canary was touched where.
  int64_t compared = 0;      ///< Comparisons made.
  int64_t bad = 0;           ///< Of them out of bound.
  /// Empty when all is well, else for people: the first bad element, what was expected and what was got.
  std::string message = {};

  bool failed() const { return status == "failed"; }
};

/// Verifies the result in `tensors` (by Role; operands and result) of `spec`, which must satisfy validate().
VerifyResult verify(const ConvSpec &spec, const reference::Tensors &tensors, const VerifyOptions &options,
                    std::span<const NamedBuffer> buffers = {});

} // namespace orzo
