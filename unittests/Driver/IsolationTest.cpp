#include "Driver/Isolation.h"

#include "gtest/gtest.h"

#include <csignal>
#include <new>
#include <stdexcept>
#include <unistd.h>

using namespace orzo;
using namespace orzo::driver;

namespace {

Outcome endingOutcome(const Ending &ending) {
  return {ending.timedOut ? "timeout" : std::string(name(ending.failure.code())), "", ending.failure.message(), ""};
}

Outcome isolated(const std::function<Outcome()> &work, double timeoutSeconds = 0) {
  return runIsolated(timeoutSeconds, work, endingOutcome);
}

} // namespace

TEST(Isolation, DeliversEveryByte) {
  std::string large(3'000'000, 'x');
  large[7] = '\0';
  Outcome outcome = isolated([&] { return Outcome{"wrong", large, "line\n", "carried"}; });
  EXPECT_EQ(outcome.status, "wrong");
  EXPECT_EQ(outcome.output, large);
  EXPECT_EQ(outcome.errors, "line\n");
  EXPECT_EQ(outcome.carry, "carried");
}

TEST(Isolation, WorkRunsInAnotherProcess) {
  Outcome outcome = isolated([] { return Outcome{"ok", std::to_string(getpid()), "", ""}; });
  EXPECT_NE(outcome.output, std::to_string(getpid()));
}

TEST(Isolation, CrashIsInternalAndNamesTheSignal) {
  Outcome outcome = isolated([]() -> Outcome {
    std::signal(SIGSEGV, SIG_DFL); // A sanitizer's handler would exit instead.
    std::raise(SIGSEGV);
    return {};
  });
  EXPECT_EQ(outcome.status, "internal");
  EXPECT_NE(outcome.errors.find("SIGSEGV"), std::string::npos) << outcome.errors;
}

TEST(Isolation, EndWithoutResultIsInternal) {
  Outcome outcome = isolated([]() -> Outcome { _exit(0); });
  EXPECT_EQ(outcome.status, "internal");
  EXPECT_NE(outcome.errors.find("without a result"), std::string::npos) << outcome.errors;
}

TEST(Isolation, KilledIsUnavailable) {
  Outcome outcome = isolated([]() -> Outcome {
    std::raise(SIGKILL);
    return {};
  });
  EXPECT_EQ(outcome.status, "unavailable");
}

TEST(Isolation, ExceptionsBecomeStatuses) {
  EXPECT_EQ(isolated([]() -> Outcome { throw std::bad_alloc(); }).status, "unavailable");
  Outcome outcome = isolated([]() -> Outcome { throw std::runtime_error("odd"); });
  EXPECT_EQ(outcome.status, "internal");
  EXPECT_NE(outcome.errors.find("odd"), std::string::npos);
}

TEST(Isolation, Timeout) {
  Outcome outcome = isolated(
      []() -> Outcome {
        sleep(60);
        return {};
      },
      0.05);
  EXPECT_EQ(outcome.status, "timeout");
  EXPECT_EQ(outcome.errors, "not done after 0.05 s (--timeout)");
}

TEST(Isolation, ExitCodes) {
  EXPECT_EQ(exitCodeOf("ok"), 0);
  EXPECT_EQ(exitCodeOf("skipped"), 0);
  EXPECT_EQ(exitCodeOf("wrong"), 1);
  EXPECT_EQ(exitCodeOf("invalid"), 2);
  EXPECT_EQ(exitCodeOf("unsupported"), 3);
  EXPECT_EQ(exitCodeOf("unavailable"), 4);
  EXPECT_EQ(exitCodeOf("timeout"), 4);
  EXPECT_EQ(exitCodeOf("internal"), 5);
}

TEST(Isolation, WorstOfABatch) {
  int order[] = {5, 1, 4, 3, 2, 0};
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j) {
      EXPECT_EQ(worse(order[i], order[j]), order[i]);
      EXPECT_EQ(worse(order[j], order[i]), order[i]);
    }
}
