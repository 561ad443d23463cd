// Program: the steps of a CUDA image, bound to memory of a device.
#pragma once

#include "Runtime/CUDA/KernelImage.h"
#include "orzo/Runtime/Stream.h"

#include <span>
#include <variant>

namespace orzo::cuda {

/// What tensors and workspace of a call are aligned to, in bytes: the driver's tensor maps begin at multiples of 16.
inline constexpr int64_t tensorAlignment = 16, workspaceAlignment = 256;

/// Bytes of workspace: slots, then the scratch of the dispatch that needs most (steps run one after another).
int64_t workspaceBytes(const ArtifactImage &image);

class Program {
public:
  /// `image` is of a checked artifact and `kernels` was loaded from it; `bindings` are addresses on the device at
  /// multiples of 16, `workspace` has workspaceBytes() at a multiple of 256. `image` is not kept. Unsupported: a copy
  /// that is not of one contiguous piece. Internal: the driver refuses a tensor map.
  static Expected<Program> bind(const ArtifactImage &image, std::shared_ptr<const KernelImage> kernels,
                                std::span<void *const> bindings, void *workspace);

  /// Puts the steps on `stream` and returns. Allocates nothing, waits for nothing: it may be captured into a graph.
  Status run(Stream stream) const;

private:
  struct Dispatch {
    std::string name;
    FunctionHandle function;
    unsigned blocks, threads, sharedBytes;
    std::vector<void *> parameters; ///< Into `maps` and `words`.
    std::unique_ptr<TensorMap[]> maps;
    std::unique_ptr<int64_t[]> words;
  };
  struct Fill {
    std::string name;
    DevicePointer target;
    uint8_t byte;
    size_t bytes;
  };
  struct Copy {
    std::string name;
    DevicePointer source, target;
    size_t bytes;
  };
  using Step = std::variant<Dispatch, Fill, Copy>;

  explicit Program(std::shared_ptr<const KernelImage> kernels) : kernels(std::move(kernels)) {}
  static Expected<Dispatch> bindDispatch(const DeviceState &device, const ArtifactStep &step, FunctionHandle function,
                                         std::span<const DevicePointer> slots, DevicePointer scratch);
  static Expected<Copy> bindCopy(const ArtifactStep &step, DevicePointer source, DevicePointer target);
  Status run(const Step &step, StreamHandle stream) const;

  std::shared_ptr<const KernelImage> kernels;
  std::vector<Step> steps;
};

} // namespace orzo::cuda
