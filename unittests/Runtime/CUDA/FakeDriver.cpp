#include "FakeDriver.h"
#include "Runtime/CUDA/DriverTable.h"
#include "orzo/Support/DataType.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <regex>
#include <vector>

using namespace orzo;
using namespace orzo::cuda;

namespace {

struct Function {
  std::string name;
  std::vector<size_t> parameterBytes;
};

struct Module {
  std::string ptx;
  std::deque<Function> functions;
};

struct Driver {
  std::string log;
  std::map<std::string, Result> failures;
  int devices = 1;
  int contextDepth = 0, contextToken = 0, launches = 0;
};

Driver &fake() {
  static Driver fake;
  return fake;
}

/// Logs the call where `line` is not empty, and says how it ends.
Result enter(const char *call, const std::string &line = {}) {
  if (!line.empty())
    fake().log += std::string(call) + " " + line + "\n";
  auto failure = fake().failures.find(call);
  return failure == fake().failures.end() ? result::success : failure->second;
}

ContextHandle theContext() { return reinterpret_cast<ContextHandle>(&fake().contextToken); }

std::vector<size_t> parametersOf(const std::string &ptx, const std::string &name) {
  std::vector<size_t> bytes;
  size_t begin = ptx.find(".entry " + name + "(");
  std::string list = ptx.substr(begin, ptx.find(')', begin) - begin);
  std::regex parameter(R"(\.param\s+(?:\.align\s+\d+\s+)?\.([a-z])(\d+)\s+\w+(?:\[(\d+)\])?)");
  for (std::sregex_iterator at(list.begin(), list.end(), parameter), end; at != end; ++at)
    bytes.push_back(std::stoul((*at)[2]) / 8 * ((*at)[3].matched ? std::stoul((*at)[3]) : 1));
  return bytes;
}

/// The address a parameter stands for: a pointer itself, or that of a tensor map.
uint16_t *address(const Function &function, void **parameters, int index) {
  uint16_t *result;
  std::memcpy(&result, parameters[index], sizeof result);
  return result;
}

void multiply(const Function &function, void **parameters) {
  uint16_t *x = address(function, parameters, 0), *w = address(function, parameters, 1),
           *y = address(function, parameters, 2);
  int32_t sizes[3];
  for (int i = 0; i < 3; ++i)
    std::memcpy(&sizes[i], parameters[3 + i], sizeof sizes[i]);
  auto [n, k, c] = sizes;
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < k; ++column) {
      float sum = 0;
      for (int i = 0; i < c; ++i)
        sum += fromBF16(x[row * c + i]) * fromBF16(w[column * c + i]);
      y[row * k + column] = toBF16(sum);
    }
  if (function.name.ends_with("overrun"))
    y[n * k] = 1;
  if (function.name.ends_with("underrun"))
    y[-1] = 1;
  if (function.name.ends_with("unsteady"))
    y[n * k - 1] ^= fake().launches & 1;
}

std::string listed(const auto *values, uint32_t count) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i)
    text += (i ? "," : "") + std::to_string(values[i]);
  return text;
}

} // namespace

