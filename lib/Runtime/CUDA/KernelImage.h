// KernelImage: an image's PTX, assembled by the driver and loaded on a device.
#pragma once

#include "Runtime/CUDA/DeviceState.h"
#include "Runtime/Core/Artifact.h"

#include <memory>
#include <utility>

namespace orzo::cuda {

/// Whether PTX for `isa` ("sm_90a", "sm_80") runs on a device of compute capability major.minor: an "a" needs exactly
/// that one, other PTX that one or a later one.
bool runsOn(std::string_view isa, int major, int minor);

class KernelImage {
public:
  /// Assembles `image`'s code - or the driver takes it from its own cache - and finds the kernel of each dispatch, in
  /// order of the steps (null for fills and copies). InvalidArgument: PTX that does not assemble (with the assembler's
  /// log), a kernel that is missing, or one whose parameters are not those of the launch. Unsupported: another
  /// architecture, or more shared memory than the device has. Unavailable: the driver cannot assemble or has no memory.
  static Expected<KernelImage> load(const Device &device, const ArtifactImage &image);

  KernelImage(KernelImage &&other) noexcept
      : device(std::move(other.device)), module(std::exchange(other.module, nullptr)),
        functions(std::move(other.functions)) {}
  KernelImage(const KernelImage &) = delete;
  ~KernelImage();

  const std::vector<FunctionHandle> &kernels() const { return functions; }
  const std::shared_ptr<const DeviceState> &on() const { return device; }

private:
  explicit KernelImage(std::shared_ptr<const DeviceState> device) : device(std::move(device)) {}
  Status loadCode(const ArtifactImage &image);
  Status findKernels(const ArtifactImage &image);

  std::shared_ptr<const DeviceState> device;
  ModuleHandle module = nullptr;
  std::vector<FunctionHandle> functions;
};

} // namespace orzo::cuda
