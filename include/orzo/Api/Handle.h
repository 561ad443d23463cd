// Handle: where graphs are compiled for and run: a backend, its threads, the cache of compiled problems.
#pragma once

#include "orzo/Support/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace orzo::graph {

using orzo::Expected;
using orzo::Status;
using orzo::StatusCode;

enum class Backend : uint8_t { CPU };

struct HandleOptions {
  int threads = 0; ///< 0: every core of this machine.
  /// "cpu", or instruction-set levels to compile for: "cpu:avx2,avx512".
  std::string target = "cpu";
  /// Not given: ORZO_CACHE_DIR, else ~/.cache/orzo. Processes may share it.
  std::optional<std::string> cacheDirectory;
  bool useCache = true;
};

/// Movable, not copyable. Graphs and buffers made with a handle may outlive it. Safe to use from several threads.
class Handle {
public:
  /// InvalidArgument for options that make no sense; Unavailable when the threads cannot be had.
  static Expected<Handle> create(Backend backend, const HandleOptions &options = {});

  Handle(Handle &&) noexcept = default;
  Handle &operator=(Handle &&) noexcept = default;

  /// False after the handle was moved from; nothing can be done with it then but to assign.
  bool isValid() const { return state != nullptr; }
  int threads() const;
  const HandleOptions &options() const;

private:
  friend class Graph;
  struct State;
  explicit Handle(std::shared_ptr<const State> state) : state(std::move(state)) {}
  std::shared_ptr<const State> state;
};

} // namespace orzo::graph
