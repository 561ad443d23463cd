// Handle: where graphs are compiled for and run: a backend, its threads or device, the cache of compiled problems.
#pragma once

#include "orzo/Runtime/Stream.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace orzo::graph {

using orzo::Expected;
using orzo::Status;
using orzo::StatusCode;

enum class Backend : uint8_t { CPU, CUDA };

struct HandleOptions {
  int threads = 0; ///< Of Backend::CPU. 0: every core of this machine.
  /// What to compile for: one or more of "cpu", "cpu:ISA,..." and "cuda:sm_90a", joined by '+'; they go into one file.
  /// Empty: "cpu", or "cuda:sm_90a" for Backend::CUDA. The backend must be among them.
  std::string target;
  /// Of Backend::CUDA: the device's number. Not given: the one current on this thread, else the first.
  std::optional<int> device;
  /// Not given: ORZO_CACHE_DIR, else ~/.cache/orzo. Processes may share it.
  std::optional<std::string> cacheDirectory;
  bool useCache = true;
};

/// Movable, not copyable. Graphs and buffers made with a handle may outlive it. Safe to use from several threads, but
/// for setStream().
class Handle {
public:
  /// InvalidArgument for options that make no sense; Unavailable when the threads cannot be had, or when there is no
  /// CUDA driver or device.
  static Expected<Handle> create(Backend backend, const HandleOptions &options = {});

  Handle(Handle &&) noexcept = default;
  Handle &operator=(Handle &&) noexcept = default;

  /// False after the handle was moved from; nothing can be done with it then but to assign.
  bool isValid() const { return state != nullptr; }
  Backend backend() const;
  /// Of Backend::CPU; 0 otherwise.
  int threads() const;
  const HandleOptions &options() const;

  /// The stream (of the handle's device) that execute() puts its work on: the caller's, or null, the default, for the
  /// device's default stream. Nothing on a CPU.
  void setStream(Stream value) { currentStream = value; }
  Stream stream() const { return currentStream; }
  /// Waits for everything on the stream. Internal when any of it failed. Nothing to do on a CPU.
  Status synchronize() const;

private:
  friend class Graph;
  friend class Buffer;
  struct State;
  explicit Handle(std::shared_ptr<const State> state) : state(std::move(state)) {}
  std::shared_ptr<const State> state;
  Stream currentStream;
};

} // namespace orzo::graph
