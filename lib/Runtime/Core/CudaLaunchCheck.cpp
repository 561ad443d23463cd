#include "Runtime/Core/CudaLaunchCheck.h"
#include "Runtime/Core/ArtifactCheck.h"

#include <algorithm>

namespace orzo {
namespace {

using Wide = __int128;
using Mode = TensorMapRecipe::Mode;

constexpr int32_t maxSharedBytes = 227 << 10;
constexpr int64_t maxGrid = (int64_t(1) << 31) - 1;
constexpr int64_t maxSize = int64_t(1) << 32, strideEnd = int64_t(1) << 40;
constexpr int64_t maxParameterBytes = 4096;

std::string number(int64_t value) { return std::to_string(value); }

/// `what` is `value`, which should lie in [low, high].
Status checkRange(const std::string &what, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high)
    return {};
  return Status::invalidArgument(what + " is " + number(value) + "; valid are " + number(low) + " to " + number(high));
}

Status checkCount(const std::string &what, size_t got, size_t expected) {
  if (got == expected)
    return {};
  return Status::invalidArgument("it has " + number(got) + " " + what + ", expected " + number(expected));
}

template <typename Values>
Status checkRanges(const std::string &what, const Values &values, int64_t low, int64_t high) {
  for (size_t dim = 0; dim < values.size(); ++dim)
    if (Status status = checkRange(what + " " + number(dim), values[dim], low, high); !status.ok())
      return status;
  return {};
}

int64_t swizzleBytes(TensorMapRecipe::Swizzle swizzle) {
  switch (swizzle) {
  case TensorMapRecipe::Swizzle::Bytes32:
    return 32;
  case TensorMapRecipe::Swizzle::Bytes64:
    return 64;
  case TensorMapRecipe::Swizzle::Bytes128:
    return 128;
  case TensorMapRecipe::Swizzle::None:
    break;
  }
  return 1024; // A box of 256 elements of 4 bytes.
}

/// The row of shared memory that one pixel or box row becomes.
Status checkInner(const TensorMapRecipe &map, int64_t elements) {
  int64_t bytes = elements * int64_t(byteSize(map.type));
  if (bytes % 16 == 0 && bytes <= swizzleBytes(map.swizzle))
    return {};
  return Status::invalidArgument("its innermost " + number(elements) + " elements take " + number(bytes) +
                                 " bytes; valid is a multiple of 16 no larger than the swizzle's span");
}

Status checkTiled(const TensorMapRecipe &map) {
  if (Status status = checkCount("box extents", map.box.size(), map.sizes.size()); !status.ok())
    return status;
  if (!map.lowerCorner.empty() || !map.upperCorner.empty() || map.channelsPerPixel || map.pixelsPerColumn)
    return Status::invalidArgument("a tiled map has im2col corners, channels or pixels");
  if (Status status = checkRanges("box extent", map.box, 1, 256); !status.ok())
    return status;
  return checkInner(map, map.box[0]);
}

Status checkIm2col(const TensorMapRecipe &map) {
  size_t dims = map.sizes.size();
  if (dims < 3)
    return Status::invalidArgument("an im2col map has " + number(dims) + " dims; valid are 3 to 5");
  if (!map.box.empty())
    return Status::invalidArgument("an im2col map has a box");
  if (Status status = checkCount("lower corners", map.lowerCorner.size(), dims - 2); !status.ok())
    return status;
  if (Status status = checkCount("upper corners", map.upperCorner.size(), dims - 2); !status.ok())
    return status;
  int64_t reach = dims == 3 ? 1 << 15 : dims == 4 ? 1 << 7 : 1 << 4;
  if (Status status = checkRanges("lower corner", map.lowerCorner, -reach, reach - 1); !status.ok())
    return status;
  if (Status status = checkRanges("upper corner", map.upperCorner, -reach, reach - 1); !status.ok())
    return status;
  if (Status status = checkRange("its channels per pixel", map.channelsPerPixel, 1, 256); !status.ok())
    return status;
  if (Status status = checkRange("its pixels per column", map.pixelsPerColumn, 1, 1024); !status.ok())
    return status;
  return checkInner(map, map.channelsPerPixel);
}

Status checkMap(const ArtifactImage &image, const ArtifactStep &step, const TensorMapRecipe &map) {
  if (map.type > DataType::F16)
    return Status::invalidArgument("element type " + number(int(map.type)) + " is unknown");
  if (map.mode > Mode::Im2col || map.swizzle > TensorMapRecipe::Swizzle::Bytes128)
    return Status::invalidArgument("mode " + number(int(map.mode)) + " or swizzle " + number(int(map.swizzle)) +
                                   " is unknown");
  if (map.slot < 0 || map.slot >= int64_t(step.slots.size()))
    return Status::invalidArgument("it names slot " + number(map.slot) + " of the step's " + number(step.slots.size()));
  if (map.byteOffset < 0 || map.byteOffset > artifactMaxBytes || map.byteOffset % 16 != 0)
    return Status::invalidArgument("its offset of " + number(map.byteOffset) +
                                   " bytes is negative, too large or no multiple of 16");
  size_t dims = map.sizes.size();
  if (Status status = checkRange("its number of dims", dims, 1, 5); !status.ok())
    return status;
  if (Status status = checkCount("strides", map.byteStrides.size(), dims - 1); !status.ok())
    return status;
  if (Status status = checkCount("element strides", map.elementStrides.size(), dims); !status.ok())
    return status;
  if (Status status = checkRanges("size", map.sizes, step.cuda->tiles == 0 ? 0 : 1, maxSize); !status.ok())
    return status;
  for (int64_t stride : map.byteStrides)
    if (stride <= 0 || stride >= strideEnd || stride % 16 != 0)
      return Status::invalidArgument("a stride of " + number(stride) +
                                     " bytes; valid are multiples of 16 above 0 and below 2^40");
  if (Status status = checkRanges("element stride", map.elementStrides, 1, 8); !status.ok())
    return status;

  if (std::ranges::find(map.sizes, 0) == map.sizes.end()) {
    Wide end = Wide(map.byteOffset) + Wide(map.sizes[0]) * int64_t(byteSize(map.type));
    for (size_t dim = 1; dim < dims; ++dim)
      end += Wide(map.sizes[dim] - 1) * map.byteStrides[dim - 1];
    int64_t available = image.slots[step.slots[map.slot]].bytes;
    if (end > available)
      return Status::invalidArgument("its elements leave their slot of " + number(available) + " bytes");
  }
  return map.mode == Mode::Tiled ? checkTiled(map) : checkIm2col(map);
}

Status checkParameter(const ArtifactImage &image, const ArtifactStep &step, const CudaParameter &parameter) {
  const CudaLaunch &launch = *step.cuda;
  switch (parameter.kind) {
  case CudaParameter::Kind::TensorMap:
    return checkRange("its tensor map", parameter.index, 0, int64_t(launch.tensorMaps.size()) - 1);
  case CudaParameter::Kind::Pointer:
    if (Status status = checkRange("its slot", parameter.index, 0, int64_t(step.slots.size()) - 1); !status.ok())
      return status;
    return checkRange("its offset", parameter.value, 0, image.slots[step.slots[parameter.index]].bytes);
  case CudaParameter::Kind::Integer32:
    return checkRange("its value", parameter.value, INT32_MIN, INT32_MAX);
  case CudaParameter::Kind::Workspace:
    return checkRange("its offset", parameter.value, 0, launch.scratchBytes);
  }
  return Status::invalidArgument("kind " + number(int(parameter.kind)) + " is unknown; known are 0 to 3");
}

int64_t byteSize(CudaParameter::Kind kind) {
  return kind == CudaParameter::Kind::TensorMap ? 128 : kind == CudaParameter::Kind::Integer32 ? 4 : 8;
}

} // namespace

