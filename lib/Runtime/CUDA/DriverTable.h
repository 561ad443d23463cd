// DriverTable: the functions of NVIDIA's driver library that orzo calls, found at run time.
//
// libcuda.so.1 comes with the driver and is opened with dlopen: nothing is linked and no CUDA header is needed to
// build. The declarations below are orzo's own and cover only what it uses; names and numbers are those of the driver's
// ABI, which is stable across driver versions (a function that changed has a new symbol, "_v2").
#pragma once

#include "orzo/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace orzo::cuda {

using Result = int;
using DeviceIndex = int;
using DevicePointer = uint64_t;
using ContextHandle = struct ContextTag *;
using ModuleHandle = struct ModuleTag *;
using FunctionHandle = struct FunctionTag *;
using StreamHandle = struct StreamTag *;
using EventHandle = struct EventTag *;

/// What a kernel takes for a tensor map: opaque to the host.
struct alignas(64) TensorMap {
  unsigned char opaque[128];
};

namespace result {
inline constexpr Result success = 0, invalidValue = 1, outOfMemory = 2, notInitialized = 3, deinitialized = 4,
                        noDevice = 100, invalidDevice = 101, noBinaryForGpu = 209, invalidPtx = 218,
                        jitCompilerNotFound = 221, unsupportedPtxVersion = 222, jitDisabled = 223, notFound = 500,
                        driverMismatch = 803, compatNotSupported = 804;
} // namespace result

namespace attribute {
inline constexpr int multiprocessorCount = 16, computeCapabilityMajor = 75, computeCapabilityMinor = 76,
                     maxSharedBytesOptIn = 97;
inline constexpr int functionLocalBytes = 3, functionRegisters = 4, functionMaxDynamicSharedBytes = 8;
} // namespace attribute

namespace jit {
inline constexpr int errorLogBuffer = 5, errorLogBufferBytes = 6;
} // namespace jit

namespace tensormap {
inline constexpr int float16 = 6, float32 = 7, bfloat16 = 9;
inline constexpr int interleaveNone = 0, l2Promotion256 = 3, fillZero = 0;
} // namespace tensormap

inline constexpr unsigned streamNonBlocking = 1;

/// Every function returns success (0) or one of the driver's error numbers.
struct DriverTable {
  Result (*init)(unsigned flags);
  Result (*driverGetVersion)(int *version);
  Result (*getErrorName)(Result error, const char **text);
  Result (*getErrorString)(Result error, const char **text);

  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(DeviceIndex *device, int ordinal);
  Result (*deviceGetName)(char *name, int bytes, DeviceIndex device);
  Result (*deviceGetAttribute)(int *value, int attribute, DeviceIndex device);
  Result (*deviceTotalMem)(size_t *bytes, DeviceIndex device);

  Result (*primaryContextRetain)(ContextHandle *context, DeviceIndex device);
  Result (*primaryContextRelease)(DeviceIndex device);
  Result (*contextGetCurrent)(ContextHandle *context);
  Result (*contextPushCurrent)(ContextHandle context);
  Result (*contextPopCurrent)(ContextHandle *context);
  Result (*contextGetDevice)(DeviceIndex *device);

  Result (*memoryGetInfo)(size_t *free, size_t *total);
  Result (*memoryAllocate)(DevicePointer *pointer, size_t bytes);
  Result (*memoryFree)(DevicePointer pointer);
  Result (*copyToDevice)(DevicePointer target, const void *source, size_t bytes);
  Result (*copyFromDevice)(void *target, DevicePointer source, size_t bytes);
  Result (*copyOnDevice)(DevicePointer target, DevicePointer source, size_t bytes, StreamHandle stream);
  Result (*fillBytes)(DevicePointer target, unsigned char value, size_t count, StreamHandle stream);
  Result (*fillHalves)(DevicePointer target, unsigned short value, size_t count, StreamHandle stream);

  Result (*streamCreate)(StreamHandle *stream, unsigned flags);
  Result (*streamDestroy)(StreamHandle stream);
  Result (*streamSynchronize)(StreamHandle stream);
  Result (*eventCreate)(EventHandle *event, unsigned flags);
  Result (*eventDestroy)(EventHandle event);
  Result (*eventRecord)(EventHandle event, StreamHandle stream);
  Result (*eventSynchronize)(EventHandle event);
  Result (*eventElapsedTime)(float *milliseconds, EventHandle start, EventHandle end);

  Result (*moduleLoadDataEx)(ModuleHandle *module, const void *image, unsigned options, int *names, void **values);
  Result (*moduleUnload)(ModuleHandle module);
  Result (*moduleGetFunction)(FunctionHandle *function, ModuleHandle module, const char *name);
  Result (*functionSetAttribute)(FunctionHandle function, int attribute, int value);
  Result (*functionGetAttribute)(int *value, int attribute, FunctionHandle function);
  /// Drivers before 12.4 have none: null.
  Result (*functionGetParameter)(FunctionHandle function, size_t index, size_t *offset, size_t *bytes);

  Result (*launchKernel)(FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                         unsigned blockY, unsigned blockZ, unsigned sharedBytes, StreamHandle stream, void **parameters,
                         void **extra);
  Result (*encodeTiled)(TensorMap *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                        const uint64_t *byteStrides, const uint32_t *box, const uint32_t *elementStrides,
                        int interleave, int swizzle, int l2Promotion, int fill);
  Result (*encodeIm2col)(TensorMap *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                         const uint64_t *byteStrides, const int *lowerCorner, const int *upperCorner,
                         uint32_t channelsPerPixel, uint32_t pixelsPerColumn, const uint32_t *elementStrides,
                         int interleave, int swizzle, int l2Promotion, int fill);

  int version = 0; ///< Of the driver, as it counts: 13000 is 13.0.

  /// Success, or what `call` failed with: "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (invalid argument)", and what would
  /// work where that is known. No device, driver or memory is Unavailable; code the device cannot run is Unsupported;
  /// PTX that does not assemble is InvalidArgument; anything else is Internal.
  Status check(Result result, const char *call) const;
};

/// The process's table; libcuda.so.1 is opened and initialised on the first call. Unavailable: there is no driver, or
/// it finds no device; says which, and what to install. The answer is remembered.
Expected<const DriverTable *> driver();

} // namespace orzo::cuda
