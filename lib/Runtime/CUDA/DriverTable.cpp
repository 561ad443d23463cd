#include "Runtime/CUDA/DriverTable.h"

#include <dlfcn.h>

namespace orzo::cuda {
namespace {

constexpr const char *libraryName = "libcuda.so.1";

/// Finds symbols one after another and remembers the first that is missing.
struct SymbolReader {
  void *library;
  std::string missing;

  template <typename Function> void read(Function *&slot, const char *symbol) {
    slot = reinterpret_cast<Function *>(dlsym(library, symbol));
    if (!slot && missing.empty())
      missing = symbol;
  }
  template <typename Function> void readOptional(Function *&slot, const char *symbol) {
    slot = reinterpret_cast<Function *>(dlsym(library, symbol));
  }
};

std::string readSymbols(void *library, DriverTable &table) {
  SymbolReader reader{library, {}};
  reader.read(table.init, "cuInit");
  reader.read(table.driverGetVersion, "cuDriverGetVersion");
  reader.read(table.getErrorName, "cuGetErrorName");
  reader.read(table.getErrorString, "cuGetErrorString");
  reader.read(table.deviceGetCount, "cuDeviceGetCount");
  reader.read(table.deviceGet, "cuDeviceGet");
  reader.read(table.deviceGetName, "cuDeviceGetName");
  reader.read(table.deviceGetAttribute, "cuDeviceGetAttribute");
  reader.read(table.deviceTotalMem, "cuDeviceTotalMem_v2");
  reader.read(table.primaryContextRetain, "cuDevicePrimaryCtxRetain");
  reader.read(table.primaryContextRelease, "cuDevicePrimaryCtxRelease_v2");
  reader.read(table.contextGetCurrent, "cuCtxGetCurrent");
  reader.read(table.contextPushCurrent, "cuCtxPushCurrent_v2");
  reader.read(table.contextPopCurrent, "cuCtxPopCurrent_v2");
  reader.read(table.contextGetDevice, "cuCtxGetDevice");
  reader.read(table.memoryGetInfo, "cuMemGetInfo_v2");
  reader.read(table.memoryAllocate, "cuMemAlloc_v2");
  reader.read(table.memoryFree, "cuMemFree_v2");
  reader.read(table.copyToDevice, "cuMemcpyHtoD_v2");
  reader.read(table.copyFromDevice, "cuMemcpyDtoH_v2");
  reader.read(table.copyOnDevice, "cuMemcpyDtoDAsync_v2");
  reader.read(table.fillBytes, "cuMemsetD8Async");
  reader.read(table.fillHalves, "cuMemsetD16Async");
  reader.read(table.streamCreate, "cuStreamCreate");
  reader.read(table.streamDestroy, "cuStreamDestroy_v2");
  reader.read(table.streamSynchronize, "cuStreamSynchronize");
  reader.read(table.eventCreate, "cuEventCreate");
  reader.read(table.eventDestroy, "cuEventDestroy_v2");
  reader.read(table.eventRecord, "cuEventRecord");
  reader.read(table.eventSynchronize, "cuEventSynchronize");
  reader.read(table.eventElapsedTime, "cuEventElapsedTime");
  reader.read(table.moduleLoadDataEx, "cuModuleLoadDataEx");
  reader.read(table.moduleUnload, "cuModuleUnload");
  reader.read(table.moduleGetFunction, "cuModuleGetFunction");
  reader.read(table.functionSetAttribute, "cuFuncSetAttribute");
  reader.read(table.functionGetAttribute, "cuFuncGetAttribute");
  reader.readOptional(table.functionGetParameter, "cuFuncGetParamInfo");
  reader.read(table.launchKernel, "cuLaunchKernel");
  reader.read(table.encodeTiled, "cuTensorMapEncodeTiled");
  reader.read(table.encodeIm2col, "cuTensorMapEncodeIm2col");
  return reader.missing;
}

StatusCode codeOf(Result result) {
  switch (result) {
  case result::outOfMemory:
  case result::notInitialized:
  case result::deinitialized:
  case result::noDevice:
  case result::invalidDevice:
  case result::jitCompilerNotFound:
  case result::jitDisabled:
  case result::driverMismatch:
  case result::compatNotSupported:
    return StatusCode::Unavailable;
  case result::noBinaryForGpu:
  case result::unsupportedPtxVersion:
    return StatusCode::Unsupported;
  case result::invalidPtx:
  case result::notFound:
    return StatusCode::InvalidArgument;
  default:
    return StatusCode::Internal;
  }
}

/// What would work.
const char *adviceOn(Result result) {
  switch (result) {
  case result::outOfMemory:
    return "; free device memory, or take a smaller problem";
  case result::noDevice:
    return "; an NVIDIA device must be visible (see nvidia-smi and CUDA_VISIBLE_DEVICES)";
  case result::noBinaryForGpu:
    return "; compile for this device's architecture (--target=cuda:sm_90a is for H100 and H200)";
  case result::unsupportedPtxVersion:
    return "; a newer driver understands this PTX";
  case result::jitCompilerNotFound:
    return "; libnvidia-ptxjitcompiler.so.1 of the driver must be installed";
  case result::jitDisabled:
    return "; unset CUDA_DISABLE_PTX_JIT";
  case result::driverMismatch:
    return "; the driver library and the kernel module must be of one version (after an update: reboot)";
  default:
    return "";
  }
}

/// Table or reason; lives as long as the process, as the library does.
struct Loaded {
  DriverTable table;
  Status status;
};

Loaded load() {
  Loaded loaded{};
  void *library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    loaded.status = Status::unavailable(std::string("no CUDA driver: ") + (reason ? reason : libraryName) +
                                        "; CUDA images run where NVIDIA's driver is installed, CPU images anywhere");
    return loaded;
  }
  if (std::string missing = readSymbols(library, loaded.table); !missing.empty()) {
    loaded.status = Status::unavailable(std::string("the CUDA driver is too old: ") + libraryName + " has no " +
                                        missing + "; orzo needs a driver for CUDA 12.0 or newer");
    return loaded;
  }
  loaded.status = loaded.table.check(loaded.table.init(0), "cuInit");
  if (loaded.status.ok())
    loaded.status = loaded.table.check(loaded.table.driverGetVersion(&loaded.table.version), "cuDriverGetVersion");
  return loaded;
}

} // namespace

Status DriverTable::check(Result result, const char *call) const {
  if (result == result::success)
    return {};
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != result::success || !name)
    name = "an unknown error";
  if (getErrorString(result, &text) != result::success || !text)
    text = "no description";
  return Status(codeOf(result), std::string(call) + ": " + name + ", error " + std::to_string(result) + " (" + text +
                                    ")" + adviceOn(result));
}

Expected<const DriverTable *> driver() {
  static const Loaded loaded = load();
  if (!loaded.status.ok())
    return loaded.status;
  return &loaded.table;
}

} // namespace orzo::cuda
