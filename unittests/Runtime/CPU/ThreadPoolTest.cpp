#include "orzo/Runtime/ThreadPool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

using namespace orzo;

namespace {

TEST(ThreadPool, RunsEveryChunkOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool = ThreadPool::create(threads).take();
    EXPECT_EQ(pool.threads(), threads);
    for (int chunks = 0; chunks <= threads; ++chunks)
      for (int repeat = 0; repeat < 200; ++repeat) {
        std::array<std::atomic<int>, 8> times = {};
        auto body = [](void *context, int chunk) { ++static_cast<std::atomic<int> *>(context)[chunk]; };
        ASSERT_TRUE(pool.run(chunks, body, times.data()).ok());
        for (int chunk = 0; chunk < 8; ++chunk)
          ASSERT_EQ(times[chunk], chunk < chunks ? 1 : 0);
      }
  }
}

TEST(ThreadPool, OneChunkRunsInline) {
  ThreadPool pool = ThreadPool::create(4).take();
  std::thread::id ran;
  auto body = [](void *context, int) { *static_cast<std::thread::id *>(context) = std::this_thread::get_id(); };
  ASSERT_TRUE(pool.run(1, body, &ran).ok());
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST(ThreadPool, LongChunksRunOnSeveralThreads) {
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "one core";
  struct Ran {
    std::mutex mutex;
    std::condition_variable arrived;
    std::set<std::thread::id> threads;
  } ran;
  ThreadPool pool = ThreadPool::create(2).take();
  // Each chunk lasts until the other one has a thread; on a busy machine that takes a while.
  auto body = [](void *context, int) {
    auto *into = static_cast<Ran *>(context);
    std::unique_lock lock(into->mutex);
    into->threads.insert(std::this_thread::get_id());
    into->arrived.notify_all();
    into->arrived.wait_for(lock, std::chrono::seconds(30), [&] { return into->threads.size() == 2; });
  };
  ASSERT_TRUE(pool.run(2, body, &ran).ok());
  EXPECT_EQ(ran.threads.size(), 2u);
  EXPECT_TRUE(ran.threads.contains(std::this_thread::get_id()));
}

TEST(ThreadPool, RefusesImpossibleCounts) {
  for (int threads : {-1, 0, 1025}) {
    Expected<ThreadPool> pool = ThreadPool::create(threads);
    ASSERT_FALSE(pool.ok());
    EXPECT_EQ(pool.status().code(), StatusCode::InvalidArgument);
    EXPECT_NE(pool.status().message().find("from 1 to 1024"), std::string::npos);
  }
}

} // namespace
