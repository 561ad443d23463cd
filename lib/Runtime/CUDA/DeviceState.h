// DeviceState: what the handles of a device share, and making it current.
#pragma once

#include "Runtime/CUDA/DriverTable.h"
#include "orzo/Runtime/Device.h"

namespace orzo {

struct Device::State {
  const cuda::DriverTable *driver = nullptr;
  int ordinal = 0;
  cuda::DeviceIndex index = 0;
  cuda::ContextHandle context = nullptr; ///< Retained; released with the state.
  std::string name, architecture;
  int major = 0, minor = 0, multiprocessors = 0, maxSharedBytes = 0;

  State() = default;
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State();
};

namespace cuda {

using DeviceState = Device::State;

/// Makes the device's context current on this thread as long as it lives; costs one look where it is already.
class CurrentContext {
public:
  explicit CurrentContext(const DeviceState &device);
  CurrentContext(const CurrentContext &) = delete;
  ~CurrentContext();

  /// Whether it could be made current; call no other function of the driver if not.
  const Status &status() const { return entered; }

private:
  const DriverTable &driver;
  bool pushed = false;
  Status entered;
};

inline DevicePointer devicePointer(const void *pointer) { return reinterpret_cast<DevicePointer>(pointer); }
inline void *hostView(DevicePointer pointer) { return reinterpret_cast<void *>(pointer); }

} // namespace cuda
} // namespace orzo
