#include "Runtime/CUDA/TensorMaps.h"

#include <vector>

namespace orzo::cuda {

static int typeOf(DataType type) {
  switch (type) {
  case DataType::BF16:
    return tensormap::bfloat16;
  case DataType::F16:
    return tensormap::float16;
  case DataType::F32:
    break;
  }
  return tensormap::float32;
}

Expected<TensorMap> encode(const DriverTable &driver, const TensorMapRecipe &recipe, DevicePointer slot) {
  std::vector<uint64_t> sizes(recipe.sizes.begin(), recipe.sizes.end());
  std::vector<uint64_t> strides(recipe.byteStrides.begin(), recipe.byteStrides.end());
  std::vector<uint32_t> elementStrides(recipe.elementStrides.begin(), recipe.elementStrides.end());
  auto *address = reinterpret_cast<void *>(slot + recipe.byteOffset);
  auto rank = static_cast<uint32_t>(sizes.size());
  // The enumeration is in the driver's order.
  int type = typeOf(recipe.type), swizzle = static_cast<int>(recipe.swizzle);
  TensorMap map = {};
  if (recipe.mode == TensorMapRecipe::Mode::Im2col) {
    Result result = driver.encodeIm2col(&map, type, rank, address, sizes.data(), strides.data(),
                                        recipe.lowerCorner.data(), recipe.upperCorner.data(), recipe.channelsPerPixel,
                                        recipe.pixelsPerColumn, elementStrides.data(), tensormap::interleaveNone,
                                        swizzle, tensormap::l2Promotion256, tensormap::fillZero);
    if (Status status = driver.check(result, "cuTensorMapEncodeIm2col"); !status.ok())
      return status;
    return map;
  }
  std::vector<uint32_t> box(recipe.box.begin(), recipe.box.end());
  Result result =
      driver.encodeTiled(&map, type, rank, address, sizes.data(), strides.data(), box.data(), elementStrides.data(),
                         tensormap::interleaveNone, swizzle, tensormap::l2Promotion256, tensormap::fillZero);
  if (Status status = driver.check(result, "cuTensorMapEncodeTiled"); !status.ok())
    return status;
  return map;
}

} // namespace orzo::cuda
