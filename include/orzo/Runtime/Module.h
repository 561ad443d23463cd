// Module: an artifact loaded on this machine, ready to be bound and run.
#pragma once

#include "orzo/Runtime/Buffer.h"
#include "orzo/Runtime/Device.h"
#include "orzo/Spec/Layout.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orzo {

struct Artifact;
struct ArtifactImage;

/// A tensor that a call takes: what the caller must provide.
struct TensorBinding {
  std::string name;         ///< "x", "w", "y"; in a graph the number of the value in its text: "%0".
  std::optional<Role> role; ///< In a convolution; a graph's tensors have none.
  bool isResult = false;    ///< Written, never read before it is written.
  ElementType type = ElementType::Float;
  std::string layout;         ///< The dims' letters, outermost first, e.g. "nhc"; none in a graph.
  std::vector<int64_t> shape; ///< Extents in layout order, of a graph's tensor its elements.
  int64_t bytes = 0;          ///< Of the packed tensor.

  /// `buffer` as this tensor.
  BufferView view(Buffer buffer) const { return packedView(buffer, type, shape); }
};

/// Immutable; a handle whose copies share the loaded code, which lives as long as any of them or of its prepared calls.
/// Safe to use from several threads.
class Module {
public:
  /// Loads the artifact file in `bytes`, which may go away afterwards. `isa` chooses one of its images ("avx2",
  /// "avx512", "avx512_bf16", "sm_90a"); empty: the best this machine's CPU supports, and where the artifact has images
  /// for CUDA only, the one for this thread's current device (Device::current). PTX is assembled by the driver and kept
  /// in the cache directory.
  /// InvalidArgument: damaged, not an artifact, not loadable code, or a kernel is missing (named).
  /// Unsupported: another format version, or no image for this machine; names what the artifact and the machine have.
  /// Unavailable: the operating system refuses executable memory; no CUDA driver or device.
  static Expected<Module> load(std::span<const uint8_t> bytes, std::string_view isa = {});

  /// The same from a file. Unavailable when it cannot be read; errors begin with the path.
  static Expected<Module> loadFile(const std::string &path, std::string_view isa = {});

  /// Canonical text of the problem.
  const std::string &problem() const;
  /// ISA of the chosen image.
  const std::string &isa() const;
  /// In the order PreparedCall::bind takes them.
  const std::vector<TensorBinding> &bindings() const;
  /// Where calls run, and whose memory they take.
  DeviceKind deviceKind() const;
  /// The device of a CUDA module; none for a CPU.
  const std::optional<Device> &device() const;
  /// Bytes of workspace that a call on `threads` threads needs: slots, and every thread's scratch. On a CUDA device
  /// `threads` does not matter.
  int64_t workspaceBytes(int threads) const;

  /// For reports: everything the artifact says (Runtime/Core/Artifact.h). The chosen image's code is empty here, and so
  /// is every other's: the machine has its own copy.
  const Artifact &artifact() const;
  const ArtifactImage &image() const;

private:
  friend class PreparedCall;
  struct State;
  explicit Module(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state;
};

} // namespace orzo
