// Rules: what the tensor memory accelerator, shared memory and registers of sm_90a allow, one predicate a rule.
//
// Each failure is Unsupported and says the rule's number, what was got and the limit. The numbers are orzo's; the
// sources are the CUDA driver API reference (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col), the PTX ISA
// (cp.async.bulk.tensor, wgmma.mma_async, setmaxnreg) and the CUDA programming guide's table of compute
// capability 9.0.
//
//     T1  1 to 5 dims; im2col 3 to 5
//     T2  extents 1 to 2^32 elements
//     T3  byte strides multiples of 16, below 2^40
//     T4  the address a multiple of 16
//     T5  element strides 1 to 8
//     T6  boxes of 1 to 256 elements a dim
//     T7  with a 128-byte swizzle the innermost box dim spans at most 128 bytes
//     T8  im2col corners: 16, 8 or 5 bits a spatial dim for 1, 2 or 3 of them, in [-2^(b-1), 2^(b-1) - 1]
//     T9  im2col: 1 to 256 channels a pixel, 1 to 1024 pixels a column
//     T10 im2col offsets: the same bits, unsigned
//     G1  a gathered operand: its elements are numbered in 31 bits
//     S1  dynamic shared memory of a block at most 227 KiB
//     P1  kernel parameters at most 4 KiB: 31 maps and two pointers
//     W1  wgmma: n a multiple of 8 from 8 to 256
//     W2  accumulators of a thread: at most 192 of the 232 registers that setmaxnreg leaves a consumer; beside a
//         producer that gathers at most 128 of 200
#pragma once

#include "Runtime/Core/CudaLaunch.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <span>

namespace orzo::cuda {

inline constexpr int32_t sharedBytesPerBlock = 232448; ///< 227 KiB.
inline constexpr int32_t parameterBytes = 4096;
inline constexpr int32_t tensorMapBytes = 128;
inline constexpr int32_t parameterMaps = 31;    ///< That P1 allows, with two pointers beside them.
inline constexpr int32_t multiprocessors = 132; ///< Of an H200 or H100 SXM, for the cost model alone.

/// T1 to T9. `recipe.byteOffset` stands for the address: slots are aligned to 16 bytes or more.
Status checkTensorMap(const TensorMapRecipe &recipe);

/// T10: the largest offset ever added along one of `spatialDims` dims of an im2col map.
Status checkIm2colOffset(int spatialDims, int64_t offset);

/// The registers of a thread, after setmaxnreg: 168 to begin with, 504 for the three warpgroups together.
struct Registers {
  int producer, consumer;
};
constexpr Registers registersOf(bool gathers) { return gathers ? Registers{104, 200} : Registers{40, 232}; }

/// Whether the copy engine can reach a tensor by `recipe`, whatever the tile: T1 to T5, T8, and T10 for `reach`, the
/// largest offsets along its spatial dims, innermost first (none for tiled maps and stores). What breaks a rule is
/// loaded by a producer that gathers, or stored by predicate.
Status checkCopy(const TensorMapRecipe &recipe, std::span<const int64_t> reach);

/// G1. `recipe` describes the operand; it need not be a legal tensor map.
Status checkGather(const TensorMapRecipe &recipe);

/// S1 and P1, and every tensor map of the launch.
Status checkLaunch(const CudaLaunch &launch);

/// W1 and W2 for a consumer warpgroup of `blocks` blocks of 64 rows by `columns` columns; `gathers`: beside a producer
/// that gathers.
Status checkAccumulators(int blocks, int columns, bool gathers = false);

} // namespace orzo::cuda
