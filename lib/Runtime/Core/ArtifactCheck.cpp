#include "Runtime/Core/ArtifactCheck.h"
#include "Runtime/Core/CudaLaunchCheck.h"

#include <algorithm>
#include <set>

namespace orzo {
namespace {

using Wide = __int128;

std::string number(int64_t value) { return std::to_string(value); }

Status checkBinding(const ArtifactBinding &binding, std::set<std::string> &names) {
  if (binding.name.empty())
    return Status::invalidArgument("it has no name");
  if (!names.insert(binding.name).second)
    return Status::invalidArgument("its name '" + binding.name + "' is taken by another binding");
  if (binding.role > Role::Y)
    return Status::invalidArgument("role " + number(int(*binding.role)) +
                                   " is unknown; known are 0 (x), 1 (w), 2 (y) and 3 (none)");
  if (binding.type == ElementType::NotSet || binding.type > ElementType::Boolean)
    return Status::invalidArgument("element type " + number(int(binding.type)) + " is unknown; known are 1 (" +
                                   std::string(name(ElementType::Half)) + ") to " + number(int(ElementType::Boolean)) +
                                   " (" + std::string(name(ElementType::Boolean)) + ")");
  if (binding.role && binding.layout.size() != binding.shape.size())
    return Status::invalidArgument("layout '" + binding.layout + "' has " + number(binding.layout.size()) +
                                   " letters for " + number(binding.shape.size()) + " extents");
  if (!packedBytes(binding.shape, binding.type))
    return Status::invalidArgument("its shape has a negative extent or more than 2^48 bytes");
  return {};
}

Status checkSlot(const Artifact &artifact, const ArtifactImage &image, const ArtifactSlot &slot) {
  if (slot.bytes < 0)
    return Status::invalidArgument("its extent is " + number(slot.bytes) + " bytes; it must not be negative");
  if (slot.binding == -1) {
    if (slot.workspaceOffset < 0 || slot.workspaceOffset % 64 != 0)
      return Status::invalidArgument("its workspace offset " + number(slot.workspaceOffset) +
                                     " is not a multiple of 64 bytes");
    if (Wide(slot.workspaceOffset) + slot.bytes > image.workspaceBytes)
      return Status::invalidArgument(number(slot.bytes) + " bytes at offset " + number(slot.workspaceOffset) +
                                     " exceed the workspace of " + number(image.workspaceBytes) + " bytes");
    return {};
  }
  if (slot.binding < -1 || slot.binding >= int64_t(artifact.bindings.size()))
    return Status::invalidArgument("it names binding " + number(slot.binding) + " of " +
                                   number(artifact.bindings.size()));
  const ArtifactBinding &binding = artifact.bindings[slot.binding];
  if (slot.workspaceOffset != 0)
    return Status::invalidArgument("it names binding '" + binding.name + "' and a workspace offset");
  int64_t available = *packedBytes(binding.shape, binding.type);
  if (slot.bytes > available)
    return Status::invalidArgument(number(slot.bytes) + " bytes exceed binding '" + binding.name + "' of " +
                                   number(available) + " bytes");
  return {};
}

Status checkDispatch(const ArtifactImage &image, const ArtifactStep &step) {
  if (step.symbol.empty())
    return Status::invalidArgument("a dispatch must name its kernel's symbol");
  if (step.flopsExecuted < 0 || step.flopsTile < 0)
    return Status::invalidArgument("its FLOP counts must not be negative");
  bool isCuda = isCudaIsa(image.isa);
  if (isCuda != step.cuda.has_value())
    return Status::invalidArgument(isCuda ? "a dispatch of a CUDA image must say how it is launched"
                                          : "a dispatch of a CPU image has a CUDA launch");
  if (isCuda)
    return checkCudaLaunch(image, step);
  Wide units = 0;
  for (int64_t range : step.unitRanges) {
    units += range;
    if (range < 0 || units > artifactMaxBytes)
      return Status::invalidArgument("its unit range of " + number(range) + " is negative or too large");
  }
  size_t staged = 0;
  for (int32_t ranges : step.stageRanges) {
    staged += ranges;
    if (ranges < 0 || staged > step.unitRanges.size())
      return Status::invalidArgument("its stage of " + number(ranges) + " unit ranges is negative or goes beyond the " +
                                     number(int64_t(step.unitRanges.size())) + " that there are");
  }
  if (!step.stageRanges.empty() && staged != step.unitRanges.size())
    return Status::invalidArgument("its stages have " + number(int64_t(staged)) + " of " +
                                   number(int64_t(step.unitRanges.size())) + " unit ranges");
  if (step.scratchBytes < 0 || step.scratchBytes > artifactMaxBytes)
    return Status::invalidArgument("its scratch of " + number(step.scratchBytes) + " bytes is negative or too large");
  return {};
}

/// The first and last element, relative to the slot, that a walk over `dims` from `offset` touches.
struct Reach {
  Wide first, last;
};
Reach reach(int64_t offset, const std::vector<ArtifactCopyDim> &dims, int64_t ArtifactCopyDim::*stride) {
  Reach result = {offset, offset};
  for (const ArtifactCopyDim &dim : dims) {
    Wide span = Wide(dim.extent - 1) * (dim.*stride);
    (span < 0 ? result.first : result.last) += span;
  }
  return result;
}

/// Sufficient for distinct targets, and true of every packed tensor and every strided view of one: sorted by stride,
/// each stride steps over all that the smaller ones reach.
bool targetsAreDistinct(std::vector<ArtifactCopyDim> dims) {
  std::erase_if(dims, [](const ArtifactCopyDim &dim) { return dim.extent == 1; });
  std::ranges::sort(dims, {}, &ArtifactCopyDim::targetStride);
  Wide reached = 0;
  for (const ArtifactCopyDim &dim : dims) {
    if (dim.targetStride <= reached)
      return false;
    reached += Wide(dim.extent - 1) * dim.targetStride;
  }
  return true;
}

bool overlap(const ArtifactSlot &a, const ArtifactSlot &b) {
  if (a.binding != b.binding)
    return false;
  return a.workspaceOffset < b.workspaceOffset + b.bytes && b.workspaceOffset < a.workspaceOffset + a.bytes;
}

Status checkCopy(const ArtifactStep &step, const ArtifactSlot &source, const ArtifactSlot &target) {
  if (step.elementBytes != 2 && step.elementBytes != 4)
    return Status::invalidArgument("elements of " + number(step.elementBytes) + " bytes; known are 2 and 4");
  if (step.copyDims.size() > artifactMaxCopyDims)
    return Status::invalidArgument(number(step.copyDims.size()) + " copy dims; at most " + number(artifactMaxCopyDims) +
                                   " are possible");
  // 16 products of two numbers up to 2^48 are far from the end of 128 bits.
  auto tooLarge = [](int64_t value) { return value > artifactMaxBytes || value < -artifactMaxBytes; };
  bool empty = false, large = tooLarge(step.sourceOffset) || tooLarge(step.targetOffset);
  for (const ArtifactCopyDim &dim : step.copyDims) {
    if (dim.extent < 0 || dim.targetStride < 0)
      return Status::invalidArgument("a copy dim of extent " + number(dim.extent) + " and target stride " +
                                     number(dim.targetStride) + "; neither may be negative");
    empty |= dim.extent == 0;
    large |= tooLarge(dim.extent) || tooLarge(dim.sourceStride) || tooLarge(dim.targetStride);
  }
  if (large)
    return Status::invalidArgument("an extent, stride or offset of the copy is beyond 2^48");
  if (empty)
    return {};
  if (overlap(source, target))
    return Status::invalidArgument("the copy's source and target overlap");
  if (!targetsAreDistinct(step.copyDims))
    return Status::invalidArgument("the copy may write an element of its target twice");
  auto within = [&](Reach touched, const ArtifactSlot &slot, std::string which) -> Status {
    if (touched.first >= 0 && touched.last < slot.bytes / step.elementBytes)
      return {};
    return Status::invalidArgument("the copy leaves its " + which + " slot of " +
                                   number(slot.bytes / step.elementBytes) + " elements");
  };
  if (Status status = within(reach(step.sourceOffset, step.copyDims, &ArtifactCopyDim::sourceStride), source, "source");
      !status.ok())
    return status;
  return within(reach(step.targetOffset, step.copyDims, &ArtifactCopyDim::targetStride), target, "target");
}

Status checkStep(const Artifact &artifact, const ArtifactImage &image, const ArtifactStep &step) {
  for (int32_t slot : step.slots)
    if (slot < 0 || slot >= int64_t(image.slots.size()))
      return Status::invalidArgument("it names slot " + number(slot) + " of " + number(image.slots.size()));
  if (step.kind == ArtifactStep::Kind::Dispatch)
    return checkDispatch(image, step);
  if (step.kind > ArtifactStep::Kind::Copy)
    return Status::invalidArgument("kind " + number(int(step.kind)) +
                                   " is unknown; known are 0 (dispatch), 1 (fill) and 2 (copy)");
  if (step.cuda)
    return Status::invalidArgument("only a dispatch has a CUDA launch");
  bool isFill = step.kind == ArtifactStep::Kind::Fill;
  size_t expected = isFill ? 1 : 2;
  if (step.slots.size() != expected)
    return Status::invalidArgument("it has " + number(step.slots.size()) + " slots; a " + (isFill ? "fill" : "copy") +
                                   " has " + number(expected));
  const ArtifactSlot &target = image.slots[step.slots.back()];
  if (target.binding >= 0 && !artifact.bindings[target.binding].isResult)
    return Status::invalidArgument("it would write binding '" + artifact.bindings[target.binding].name +
                                   "', which is not a result");
  return isFill ? Status::success() : checkCopy(step, image.slots[step.slots.front()], target);
}

Status checkImage(const Artifact &artifact, const ArtifactImage &image) {
  if (image.workspaceBytes < 0 || image.workspaceBytes > artifactMaxBytes)
    return Status::invalidArgument("a workspace of " + number(image.workspaceBytes) + " bytes");
  for (size_t i = 0; i < image.slots.size(); ++i)
    if (Status status = checkSlot(artifact, image, image.slots[i]); !status.ok())
      return status.within("slot " + number(i));
  bool dispatches = false;
  for (size_t i = 0; i < image.steps.size(); ++i) {
    const ArtifactStep &step = image.steps[i];
    if (Status status = checkStep(artifact, image, step); !status.ok())
      return status.within("step " + number(i) + " ('" + step.name + "')");
    dispatches |= step.kind == ArtifactStep::Kind::Dispatch;
  }
  if (dispatches && image.code.empty())
    return Status::invalidArgument("it dispatches kernels but holds no code");
  return {};
}

} // namespace

std::optional<int64_t> packedBytes(std::span<const int64_t> shape, ElementType type) {
  if (std::ranges::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return std::nullopt;
  // An empty tensor's other extents are bounded too: its strides are computed like any other's.
  Wide bytes = byteSize(type);
  for (int64_t extent : shape)
    if (bytes *= std::max<int64_t>(extent, 1); bytes > artifactMaxBytes)
      return std::nullopt;
  return std::ranges::find(shape, 0) == shape.end() ? static_cast<int64_t>(bytes) : 0;
}

Status checkArtifact(const Artifact &artifact) {
  std::set<std::string> names;
  for (size_t i = 0; i < artifact.bindings.size(); ++i)
    if (Status status = checkBinding(artifact.bindings[i], names); !status.ok())
      return status.within("binding " + number(i));
  if (artifact.images.empty())
    return Status::invalidArgument("the artifact holds no kernel image");
  std::set<std::string> isas;
  for (const ArtifactImage &image : artifact.images) {
    if (image.isa.empty() || !isas.insert(image.isa).second)
      return Status::invalidArgument("an image's ISA '" + image.isa + "' is empty or that of another image");
    if (Status status = checkImage(artifact, image); !status.ok())
      return status.within("image '" + image.isa + "'");
  }
  return {};
}

} // namespace orzo
