#include "Driver/Memory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace orzo::driver {

static int64_t machineAvailable() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    int64_t kibibytes;
    if (word == "MemAvailable:" && file >> kibibytes)
      return kibibytes * 1024;
  }
  return INT64_MAX;
}

/// A control group's file holds one number, or "max".
static int64_t numberIn(const char *path) {
  std::ifstream file(path);
  int64_t number;
  return file >> number ? number : -1;
}

static int64_t groupAvailable() {
  int64_t limit = numberIn("/sys/fs/cgroup/memory.max"), used = numberIn("/sys/fs/cgroup/memory.current");
  return limit >= 0 && used >= 0 ? std::max<int64_t>(0, limit - used) : INT64_MAX;
}

int64_t availableMemory() { return std::min(machineAvailable(), groupAvailable()); }

} // namespace orzo::driver
