// How long the main job's first compile in this process takes; printed, not judged: the machine may be busy.
#include "CompilerLibrary.h"
#include "orzo/Spec/Canonical.h"

#include <gtest/gtest.h>

namespace orzo::conformance {
namespace {

TEST(CompileTime, MainJobCold) {
  Expected<Compiled> compiled = compileText("conv.v1 dgrad n16 c2048 k2048 g1 in512 f2 out256 s2 d1 p0 x:nhc:bf16 "
                                            "w:krc:bf16 y:npk:bf16 acc:f32",
                                            {.target = "cpu:avx2"});
  ASSERT_TRUE(compiled) << compiled.status().message();
  EXPECT_GT(compiled->compileMilliseconds, 0);
  std::printf("main job, one ISA, first compile of the process: compile_ms %.1f\n", compiled->compileMilliseconds);
}

} // namespace
} // namespace orzo::conformance