bool isCudaIsa(std::string_view isa) {
  return isa.size() > 3 && isa.starts_with("sm_") && isa[3] >= '1' && isa[3] <= '9';
}

Status checkCudaLaunch(const ArtifactImage &image, const ArtifactStep &step) {
  const CudaLaunch &launch = *step.cuda;
  if (Status status =
          checkRange("its number of tiles", launch.tiles, 0, launch.persistent ? artifactMaxBytes : maxGrid);
      !status.ok())
    return status;
  if (Status status = checkRange("its blocks per multiprocessor", launch.blocksPerMultiprocessor, 1, 32); !status.ok())
    return status;
  if (launch.threads < 32 || launch.threads > 1024 || launch.threads % 32 != 0)
    return Status::invalidArgument("blocks of " + number(launch.threads) +
                                   " threads; valid are multiples of 32 up to 1024");
  if (Status status = checkRange("its shared memory", launch.sharedBytes, 0, maxSharedBytes); !status.ok())
    return status;
  if (Status status = checkRange("its scratch", launch.scratchBytes, 0, artifactMaxBytes); !status.ok())
    return status;
  if (step.scratchBytes != 0)
    return Status::invalidArgument("a CUDA dispatch has " + number(step.scratchBytes) +
                                   " bytes of scratch per CPU thread; its scratch belongs to the launch");
  for (size_t i = 0; i < launch.tensorMaps.size(); ++i)
    if (Status status = checkMap(image, step, launch.tensorMaps[i]); !status.ok())
      return status.within("tensor map " + number(i));
  int64_t bytes = 0;
  for (size_t i = 0; i < launch.parameters.size(); ++i) {
    if (Status status = checkParameter(image, step, launch.parameters[i]); !status.ok())
      return status.within("parameter " + number(i));
    bytes += byteSize(launch.parameters[i].kind);
  }
  return checkRange("the size of its parameters", bytes, 0, maxParameterBytes);
}

} // namespace orzo
