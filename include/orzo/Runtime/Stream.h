// Stream: the queue of a device that work is put on, and events on it.
#pragma once

#include "orzo/Support/Status.h"

#include <cstdint>
#include <memory>

namespace orzo {

class Device;

/// A stream of whoever made it: a CUstream (cudaStream_t is the same), or null for the device's default stream.
struct Stream {
  void *handle = nullptr;
};

/// A stream of orzo's own, destroyed with the object; it does not wait for the default stream.
class OwnedStream {
public:
  static Expected<OwnedStream> create(const Device &device);

  Stream stream() const;
  /// Returns when everything put on the stream is done. Internal, naming the call, when any of it failed.
  Status synchronize() const;

private:
  struct State;
  explicit OwnedStream(std::shared_ptr<State> state) : state(std::move(state)) {}
  std::shared_ptr<State> state;
};

/// Time between two points of a stream, by the device's clock.
class StreamTimer {
public:
  static Expected<StreamTimer> create(const Device &device);

  Status start(Stream stream) const;
  Status stop(Stream stream) const;
  /// Waits for the last stop(); nanoseconds since the last start() on the same stream (the device counts in steps of
  /// about half a microsecond).
  Expected<int64_t> nanoseconds() const;

private:
  struct State;
  explicit StreamTimer(std::shared_ptr<State> state) : state(std::move(state)) {}
  std::shared_ptr<State> state;
};

} // namespace orzo
