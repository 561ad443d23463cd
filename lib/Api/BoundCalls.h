// BoundCalls: calls of one module that are bound to memory already, found again by the memory.
//
// Binding checks and prepares; it allocates. A program that executes a graph again and again mostly uses the same few
// sets of buffers, so a call stays bound when it is done, and the next execution with the same addresses takes it. Two
// threads that use the same buffers at the same time would get two calls (and undefined outputs); with buffers of their
// own each has its own.
#pragma once

#include "orzo/Runtime/PreparedCall.h"
#include "orzo/Runtime/Workspace.h"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace orzo::graph {

/// What a call is bound to: the buffers in the order of the module's bindings, the workspace, the pool.
struct BoundMemory {
  static constexpr size_t maxTensors = 16;
  std::array<void *, maxTensors> tensors = {};
  void *workspace = nullptr; ///< Null: the call's own.
  const void *pool = nullptr;
  bool operator==(const BoundMemory &) const = default;
};

class BoundCalls {
public:
  struct Call {
    BoundMemory memory;
    Workspace workspace; ///< Its own, where the caller gave none.
    std::optional<PreparedCall> prepared;
    std::shared_ptr<const void> pool; ///< Keeps memory.pool from being another handle's address later.
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
