// Device: a CUDA device of this machine, and memory on it.
#pragma once

#include "orzo/Runtime/Buffer.h"
#include "orzo/Runtime/Stream.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace orzo {

/// Where a module's kernels run, and hence whose memory its calls take.
enum class DeviceKind : uint8_t { CPU, CUDA };

/// A handle: copies share the device's primary context, which the CUDA runtime library and PyTorch use as well.
class Device {
public:
  /// The CUDA device current on this thread (the choice of cudaSetDevice or torch.cuda.device), else the first.
  /// Unavailable where there is no driver, no device or no memory for a context.
  static Expected<Device> current();
  /// By number, from 0. Unavailable as above, or when there are fewer.
  static Expected<Device> open(int ordinal);

  int ordinal() const;
  const std::string &name() const;
  /// "sm_90".
  const std::string &architecture() const;
  int multiprocessors() const;
  /// As the driver counts: 13000 is 13.0.
  int driverVersion() const;
  Expected<int64_t> freeMemory() const;

  /// Copies between host and device memory; return when done.
  Status upload(void *device, const void *host, int64_t bytes) const;
  Status download(void *host, const void *device, int64_t bytes) const;
  /// `count` 16-bit words at `device` become `pattern`; returns when done.
  Status fill(void *device, uint16_t pattern, int64_t count) const;
  /// Returns when everything put on `stream` is done. Internal, naming the call, when any of it failed.
  Status synchronize(Stream stream) const;

  struct State;
  explicit Device(std::shared_ptr<const State> state) : state(std::move(state)) {}
  const std::shared_ptr<const State> &shared() const { return state; }

private:
  std::shared_ptr<const State> state;
};

/// Memory on a device, aligned to 256 bytes, contents undefined, freed with the object.
class DeviceMemory {
public:
  /// InvalidArgument for negative `bytes`; Unavailable, naming the size, when the device has not so much. 0 bytes is an
  /// empty buffer.
  static Expected<DeviceMemory> allocate(const Device &device, int64_t bytes);

  DeviceMemory() = default;
  DeviceMemory(DeviceMemory &&other) noexcept
      : device(std::move(other.device)), memory(std::exchange(other.memory, {})) {}
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    std::swap(device, other.device);
    std::swap(memory, other.memory);
    return *this;
  }
  ~DeviceMemory();

  /// The memory: an address on the device, not of this process.
  Buffer buffer() const { return memory; }

private:
  std::shared_ptr<const Device::State> device;
  Buffer memory;
};

} // namespace orzo
