// Workspace: owned scratch memory for prepared calls.
#pragma once

#include "orzo/Runtime/Buffer.h"
#include "orzo/Support/Status.h"

#include <utility>

namespace orzo {

/// Memory aligned to 64 bytes, freed with the object; its contents are undefined. From 2 MiB on it is aligned to 2 MiB
/// and asks for huge pages.
class Workspace {
public:
  /// InvalidArgument for negative `bytes`; Unavailable, naming the size, when there is not so much memory. 0 bytes is
  /// an empty workspace.
  static Expected<Workspace> allocate(int64_t bytes);

  Workspace() = default;
  Workspace(Workspace &&other) noexcept : memory(std::exchange(other.memory, {})) {}
  Workspace &operator=(Workspace &&other) noexcept {
    std::swap(memory, other.memory);
    return *this;
  }
  ~Workspace();

  /// The memory; valid while the workspace lives.
  Buffer buffer() const { return memory; }

private:
  explicit Workspace(Buffer memory) : memory(memory) {}
  Buffer memory;
};

} // namespace orzo
