#include "Runtime/CUDA/DeviceState.h"

#include <array>

namespace orzo {

using cuda::CurrentContext;
using cuda::devicePointer;
using cuda::DriverTable;

Device::State::~State() {
  // Fails harmlessly where the driver has shut down before this process's statics.
  if (context)
    driver->primaryContextRelease(index);
}

namespace cuda {

CurrentContext::CurrentContext(const DeviceState &device) : driver(*device.driver) {
  ContextHandle current = nullptr;
  entered = driver.check(driver.contextGetCurrent(&current), "cuCtxGetCurrent");
  if (!entered.ok() || current == device.context)
    return;
  entered = driver.check(driver.contextPushCurrent(device.context), "cuCtxPushCurrent");
  pushed = entered.ok();
}

CurrentContext::~CurrentContext() {
  ContextHandle previous;
  if (pushed)
    driver.contextPopCurrent(&previous);
}

static Status describe(DeviceState &state) {
  const DriverTable &driver = *state.driver;
  std::array<char, 256> name = {};
  if (Status status = driver.check(driver.deviceGetName(name.data(), name.size() - 1, state.index), "cuDeviceGetName");
      !status.ok())
    return status;
  state.name = name.data();
  auto read = [&](int &value, int attribute) {
    return driver.check(driver.deviceGetAttribute(&value, attribute, state.index), "cuDeviceGetAttribute");
  };
  for (auto [value, attribute] : {std::pair(&state.major, attribute::computeCapabilityMajor),
                                  std::pair(&state.minor, attribute::computeCapabilityMinor),
                                  std::pair(&state.multiprocessors, attribute::multiprocessorCount),
                                  std::pair(&state.maxSharedBytes, attribute::maxSharedBytesOptIn)})
    if (Status status = read(*value, attribute); !status.ok())
      return status;
  state.architecture = "sm_" + std::to_string(state.major * 10 + state.minor);
  return {};
}

} // namespace cuda

Expected<Device> Device::open(int ordinal) {
  Expected<const DriverTable *> table = cuda::driver();
  if (!table)
    return table.status();
  const DriverTable &driver = **table;
  int count = 0;
  if (Status status = driver.check(driver.deviceGetCount(&count), "cuDeviceGetCount"); !status.ok())
    return status;
  if (ordinal < 0 || ordinal >= count)
    return Status::unavailable("there is no CUDA device " + std::to_string(ordinal) + "; this machine shows " +
                               std::to_string(count) + (count ? ", numbered from 0" : ""));
  auto state = std::make_shared<State>();
  state->driver = &driver;
  state->ordinal = ordinal;
  if (Status status = driver.check(driver.deviceGet(&state->index, ordinal), "cuDeviceGet"); !status.ok())
    return status;
  if (Status status = cuda::describe(*state); !status.ok())
    return status;
  if (Status status =
          driver.check(driver.primaryContextRetain(&state->context, state->index), "cuDevicePrimaryCtxRetain");
      !status.ok())
    return status;
  return Device(std::move(state));
}

Expected<Device> Device::current() {
  Expected<const DriverTable *> table = cuda::driver();
  if (!table)
    return table.status();
  const DriverTable &driver = **table;
  cuda::ContextHandle context = nullptr;
  if (Status status = driver.check(driver.contextGetCurrent(&context), "cuCtxGetCurrent"); !status.ok())
    return status;
  cuda::DeviceIndex index = 0;
  if (context)
    if (Status status = driver.check(driver.contextGetDevice(&index), "cuCtxGetDevice"); !status.ok())
      return status;
  // The driver's devices are numbered as its ordinals are.
  return open(index);
}

int Device::ordinal() const { return state->ordinal; }
const std::string &Device::name() const { return state->name; }
const std::string &Device::architecture() const { return state->architecture; }
int Device::multiprocessors() const { return state->multiprocessors; }
int Device::driverVersion() const { return state->driver->version; }

Expected<int64_t> Device::freeMemory() const {
  CurrentContext context(*state);
  if (!context.status().ok())
    return context.status();
  size_t free = 0, total = 0;
  if (Status status = state->driver->check(state->driver->memoryGetInfo(&free, &total), "cuMemGetInfo"); !status.ok())
    return status;
  return static_cast<int64_t>(free);
}

Status Device::upload(void *device, const void *host, int64_t bytes) const {
  CurrentContext context(*state);
  if (!context.status().ok() || bytes == 0)
    return context.status();
  return state->driver->check(state->driver->copyToDevice(devicePointer(device), host, bytes), "cuMemcpyHtoD");
}

Status Device::download(void *host, const void *device, int64_t bytes) const {
  CurrentContext context(*state);
  if (!context.status().ok() || bytes == 0)
    return context.status();
  return state->driver->check(state->driver->copyFromDevice(host, devicePointer(device), bytes), "cuMemcpyDtoH");
}

Status Device::fill(void *device, uint16_t pattern, int64_t count) const {
  CurrentContext context(*state);
  if (!context.status().ok() || count == 0)
    return context.status();
  const DriverTable &driver = *state->driver;
  if (Status status =
          driver.check(driver.fillHalves(devicePointer(device), pattern, count, nullptr), "cuMemsetD16Async");
      !status.ok())
    return status;
  return driver.check(driver.streamSynchronize(nullptr), "cuStreamSynchronize");
}

Status Device::synchronize(Stream stream) const {
  CurrentContext context(*state);
  if (!context.status().ok())
    return context.status();
  return state->driver->check(state->driver->streamSynchronize(static_cast<cuda::StreamHandle>(stream.handle)),
                              "cuStreamSynchronize");
}

Expected<DeviceMemory> DeviceMemory::allocate(const Device &device, int64_t bytes) {
  if (bytes < 0)
    return Status::invalidArgument("device memory of " + std::to_string(bytes) +
                                   " bytes; the size must not be negative");
  DeviceMemory result;
  result.device = device.shared();
  if (bytes == 0)
    return result;
  CurrentContext context(*result.device);
  if (!context.status().ok())
    return context.status();
  cuda::DevicePointer pointer = 0;
  const DriverTable &driver = *result.device->driver;
  if (Status status = driver.check(driver.memoryAllocate(&pointer, bytes), "cuMemAlloc"); !status.ok())
    return status.within(std::to_string(bytes) + " bytes on " + device.name());
  result.memory = {cuda::hostView(pointer), bytes};
  return result;
}

DeviceMemory::~DeviceMemory() {
  if (!memory.data)
    return;
  CurrentContext context(*device);
  if (context.status().ok())
    device->driver->memoryFree(devicePointer(memory.data));
}

} // namespace orzo
