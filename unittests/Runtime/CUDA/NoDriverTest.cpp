#include "FakeCuda.h"
#include "Runtime/CUDA/DriverTable.h"
#include "orzo/Runtime/Module.h"

#include <gmock/gmock.h>

using namespace orzo;
using namespace orzo::test;
using testing::HasSubstr;

namespace {

// Without a driver, or with one and no device: a CUDA artifact is read and checked, and then the machine is at fault.
TEST(NoDriver, CudaModulesAreUnavailable) {
  if (dlopen("libcuda.so.1", RTLD_NOW))
    GTEST_SKIP() << "this machine has a CUDA driver";
  Expected<Module> module = Module::load(serialise(fakeMatmul()));
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), StatusCode::Unavailable);
  EXPECT_EQ(exitCode(module.status().code()), 4);
  EXPECT_THAT(module.status().message(), HasSubstr("no CUDA driver: libcuda.so.1"));
  EXPECT_THAT(module.status().message(), HasSubstr("where NVIDIA's driver is installed"));
  EXPECT_EQ(cuda::driver().status().code(), StatusCode::Unavailable);
}

TEST(NoDriver, DamageIsFoundFirst) {
  Artifact artifact = fakeMatmul();
  artifact.images[0].steps[0].cuda->threads = 7;
  EXPECT_EQ(Module::load(serialise(artifact)).status().code(), StatusCode::InvalidArgument);
}

} // namespace
