#include "Peak/Peak.h"
#include "Peak/Team.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <unistd.h>

namespace orzo {

using namespace peak;

namespace {

using Vector = float __attribute__((vector_size(16)));

struct Free {
  void operator()(void *memory) const { std::free(memory); }
};
using Array = std::unique_ptr<Vector[], Free>;

Array allocate(int64_t vectors) {
  return Array(static_cast<Vector *>(std::aligned_alloc(4096, vectors * sizeof(Vector))));
}

/// Eight sums, so that loads and not the latency of adding set the pace.
void read(const Vector *data, int64_t begin, int64_t end) {
  Vector sums[8] = {};
  for (int64_t at = begin; at < end; at += 8)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < 8; ++chain)
      sums[chain] += data[at + chain];
  for (Vector &sum : sums)
    asm volatile("" : "+x"(sum));
}

void triad(Vector *a, const Vector *b, const Vector *c, int64_t begin, int64_t end) {
  Vector scale = {3, 3, 3, 3};
  for (int64_t at = begin; at < end; ++at)
    __builtin_nontemporal_store(b[at] + scale * c[at], a + at);
}

/// Vectors per array: twice the last-level cache, but between 64 and 256 MiB (a hypervisor may report the cache of the
/// whole host) and at most a sixteenth of the machine's memory; whole pages.
int64_t arrayVectors() {
  int64_t cache = std::max<int64_t>(0, sysconf(_SC_LEVEL3_CACHE_SIZE));
  int64_t memory = std::max<int64_t>(0, sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  int64_t bytes = std::clamp<int64_t>(2 * cache, int64_t{64} << 20, int64_t{256} << 20);
  bytes = std::max<int64_t>(1 << 20, std::min(bytes, memory / 16));
  return bytes / 4096 * 4096 / static_cast<int64_t>(sizeof(Vector));
}

} // namespace

Bandwidth measureBandwidth(int threads, double seconds) {
  Bandwidth result;
  result.threads = threads = std::max(1, threads);
  int64_t vectors = arrayVectors();
  Array a = allocate(vectors), b = allocate(vectors), c = allocate(vectors);
  if (!a || !b || !c)
    return result;
  result.arrayMegabytes = static_cast<double>(vectors) * sizeof(Vector) / 1e6;

  // Shares in units of 4 KiB pages; a thread touches its own share first, so that the pages lie near it.
  constexpr int64_t page = 4096 / sizeof(Vector);
  auto shareBegin = [&](int thread) { return vectors / page * thread / threads * page; };
  auto vectorsOf = [&](int thread) { return shareBegin(thread + 1) - shareBegin(thread); };
  Clock::time_point begin;
  auto goOn = [&](double &best, const Slice *slices, double limit) {
    best = std::max(best, rateOf(slices, threads) / 1e9);
    return std::chrono::duration<double>(Clock::now() - begin).count() < limit;
  };
  runRounds(
      threads, nullptr,
      [&](int thread) {
        for (Array *array : {&a, &b, &c})
          std::fill(array->get() + shareBegin(thread), array->get() + shareBegin(thread + 1), Vector{1, 1, 1, 1});
        return 0.0;
      },
      [](const Slice *) { return false; });

  begin = Clock::now();
  runRounds(
      threads, nullptr,
      [&](int thread) {
        for (Array *array : {&a, &b, &c})
          read(array->get(), shareBegin(thread), shareBegin(thread + 1));
        return static_cast<double>(3 * vectorsOf(thread) * sizeof(Vector));
      },
      [&](const Slice *slices) { return goOn(result.readGBs, slices, seconds / 2); });
  begin = Clock::now();
  runRounds(
      threads, nullptr,
      [&](int thread) {
        triad(a.get(), b.get(), c.get(), shareBegin(thread), shareBegin(thread + 1));
        return static_cast<double>(3 * vectorsOf(thread) * sizeof(Vector));
      },
      [&](const Slice *slices) { return goOn(result.triadGBs, slices, seconds / 2); });
  return result;
}

} // namespace orzo
