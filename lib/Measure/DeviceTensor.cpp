#include "Measure/DeviceTensor.h"

#include "Measure/Poison.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace orzo {

static constexpr int64_t zoneBytes = 64 << 10;

Expected<DeviceTensor> DeviceTensor::allocate(const Device &device, int64_t bytes) {
  assert(bytes % 2 == 0);
  int64_t total = bytes + 2 * zoneBytes;
  Expected<DeviceMemory> memory = DeviceMemory::allocate(device, total);
  if (!memory)
    return memory.status();
  if (Status status = device.fill(memory->buffer().data, poisonPattern, total / 2); !status.ok())
    return status;
  return DeviceTensor(device, memory.take(), bytes);
}

char *DeviceTensor::data() const { return static_cast<char *>(memory.buffer().data) + zoneBytes; }

Status DeviceTensor::poison() const { return device.fill(data(), poisonPattern, bytes / 2); }
Status DeviceTensor::upload(const void *host) const { return device.upload(data(), host, bytes); }
Status DeviceTensor::download(void *host) const { return device.download(host, data(), bytes); }

Expected<int64_t> DeviceTensor::checkZones() const {
  std::vector<uint16_t> zone(zoneBytes / 2);
  auto touched = [](uint16_t half) { return half != poisonPattern; };
  if (Status status = device.download(zone.data(), data() - zoneBytes, zoneBytes); !status.ok())
    return status;
  // Nearest to the data first: that is what a report should name.
  if (auto last = std::find_if(zone.rbegin(), zone.rend(), touched); last != zone.rend())
    return -2 * (last - zone.rbegin() + 1);
  if (Status status = device.download(zone.data(), data() + bytes, zoneBytes); !status.ok())
    return status;
  if (auto first = std::ranges::find_if(zone, touched); first != zone.end())
    // An empty tensor's 0 would read as intact.
    return std::max<int64_t>(1, bytes + 2 * (first - zone.begin()));
  return 0;
}

} // namespace orzo
