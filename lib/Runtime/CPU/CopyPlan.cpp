#include "Runtime/CPU/CopyPlan.h"
#include "Runtime/Core/ArtifactCheck.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace orzo::cpu {

CopyPlan::CopyPlan(const ArtifactStep &step)
    : bytes(step.elementBytes), sourceOffset(step.sourceOffset), targetOffset(step.targetOffset) {
  std::vector<ArtifactCopyDim> ordered = step.copyDims;
  bool empty = std::ranges::any_of(ordered, [](const ArtifactCopyDim &dim) { return dim.extent == 0; });
  std::erase_if(ordered, [](const ArtifactCopyDim &dim) { return dim.extent == 1; });
  std::ranges::stable_sort(ordered, std::ranges::greater(), &ArtifactCopyDim::targetStride);
  for (const ArtifactCopyDim &dim : ordered) {
    bool merges = !dims.empty() && dims.back().sourceStride == dim.sourceStride * dim.extent &&
                  dims.back().targetStride == dim.targetStride * dim.extent;
    if (merges)
      dims.back() = {dims.back().extent * dim.extent, dim.sourceStride, dim.targetStride};
    else
      dims.push_back(dim);
  }
  if (dims.empty())
    dims.push_back({1, 1, 1});
  // Extents of an empty copy are not bounded by its slots; their product might not fit.
  count = empty ? 0 : 1;
  if (!empty)
    for (const ArtifactCopyDim &dim : dims)
      count *= dim.extent;
}

template <typename Element> void CopyPlan::runAs(const char *source, char *target, int64_t begin, int64_t end) const {
  // Where element `begin` is: its index along every dim, and with them both positions.
  std::array<int64_t, artifactMaxCopyDims> index = {};
  int64_t from = sourceOffset, to = targetOffset, rest = begin;
  for (size_t dim = dims.size(); dim-- > 0;) {
    index[dim] = rest % dims[dim].extent;
    rest /= dims[dim].extent;
    from += index[dim] * dims[dim].sourceStride;
    to += index[dim] * dims[dim].targetStride;
  }
  const ArtifactCopyDim &inner = dims.back();
  size_t innermost = dims.size() - 1;
  constexpr int64_t size = sizeof(Element);
  for (int64_t at = begin; at < end;) {
    int64_t length = std::min(inner.extent - index[innermost], end - at);
    const char *sourceRow = source + from * size;
    char *targetRow = target + to * size;
    if (inner.sourceStride == 1 && inner.targetStride == 1)
      std::memcpy(targetRow, sourceRow, length * size);
    else
      for (int64_t i = 0; i < length; ++i)
        std::memcpy(targetRow + i * inner.targetStride * size, sourceRow + i * inner.sourceStride * size, size);
    at += length;
    // To the next row: the innermost index returns to 0, the others count up like digits.
    from -= index[innermost] * inner.sourceStride;
    to -= index[innermost] * inner.targetStride;
    index[innermost] = 0;
    for (size_t dim = innermost; dim-- > 0;) {
      from += dims[dim].sourceStride;
      to += dims[dim].targetStride;
      if (++index[dim] < dims[dim].extent)
        break;
      index[dim] = 0;
      from -= dims[dim].extent * dims[dim].sourceStride;
      to -= dims[dim].extent * dims[dim].targetStride;
    }
  }
}

void CopyPlan::run(const void *source, void *target, int64_t begin, int64_t end) const {
  if (bytes == 2)
    runAs<uint16_t>(static_cast<const char *>(source), static_cast<char *>(target), begin, end);
  else
    runAs<uint32_t>(static_cast<const char *>(source), static_cast<char *>(target), begin, end);
}

} // namespace orzo::cpu
