#include "orzo/Runtime/Stream.h"
#include "Runtime/CUDA/DeviceState.h"
#include "orzo/Runtime/Device.h"

namespace orzo {

using cuda::CurrentContext;
using cuda::DriverTable;

struct OwnedStream::State {
  std::shared_ptr<const Device::State> device;
  cuda::StreamHandle handle = nullptr;

  ~State() {
    CurrentContext context(*device);
    if (handle && context.status().ok())
      device->driver->streamDestroy(handle);
  }
};

Expected<OwnedStream> OwnedStream::create(const Device &device) {
  auto state = std::make_shared<State>();
  state->device = device.shared();
  CurrentContext context(*state->device);
  if (!context.status().ok())
    return context.status();
  const DriverTable &driver = *state->device->driver;
  if (Status status = driver.check(driver.streamCreate(&state->handle, cuda::streamNonBlocking), "cuStreamCreate");
      !status.ok())
    return status;
  return OwnedStream(std::move(state));
}

Stream OwnedStream::stream() const { return {state->handle}; }

Status OwnedStream::synchronize() const { return Device(state->device).synchronize(stream()); }

struct StreamTimer::State {
  std::shared_ptr<const Device::State> device;
  cuda::EventHandle begin = nullptr, end = nullptr;

  ~State() {
    CurrentContext context(*device);
    if (!context.status().ok())
      return;
    for (cuda::EventHandle event : {begin, end})
      if (event)
        device->driver->eventDestroy(event);
  }

  Status record(cuda::EventHandle event, Stream stream) const {
    CurrentContext context(*device);
    if (!context.status().ok())
      return context.status();
    return device->driver->check(device->driver->eventRecord(event, static_cast<cuda::StreamHandle>(stream.handle)),
                                 "cuEventRecord");
  }
};

Expected<StreamTimer> StreamTimer::create(const Device &device) {
  auto state = std::make_shared<State>();
  state->device = device.shared();
  CurrentContext context(*state->device);
  if (!context.status().ok())
    return context.status();
  const DriverTable &driver = *state->device->driver;
  for (cuda::EventHandle *event : {&state->begin, &state->end})
    if (Status status = driver.check(driver.eventCreate(event, 0), "cuEventCreate"); !status.ok())
      return status;
  return StreamTimer(std::move(state));
}

Status StreamTimer::start(Stream stream) const { return state->record(state->begin, stream); }
Status StreamTimer::stop(Stream stream) const { return state->record(state->end, stream); }

Expected<int64_t> StreamTimer::nanoseconds() const {
  CurrentContext context(*state->device);
  if (!context.status().ok())
    return context.status();
  const DriverTable &driver = *state->device->driver;
  if (Status status = driver.check(driver.eventSynchronize(state->end), "cuEventSynchronize"); !status.ok())
    return status;
  float milliseconds = 0;
  if (Status status =
          driver.check(driver.eventElapsedTime(&milliseconds, state->begin, state->end), "cuEventElapsedTime");
      !status.ok())
    return status;
  return static_cast<int64_t>(double(milliseconds) * 1e6);
}

} // namespace orzo
