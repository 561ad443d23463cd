#include "Runtime/CPU/Isa.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <thread>

using namespace orzo;

namespace {

/// The kernel's opinion of the first core.
std::set<std::string> cpuFlags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) {
      std::istringstream words(line.substr(line.find(':') + 1));
      return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
    }
  return {};
}

TEST(Isa, AgreesWithTheKernel) {
  std::set<std::string> flags = cpuFlags();
  ASSERT_FALSE(flags.empty());
  auto has = [&](std::initializer_list<const char *> names) {
    return std::ranges::all_of(names, [&](const char *flag) { return flags.contains(flag); });
  };
  std::vector<Isa> expected;
  if (has({"avx", "avx2", "fma", "f16c"})) {
    expected.push_back(Isa::AVX2);
    if (has({"avx512f", "avx512bw", "avx512dq", "avx512vl"})) {
      expected.push_back(Isa::AVX512);
      if (has({"avx512_bf16"}))
        expected.push_back(Isa::AVX512BF16);
    }
  }
  EXPECT_EQ(supportedIsas(), expected);
  Expected<Isa> best = detectIsa();
  ASSERT_EQ(best.ok(), !expected.empty());
  if (best)
    EXPECT_EQ(*best, expected.back());
  else
    EXPECT_EQ(best.status().code(), StatusCode::Unavailable);
}

TEST(Isa, NamesRoundTrip) {
  for (Isa isa : {Isa::AVX2, Isa::AVX512, Isa::AVX512BF16})
    EXPECT_EQ(*parseIsa(name(isa)), isa);
  Expected<Isa> unknown = parseIsa("avx");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().code(), StatusCode::InvalidArgument);
  EXPECT_NE(unknown.status().message().find("avx2, avx512 and avx512_bf16"), std::string::npos);
}

TEST(Isa, CoresAreThoseOfTheAffinityMask) {
  int before = coreCount();
  EXPECT_GE(before, 1);
  std::thread([] {
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &all))
      ++cpu;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(coreCount(), 1);
  }).join();
  EXPECT_EQ(coreCount(), before);
}

} // namespace
