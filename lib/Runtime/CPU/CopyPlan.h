// CopyPlan: a strided copy, put in order once so that running it is a few loops.
//
// Dims of extent 1 are dropped, the others sorted so that the target is written front to back, and neighbours merged
// where both sides are contiguous across them. Elements are then numbered in that order; any range of numbers can be
// copied on its own, which is how threads share a copy.
//
//     worked example   w flipped along r, k r c = 2 x 3 x 4: dims {2: 12, 12} {3: -4, 4} {4: 1, 1}, source offset 8
//     nothing merges across r (-4 * 3 is not 12); rows are 4 contiguous elements; element 5 is k 0, r 1, c 1:
//     source 8 - 4 + 1, target 4 + 1
#pragma once

#include "Runtime/Core/Artifact.h"

namespace orzo::cpu {

class CopyPlan {
public:
  CopyPlan() = default;
  /// `step` is a Copy of a checked artifact.
  explicit CopyPlan(const ArtifactStep &step);

  /// Elements the copy moves; 0 where a dim is empty.
  int64_t elementCount() const { return count; }
  int64_t elementBytes() const { return bytes; }

  /// Copies elements [begin, end) from the slot memory `source` to `target`. Allocates nothing.
  void run(const void *source, void *target, int64_t begin, int64_t end) const;

private:
  template <typename Element> void runAs(const char *source, char *target, int64_t begin, int64_t end) const;

  int64_t bytes = 0, count = 1, sourceOffset = 0, targetOffset = 0;
  std::vector<ArtifactCopyDim> dims; ///< Outermost first, at least one, at most artifactMaxCopyDims.
};

} // namespace orzo::cpu