extern "C" {

const char *fakeLog() { return fake().log.c_str(); }
void fakeReset() { fake() = Driver(); }
void fakeFail(const char *call, int result) { fake().failures[call] = result; }
void fakeDevices(int count) { fake().devices = count; }

Result cuInit(unsigned) { return enter("cuInit"); }
Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return enter("cuDriverGetVersion");
}
Result cuGetErrorName(Result error, const char **text) {
  *text = error == result::invalidValue ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR_FAKE";
  return result::success;
}
Result cuGetErrorString(Result, const char **text) {
  *text = "as the test wants it";
  return result::success;
}
Result cuDeviceGetCount(int *count) {
  *count = fake().devices;
  return enter("cuDeviceGetCount");
}
Result cuDeviceGet(DeviceIndex *device, int ordinal) {
  *device = ordinal;
  return enter("cuDeviceGet");
}
Result cuDeviceGetName(char *name, int bytes, DeviceIndex) {
  std::strncpy(name, "Imaginary H200", bytes);
  return enter("cuDeviceGetName");
}
Result cuDeviceGetAttribute(int *value, int attribute, DeviceIndex) {
  *value = attribute == attribute::multiprocessorCount      ? 132
           : attribute == attribute::computeCapabilityMajor ? 9
           : attribute == attribute::maxSharedBytesOptIn    ? 232448
                                                            : 0;
  return enter("cuDeviceGetAttribute");
}
Result cuDeviceTotalMem_v2(size_t *bytes, DeviceIndex) {
  *bytes = size_t(1) << 30;
  return enter("cuDeviceTotalMem");
}
Result cuDevicePrimaryCtxRetain(ContextHandle *context, DeviceIndex) {
  *context = theContext();
  return enter("cuDevicePrimaryCtxRetain");
}
Result cuDevicePrimaryCtxRelease_v2(DeviceIndex) { return enter("cuDevicePrimaryCtxRelease"); }
Result cuCtxGetCurrent(ContextHandle *context) {
  *context = fake().contextDepth ? theContext() : nullptr;
  return enter("cuCtxGetCurrent");
}
Result cuCtxPushCurrent_v2(ContextHandle) {
  ++fake().contextDepth;
  return enter("cuCtxPushCurrent");
}
Result cuCtxPopCurrent_v2(ContextHandle *context) {
  *context = theContext();
  --fake().contextDepth;
  return enter("cuCtxPopCurrent");
}
Result cuCtxGetDevice(DeviceIndex *device) {
  *device = 0;
  return enter("cuCtxGetDevice");
}
Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  *free = *total = size_t(1) << 30;
  return enter("cuMemGetInfo");
}
Result cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  if (Result failure = enter("cuMemAlloc", std::to_string(bytes)))
    return failure;
  *pointer = reinterpret_cast<DevicePointer>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return result::success;
}
Result cuMemFree_v2(DevicePointer pointer) {
  std::free(reinterpret_cast<void *>(pointer));
  return enter("cuMemFree");
}
Result cuMemcpyHtoD_v2(DevicePointer target, const void *source, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  return enter("cuMemcpyHtoD");
}
Result cuMemcpyDtoH_v2(void *target, DevicePointer source, size_t bytes) {
  std::memcpy(target, reinterpret_cast<void *>(source), bytes);
  return enter("cuMemcpyDtoH");
}
Result cuMemcpyDtoDAsync_v2(DevicePointer target, DevicePointer source, size_t bytes, StreamHandle) {
  if (Result failure = enter("cuMemcpyDtoDAsync", std::to_string(bytes)))
    return failure;
  std::memcpy(reinterpret_cast<void *>(target), reinterpret_cast<void *>(source), bytes);
  return result::success;
}
Result cuMemsetD8Async(DevicePointer target, unsigned char value, size_t count, StreamHandle) {
  if (Result failure = enter("cuMemsetD8Async", std::to_string(value) + " x " + std::to_string(count)))
    return failure;
  std::memset(reinterpret_cast<void *>(target), value, count);
  return result::success;
}
Result cuMemsetD16Async(DevicePointer target, unsigned short value, size_t count, StreamHandle) {
  std::fill_n(reinterpret_cast<uint16_t *>(target), count, value);
  return enter("cuMemsetD16Async");
}
Result cuStreamCreate(StreamHandle *stream, unsigned) {
  *stream = reinterpret_cast<StreamHandle>(new char);
  return enter("cuStreamCreate");
}
Result cuStreamDestroy_v2(StreamHandle stream) {
  delete reinterpret_cast<char *>(stream);
  return enter("cuStreamDestroy");
}
Result cuStreamSynchronize(StreamHandle) { return enter("cuStreamSynchronize"); }
Result cuEventCreate(EventHandle *event, unsigned) {
  *event = reinterpret_cast<EventHandle>(new char);
  return enter("cuEventCreate");
}
Result cuEventDestroy_v2(EventHandle event) {
  delete reinterpret_cast<char *>(event);
  return enter("cuEventDestroy");
}
Result cuEventRecord(EventHandle, StreamHandle) { return enter("cuEventRecord"); }
Result cuEventSynchronize(EventHandle) { return enter("cuEventSynchronize"); }
Result cuEventElapsedTime(float *milliseconds, EventHandle, EventHandle) {
  *milliseconds = 0.25f;
  return enter("cuEventElapsedTime");
}
Result cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned options, int *names, void **values) {
  if (Result failure = enter("cuModuleLoadDataEx", static_cast<const char *>(image))) {
    for (unsigned i = 0; i < options; ++i)
      if (names[i] == jit::errorLogBuffer && failure == result::invalidPtx)
        std::strcpy(static_cast<char *>(values[i]), "ptxas fatal: line 7");
    return failure;
  }
  *module = reinterpret_cast<ModuleHandle>(new Module{static_cast<const char *>(image), {}});
  return result::success;
}
Result cuModuleUnload(ModuleHandle module) {
  delete reinterpret_cast<Module *>(module);
  return enter("cuModuleUnload");
}
Result cuModuleGetFunction(FunctionHandle *function, ModuleHandle handle, const char *name) {
  auto &module = *reinterpret_cast<Module *>(handle);
  if (Result failure = enter("cuModuleGetFunction"))
    return failure;
  if (module.ptx.find(".entry " + std::string(name) + "(") == std::string::npos)
    return result::notFound;
  module.functions.push_back({name, parametersOf(module.ptx, name)});
  *function = reinterpret_cast<FunctionHandle>(&module.functions.back());
  return result::success;
}
Result cuFuncSetAttribute(FunctionHandle, int attribute, int value) {
  return enter("cuFuncSetAttribute", std::to_string(attribute) + " = " + std::to_string(value));
}
Result cuFuncGetAttribute(int *value, int, FunctionHandle) {
  *value = 168;
  return enter("cuFuncGetAttribute");
}
Result cuFuncGetParamInfo(FunctionHandle handle, size_t index, size_t *offset, size_t *bytes) {
  auto &function = *reinterpret_cast<Function *>(handle);
  if (index >= function.parameterBytes.size())
    return result::invalidValue;
  *offset = 0;
  *bytes = function.parameterBytes[index];
  return enter("cuFuncGetParamInfo");
}
Result cuLaunchKernel(FunctionHandle handle, unsigned gridX, unsigned, unsigned, unsigned blockX, unsigned, unsigned,
                      unsigned sharedBytes, StreamHandle stream, void **parameters, void **) {
  auto &function = *reinterpret_cast<Function *>(handle);
  ++fake().launches;
  if (Result failure = enter("cuLaunchKernel", function.name + " grid " + std::to_string(gridX) + " block " +
                                                   std::to_string(blockX) + " shared " + std::to_string(sharedBytes) +
                                                   (stream ? " on a stream" : " on the default stream")))
    return failure;
  if (function.name.starts_with("fake_matmul"))
    multiply(function, parameters);
  return result::success;
}

