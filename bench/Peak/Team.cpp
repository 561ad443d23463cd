#include "Peak/Team.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <pthread.h>
#include <sched.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace orzo::peak {

namespace {

/// Spins rather than sleeps: waking a sleeper takes longer than a slice may be late.
class SpinBarrier {
public:
  explicit SpinBarrier(int members) : members(members) {}

  void arriveAndWait() {
    int generation = passed.load(std::memory_order_acquire);
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
      arrived.store(0, std::memory_order_relaxed);
      passed.store(generation + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; passed.load(std::memory_order_acquire) == generation; ++spins)
      if (spins % 4096 == 4095)
        std::this_thread::yield();
  }

private:
  const int members;
  std::atomic<int> arrived = 0, passed = 0;
};

/// A CPU's number and the core it belongs to, named by the core's list of siblings.
struct Place {
  int cpu;
  std::string core;
};

/// The CPUs this process may use, one of each physical core first.
std::vector<Place> places() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<Place> firsts, siblings;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return firsts;
  std::set<std::string> seen;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed))
      continue;
    std::string core = "cpu " + std::to_string(cpu);
    std::ifstream list("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
    std::getline(list, core);
    (seen.insert(core).second ? firsts : siblings).push_back({cpu, core});
  }
  firsts.insert(firsts.end(), siblings.begin(), siblings.end());
  return firsts;
}

void pinThisThread(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  // Where that is refused the thread stays where the scheduler puts it; the rate shows if it was a bad place.
  pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

} // namespace

int runRounds(int threads, const std::function<void(int)> &prepare, const std::function<double(int)> &work,
              const std::function<bool(const Slice *)> &finish) {
  std::vector<Place> available = places();
  std::set<std::string> cores;
  for (int thread = 0; thread < threads && !available.empty(); ++thread)
    cores.insert(available[thread % available.size()].core);

  std::vector<Slice> slices(threads);
  SpinBarrier barrier(threads);
  std::atomic<bool> goOn = true;
  Clock::time_point origin = Clock::now();
  auto now = [origin] { return std::chrono::duration<double>(Clock::now() - origin).count(); };

  auto member = [&](int thread) {
    if (!available.empty())
      pinThisThread(available[thread % available.size()].cpu);
    while (goOn.load(std::memory_order_acquire)) {
      if (prepare)
        prepare(thread);
      barrier.arriveAndWait();
      Slice slice;
      slice.begin = now();
      slice.done = work(thread);
      slice.end = now();
      slices[thread] = slice;
      barrier.arriveAndWait();
      if (thread == 0)
        goOn.store(finish(slices.data()), std::memory_order_release);
      barrier.arriveAndWait();
    }
  };
  std::vector<std::thread> team;
  team.reserve(threads);
  for (int thread = 0; thread < threads; ++thread)
    team.emplace_back(member, thread);
  for (std::thread &thread : team)
    thread.join();
  return std::max<int>(1, static_cast<int>(cores.size()));
}

double rateOf(const Slice *slices, int threads) {
  double begin = slices[0].begin, end = slices[0].end, done = 0;
  for (int thread = 0; thread < threads; ++thread) {
    begin = std::min(begin, slices[thread].begin);
    end = std::max(end, slices[thread].end);
    done += slices[thread].done;
  }
  return end > begin ? done / (end - begin) : 0;
}

} // namespace orzo::peak
