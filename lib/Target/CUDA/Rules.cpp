#include "Target/CUDA/Rules.h"

namespace orzo::cuda {

static Status broken(const char *rule, const std::string &what, int64_t got, const std::string &limit) {
  return Status::unsupported(std::string(rule) + ": " + what + " is " + std::to_string(got) + "; " + limit);
}

static int cornerBits(int spatialDims) { return spatialDims == 1 ? 16 : spatialDims == 2 ? 8 : 5; }

Status checkIm2colOffset(int spatialDims, int64_t offset) {
  int64_t limit = (int64_t(1) << cornerBits(spatialDims)) - 1;
  if (offset < 0 || offset > limit)
    return broken("T10", "an im2col offset", offset, "0 to " + std::to_string(limit) + " work");
  return Status::success();
}

static Status checkBox(const TensorMapRecipe &recipe) {
  for (int32_t extent : recipe.box)
    if (extent < 1 || extent > 256)
      return broken("T6", "a box extent", extent, "1 to 256 work");
  return Status::success();
}

static Status checkIm2col(const TensorMapRecipe &recipe, int rank) {
  int64_t half = int64_t(1) << (cornerBits(rank - 2) - 1);
  for (const std::vector<int32_t> *corners : {&recipe.lowerCorner, &recipe.upperCorner})
    for (int32_t corner : *corners)
      if (corner < -half || corner >= half)
        return broken("T8", "an im2col corner", corner,
                      std::to_string(-half) + " to " + std::to_string(half - 1) + " work");
  if (recipe.channelsPerPixel < 1 || recipe.channelsPerPixel > 256)
    return broken("T9", "the channels of a pixel", recipe.channelsPerPixel, "1 to 256 work");
  if (recipe.pixelsPerColumn < 1 || recipe.pixelsPerColumn > 1024)
    return broken("T9", "the pixels of a column", recipe.pixelsPerColumn, "1 to 1024 work");
  return Status::success();
}

Status checkTensorMap(const TensorMapRecipe &recipe) {
  bool isTiled = recipe.mode == TensorMapRecipe::Mode::Tiled;
  auto rank = static_cast<int>(recipe.sizes.size());
  if (rank < (isTiled ? 1 : 3) || rank > 5)
    return broken("T1", "the rank of a tensor map", rank, isTiled ? "1 to 5 work" : "3 to 5 work with im2col");
  for (int64_t size : recipe.sizes)
    if (size < 1 || size > int64_t(1) << 32)
      return broken("T2", "an extent of a tensor map", size, "1 to 2^32 work");
  for (int64_t stride : recipe.byteStrides)
    if (stride <= 0 || stride % 16 != 0 || stride >= int64_t(1) << 40)
      return broken("T3", "a byte stride of a tensor map", stride,
                    "multiples of 16 work: channel counts that are multiples of 8");
  if (recipe.byteOffset % 16 != 0)
    return broken("T4", "the byte offset of a tensor map", recipe.byteOffset, "multiples of 16 work");
  for (int32_t stride : recipe.elementStrides)
    if (stride < 1 || stride > 8)
      return broken("T5", "an element stride of a tensor map", stride, "1 to 8 work");
  int32_t inner = isTiled ? (recipe.box.empty() ? 0 : recipe.box.front()) : recipe.channelsPerPixel;
  if (recipe.swizzle == TensorMapRecipe::Swizzle::Bytes128 && inner * int64_t(byteSize(recipe.type)) > 128)
    return broken("T7", "the innermost box extent", inner, "at most 128 bytes work");
  return isTiled ? checkBox(recipe) : checkIm2col(recipe, rank);
}

Status checkCopy(const TensorMapRecipe &recipe, std::span<const int64_t> reach) {
  TensorMapRecipe boxed = recipe;
  if (recipe.mode == TensorMapRecipe::Mode::Tiled)
    boxed.box.assign(recipe.sizes.size(), 1);
  else
    boxed.channelsPerPixel = boxed.pixelsPerColumn = 1;
  if (Status status = checkTensorMap(boxed); !status.ok())
    return status;
  for (int64_t offset : reach)
    if (Status status = checkIm2colOffset(static_cast<int>(reach.size()), offset); !status.ok())
      return status;
  return Status::success();
}

Status checkGather(const TensorMapRecipe &recipe) {
  auto bytes = static_cast<int64_t>(byteSize(recipe.type));
  int64_t last = recipe.byteOffset / bytes + recipe.sizes.front() - 1;
  for (size_t dim = 1; dim < recipe.sizes.size(); ++dim)
    last += (recipe.sizes[dim] - 1) * (recipe.byteStrides[dim - 1] / bytes);
  if (last >= int64_t(1) << 31)
    return broken("G1", "the last element of a gathered operand", last, "less than 2^31 works");
  return Status::success();
}

Status checkLaunch(const CudaLaunch &launch) {
  if (launch.sharedBytes > sharedBytesPerBlock)
    return broken("S1", "shared memory", launch.sharedBytes, std::to_string(sharedBytesPerBlock) + " bytes work");
  int64_t bytes = 0;
  for (const CudaParameter &parameter : launch.parameters)
    bytes += parameter.kind == CudaParameter::Kind::TensorMap ? tensorMapBytes : 8;
  if (bytes > parameterBytes)
    return broken("P1", "the size of the kernel's parameters", bytes, std::to_string(parameterBytes) + " bytes work");
  for (const TensorMapRecipe &recipe : launch.tensorMaps)
    if (Status status = checkTensorMap(recipe); !status.ok())
      return status;
  return Status::success();
}

Status checkAccumulators(int blocks, int columns, bool gathers) {
  if (columns < 8 || columns > 256 || columns % 8 != 0)
    return broken("W1", "n of a wgmma", columns, "multiples of 8 from 8 to 256 work");
  int most = gathers ? 128 : 192;
  if (blocks * columns / 2 > most)
    return broken("W2", "the number of accumulators of a thread", int64_t(blocks) * columns / 2,
                  "at most " + std::to_string(most) + " work" + (gathers ? " beside a producer that gathers" : ""));
  return Status::success();
}

} // namespace orzo::cuda
