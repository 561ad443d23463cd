#include "Driver/DeviceRun.h"
#include "FakeCuda.h"

#include <gmock/gmock.h>

using namespace orzo;
using namespace orzo::driver;
using namespace orzo::test;
using testing::Contains;
using testing::HasSubstr;

namespace {

class DeviceRunTest : public WithFakeDriver {
protected:
  ProblemReport run(const Artifact &artifact, DataKind data = DataKind::Random, bool time = true) {
    RunSettings settings;
    settings.data = data;
    settings.time = time;
    settings.timing.iterations = 5;
    ProblemReport report;
    if (Status status = runArtifact(serialise(artifact), settings, report); !status.ok())
      setOutcome(report, status);
    return report;
  }
};

TEST_F(DeviceRunTest, VerifiesAndTimes) {
  ProblemReport report = run(fakeMatmul());
  EXPECT_EQ(report.status, "ok") << report.message;
  EXPECT_EQ(report.target, "cuda");
  EXPECT_EQ(report.isa, "sm_90a");
  EXPECT_EQ(report.threads, 0);
  EXPECT_EQ(report.verification.mode, "full");
  EXPECT_EQ(report.verification.poison, "ok");
  EXPECT_EQ(report.flopsExecuted, 2 * 5 * 8 * 16);
  EXPECT_EQ(report.time.iterations, 5);
  EXPECT_EQ(report.time.median, 250000);
  EXPECT_THAT(report.notes,
              Contains(HasSubstr("on Imaginary H200 (sm_90, 132 multiprocessors), driver for CUDA 13.0")));
  EXPECT_EQ(run(fakeMatmul(), DataKind::Integer).status, "ok");
}

TEST_F(DeviceRunTest, FindsWritesOutsideTheResult) {
  for (auto [symbol, where] : {std::pair("fake_matmul_overrun", "byte 80"), {"fake_matmul_underrun", "byte -2"}}) {
    ProblemReport report = run(fakeMatmul(symbol));
    EXPECT_EQ(report.status, "wrong");
    EXPECT_THAT(report.message, HasSubstr("the guard zone of y was overwritten at " + std::string(where)));
    EXPECT_THAT(report.verification.poison, HasSubstr("guard zone of y"));
    EXPECT_EQ(report.time.iterations, 0) << "a wrong result is not timed";
  }
}

TEST_F(DeviceRunTest, FindsResultsThatChange) {
  ProblemReport report = run(fakeMatmul("fake_matmul_unsteady"));
  EXPECT_EQ(report.status, "wrong");
  EXPECT_THAT(report.message, HasSubstr("two runs on the same data differ, first at byte 78"));
}

// A kernel that writes nothing leaves the poison.
TEST_F(DeviceRunTest, FindsWhatIsNotWritten) {
  ProblemReport report = run(fakeMatmul("other"));
  EXPECT_EQ(report.status, "wrong");
  EXPECT_THAT(report.verification.poison, HasSubstr("40"));
}

TEST_F(DeviceRunTest, ReportsFailuresOfTheDriver) {
  fail("cuMemAlloc", 2);
  ProblemReport report = run(fakeMatmul());
  EXPECT_EQ(report.status, "unavailable");
  EXPECT_THAT(report.message, HasSubstr("x: 131232 bytes on Imaginary H200: cuMemAlloc: "));
  fakeControl<FakeReset>("fakeReset")();
  fail("cuStreamSynchronize", 700);
  EXPECT_EQ(run(fakeMatmul()).status, "internal");
}

} // namespace
