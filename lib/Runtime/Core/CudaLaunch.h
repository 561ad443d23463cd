// CudaLaunch: how one dispatch is launched on a CUDA device - grid, parameters, and the recipes of its tensor maps.
//
// A kernel image for "sm_90a" is PTX text. TMA descriptors (CUtensorMap) hold addresses, so the artifact carries
// recipes and the runtime encodes them when a call is bound to memory.
#pragma once

#include "orzo/Support/DataType.h"

#include <array>
#include <cstdint>
#include <vector>

namespace orzo {

/// The arguments of cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col. Dims are innermost first, as CUDA has them.
struct TensorMapRecipe {
  enum class Mode : uint8_t { Tiled, Im2col };
  enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };

  int32_t slot = 0;       ///< Index into the step's slots.
  int64_t byteOffset = 0; ///< Added to the slot's address; a multiple of 16.
  DataType type = DataType::BF16;
  Mode mode = Mode::Tiled;
  Swizzle swizzle = Swizzle::Bytes128;
  std::vector<int64_t> sizes;                        ///< Elements of each dim, 1 to 5 dims.
  std::vector<int64_t> byteStrides;                  ///< Of dims 1, 2, ...: one fewer than sizes; multiples of 16.
  std::vector<int32_t> elementStrides;               ///< One per dim, 1 to 8.
  std::vector<int32_t> box;                          ///< Tiled: elements of a box per dim, at most 256.
  std::vector<int32_t> lowerCorner, upperCorner;     ///< Im2col: one per spatial dim, innermost first.
  int32_t channelsPerPixel = 0, pixelsPerColumn = 0; ///< Im2col.
  bool operator==(const TensorMapRecipe &) const = default;
};

/// One kernel parameter, in order.
struct CudaParameter {
  enum class Kind : uint8_t {
    TensorMap, ///< 128 bytes by value, the map of recipe `index`.
    Pointer,   ///< Address of slot `index` plus `value` bytes.
    Integer32, ///< `value`.
    Workspace  ///< Address of the step's scratch plus `value` bytes.
  } kind = Kind::Pointer;
  int32_t index = 0;
  int64_t value = 0;
  bool operator==(const CudaParameter &) const = default;
};

struct CudaLaunch {
  /// Work tiles. A persistent kernel is launched with min(tiles, multiprocessors * blocksPerMultiprocessor) blocks,
  /// others with one block a tile. No tiles: no launch.
  int64_t tiles = 0;
  bool persistent = true;
  int32_t blocksPerMultiprocessor = 1;
  int32_t threads = 384;    ///< Of a block.
  int32_t sharedBytes = 0;  ///< Dynamic shared memory; the runtime raises the function's limit to it.
  int64_t scratchBytes = 0; ///< Workspace for partial sums, shared by all blocks; 256-byte aligned.
  std::vector<TensorMapRecipe> tensorMaps;
  std::vector<CudaParameter> parameters;
  bool operator==(const CudaLaunch &) const = default;
};

} // namespace orzo