Result cuTensorMapEncodeTiled(TensorMap *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                              const uint64_t *byteStrides, const uint32_t *box, const uint32_t *elementStrides, int,
                              int swizzle, int, int) {
  std::memcpy(map, &address, sizeof address);
  return enter("cuTensorMapEncodeTiled", "type " + std::to_string(type) + " sizes " + listed(sizes, rank) +
                                             " strides " + listed(byteStrides, rank - 1) + " box " + listed(box, rank) +
                                             " every " + listed(elementStrides, rank) + " swizzle " +
                                             std::to_string(swizzle));
}
Result cuTensorMapEncodeIm2col(TensorMap *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                               const uint64_t *byteStrides, const int *lowerCorner, const int *upperCorner,
                               uint32_t channelsPerPixel, uint32_t pixelsPerColumn, const uint32_t *elementStrides, int,
                               int swizzle, int, int) {
  std::memcpy(map, &address, sizeof address);
  return enter("cuTensorMapEncodeIm2col", "type " + std::to_string(type) + " sizes " + listed(sizes, rank) +
                                              " strides " + listed(byteStrides, rank - 1) + " corners " +
                                              listed(lowerCorner, rank - 2) + " to " + listed(upperCorner, rank - 2) +
                                              " channels " + std::to_string(channelsPerPixel) + " pixels " +
                                              std::to_string(pixelsPerColumn) + " every " +
                                              listed(elementStrides, rank) + " swizzle " + std::to_string(swizzle));
}
}
