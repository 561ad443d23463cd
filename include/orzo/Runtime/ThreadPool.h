// ThreadPool: the threads that a prepared call runs on.
#pragma once

#include "orzo/Support/Status.h"

#include <memory>

namespace orzo {

/// A fixed number of threads, the calling one among them. A handle: copies share the threads; safe to use from several
/// threads at once (a second caller waits where the first occupies all of them).
class ThreadPool {
public:
  /// `threads` from 1 to 1024, more than the machine has cores included (the cores then take turns). InvalidArgument
  /// outside of that; Unavailable when the operating system refuses.
  static Expected<ThreadPool> create(int threads);

  int threads() const;

  /// Calls body(context, chunk) once for each chunk in [0, chunks), chunks at most threads(), and returns when all are
  /// done. Chunks run at the same time as far as threads are free; the calling thread runs at least one. One chunk runs
  /// inline. `body` must not throw. After the pool's first uses nothing is allocated. Internal when scheduling fails.
  Status run(int chunks, void (*body)(void *context, int chunk), void *context) const;

private:
  struct State;
  explicit ThreadPool(std::shared_ptr<State> state);
  std::shared_ptr<State> state;
};

} // namespace orzo
