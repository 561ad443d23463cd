// BoundCalls: calls of one module that are bound to memory already, found again by the memory.
//
// Binding checks and prepares; it allocates. A program that executes a graph again and again mostly uses the same few
// sets of buffers, so a call stays bound when it is done, and the next execution with the same addresses takes it. Two
// threads that use the same buffers at the same time would get two calls (and undefined outputs); with buffers of their
// own each has its own.
#pragma once

#include "orzo/Runtime/PreparedCall.h"
#include "orzo/Runtime/Workspace.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace orzo::graph {

/// What a call is bound to: the buffers in the order of the module's bindings, the workspace, and whose threads or
/// device it runs on (an address that stands for them).
struct BoundMemory {
  std::span<void *const> tensors;
  void *workspace = nullptr; ///< Null: the call's own.
  const void *owner = nullptr;
};

class BoundCalls {
public:
  struct Call {
    explicit Call(const BoundMemory &memory)
        : tensors(memory.tensors.begin(), memory.tensors.end()), workspace(memory.workspace), owner(memory.owner) {}
    std::vector<void *> tensors;
    void *workspace;
    const void *owner;
    Workspace ownWorkspace; ///< Where the caller gave none.
    DeviceMemory ownDeviceWorkspace;
    std::optional<PreparedCall> prepared;
    std::shared_ptr<const void> keptOwner; ///< Keeps `owner` from being another handle's address later.
    bool isRunning = false;
    uint64_t lastUse = 0;
  };

  /// A call bound to `memory` that is not running, marked as running; null where there is none. Allocates nothing.
  Call *take(const BoundMemory &memory);

  /// Keeps a new call, marked as running; the longest unused beyond `limit` go.
  Call *keep(std::unique_ptr<Call> call);

  /// Marks a call as not running.
  void release(Call *call);

private:
  static constexpr size_t limit = 64;
  std::mutex mutex;
  std::vector<std::unique_ptr<Call>> calls;
  uint64_t clock = 0;
};

} // namespace orzo::graph
