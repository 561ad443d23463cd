// ArtifactCheck: whether an artifact means something, whoever made it.
#pragma once

#include "Runtime/Core/Artifact.h"

namespace orzo {

/// Bounds of the format, so that no arithmetic on a checked artifact overflows: more than a process can address.
inline constexpr int64_t artifactMaxBytes = int64_t(1) << 48; ///< Of a binding, slot, workspace or scratch; also units.
inline constexpr size_t artifactMaxCopyDims = 16;

/// Bytes of a packed tensor; nullopt where an extent is negative or the product exceeds artifactMaxBytes.
std::optional<int64_t> packedBytes(std::span<const int64_t> shape, ElementType type);

/// Everything parseArtifact promises beyond the file's structure; after it, running the program touches no byte outside
/// the slots, as far as fills and copies go (what a kernel touches is its maker's word). Checked:
/// - bindings: named, names unique, known role and type, one letter per extent, representable size;
/// - images: at least one, ISAs named and unique, code present where a step dispatches;
/// - slots: a binding that exists, or a multiple of 64 within the workspace; extent within the binding's or
/// workspace's;
/// - steps: known kind; slots that exist; dispatches name a symbol, their ranges and scratch are not negative, and a
///   CUDA image's have a launch within CUDA's limits (CudaLaunchCheck.h); fills have one slot; copies have two, which
///   do not overlap, elements of 2 or 4 bytes, at most 16 dims, no negative extent or target stride, no target element
///   written twice, every element within both slots; no fill or copy writes an operand.
/// InvalidArgument names the image, step and field at fault, what was got and what would be valid.
Status checkArtifact(const Artifact &artifact);

} // namespace orzo
