#include "orzo/Runtime/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace orzo {

struct ThreadPool::State {
  // No more threads than cores: further chunks take turns all the same, and oneTBB does not warn on stderr.
  explicit State(int threads)
      : threads(threads), arena(std::min(threads, tbb::info::default_concurrency()), /*reserved_for_masters=*/1) {
    arena.initialize();
  }

  int threads;
  tbb::task_arena arena;
};

ThreadPool::ThreadPool(std::shared_ptr<State> state) : state(std::move(state)) {}

Expected<ThreadPool> ThreadPool::create(int threads) {
  if (threads < 1 || threads > 1024)
    return Status::invalidArgument("a pool of " + std::to_string(threads) + " threads; from 1 to 1024 are possible");
  try {
    return ThreadPool(std::make_shared<State>(threads));
  } catch (const std::exception &error) {
    return Status::unavailable("cannot start " + std::to_string(threads) + " threads: " + error.what());
  }
}

int ThreadPool::threads() const { return state->threads; }

Status ThreadPool::run(int chunks, void (*body)(void *context, int chunk), void *context) const {
  if (chunks <= 0)
    return {};
  if (chunks == 1) {
    body(context, 0);
    return {};
  }
  // What was written before the run is seen by every chunk, and what chunks write by what follows. oneTBB sees to that
  // too, but where neither ThreadSanitizer nor a reader of this file can see it.
  std::atomic<int> done = 0;
  auto runChunk = [&](int chunk) {
    (void)done.load(std::memory_order_acquire);
    body(context, chunk);
    done.fetch_add(1, std::memory_order_release);
  };
  done.store(0, std::memory_order_release);
  try {
    // One task a chunk: a thread that is late to wake leaves its chunk to one that is done, instead of holding up all.
    state->arena.execute([&] { tbb::parallel_for(0, chunks, 1, runChunk, tbb::simple_partitioner()); });
  } catch (const std::exception &error) {
    return Status::internal(std::string("running on the thread pool failed: ") + error.what());
  }
  (void)done.load(std::memory_order_acquire);
  return {};
}

} // namespace orzo
