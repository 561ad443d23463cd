// A handle for a CUDA device where there is no driver.
#include "orzo/Api/Handle.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

using namespace orzo::graph;

TEST(NoDevice, IsUnavailable) {
  if (dlopen("libcuda.so.1", RTLD_NOW))
    GTEST_SKIP() << "this machine has a CUDA driver";
  Expected<Handle> handle = Handle::create(Backend::CUDA);
  EXPECT_EQ(handle.status().code(), StatusCode::Unavailable);
  EXPECT_EQ(orzo::exitCode(handle.status().code()), 4);
  EXPECT_THAT(handle.status().message(), testing::HasSubstr("handle: no CUDA driver"));
}
