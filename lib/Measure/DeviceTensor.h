// DeviceTensor: memory of a CUDA device between two guard zones.
//
//     | zone: poison ... |  data  | zone: poison ... |      zones of 64 KiB; data at a multiple of 256 bytes
//
// A device has no guard pages within an allocation: a stray read finds NaN, and a stray write is found by checkZones()
// afterwards. Writes that miss the zones too are compute-sanitizer's to find.
#pragma once

#include "orzo/Runtime/Device.h"

#include <cstdint>

namespace orzo {

class DeviceTensor {
public:
  /// `bytes` bytes (an even number, 0 allowed) on `device`, all poison. Unavailable when the device has no memory.
  static Expected<DeviceTensor> allocate(const Device &device, int64_t bytes);

  Buffer buffer() const { return {data(), bytes}; }

  /// Fills the data, not the zones, with the poison pattern.
  Status poison() const;
  Status upload(const void *host) const;
  Status download(void *host) const;
  /// Where a zone was first overwritten, in bytes from the data's beginning (negative before it); 0 when both are
  /// intact. Work on the device must be done.
  Expected<int64_t> checkZones() const;

private:
  DeviceTensor(Device device, DeviceMemory memory, int64_t bytes)
      : device(std::move(device)), memory(std::move(memory)), bytes(bytes) {}
  char *data() const;

  Device device;
  DeviceMemory memory;
  int64_t bytes;
};

} // namespace orzo
