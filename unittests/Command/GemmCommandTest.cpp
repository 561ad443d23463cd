// What gemm commands mean.
#include "CommandTesting.h"

using namespace orzo;
using namespace orzo::testing_command;
using ::testing::ElementsAre;

TEST(GemmCommand, MIOpensLetters) {
  EXPECT_THAT(texts("gemm -m 256 -n 512 -k 1024 -i 1 -V 1"),
              ElementsAre("conv.v1 fprop n256 c1024 k512 g1 x:nc:f32 w:ck:f32 y:nk:f32 acc:f32"));
  EXPECT_EQ(texts("gemm --a_h 256 --b_w 512 --a_w 1024"), texts("gemm -m 256 -n 512 -k 1024"));
  EXPECT_THAT(texts("gemmfp16"), ElementsAre("conv.v1 fprop n256 c256 k256 g1 x:nc:f16 w:ck:f16 y:nk:f16 acc:f32"));
  EXPECT_EQ(parsed("gemm").problems[0].label, "gemm");
}

TEST(GemmCommand, Transposes) {
  EXPECT_THAT(texts("gemmbfp16 -m 2 -n 3 -k 4 -u 1"),
              ElementsAre("conv.v1 fprop n2 c4 k3 g1 x:cn:bf16 w:ck:bf16 y:nk:bf16 acc:f32"));
  EXPECT_THAT(texts("gemm -m 2 -n 3 -k 4 --transB 1"),
              ElementsAre("conv.v1 fprop n2 c4 k3 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32"));
  EXPECT_THAT(texts("gemm -m 2 -n 3 -k 4 -v 1 -C 1"),
              ElementsAre("conv.v1 fprop n2 c4 k3 g1 x:cn:f32 w:ck:f32 y:kn:f32 acc:f32"));
}

TEST(GemmCommand, BatchIsGroups) {
  EXPECT_THAT(texts("gemm -m 2 -n 3 -k 4 -b 5"),
              ElementsAre("conv.v1 fprop n2 c20 k15 g5 x:gnc:f32 w:gck:f32 y:gnk:f32 acc:f32"));
  EXPECT_THAT(spec("gemm -m 2 -n 3 -k 4 -b 5 -u 1").shape(Role::X), ElementsAre(5, 4, 2));
}

TEST(GemmCommand, BooExchangesMAndK) {
  EXPECT_EQ(texts("iree-boo-driver gemm -m 2 -n 3 -k 4"), texts("gemm -m 4 -n 3 -k 2"));
  EXPECT_THAT(texts("iree-boo-driver gemm -m 2 -n 3 -k 4 -F 2"),
              ElementsAre("conv.v1 dgrad n4 c2 k3 g1 x:nc:f32 w:ck:f32 y:nk:f32 acc:f32"));
  EXPECT_THAT(texts("iree-boo-driver gemm -m 2 -n 3 -k 4 -F 3"),
              ElementsAre("conv.v1 wgrad n4 c2 k3 g1 x:nc:f32 w:ck:f32 y:nk:f32 acc:f32"));
  EXPECT_EQ(parsed("iree-boo-driver gemm -F 2").problems[0].label, "gemm dA");
  EXPECT_EQ(parsed("iree-boo-driver gemm -F 3").problems[0].label, "gemm dB");
  expectInvalid("iree-boo-driver gemm -F 4", {"-F 4", "dA"});
  expectInvalid("iree-boo-driver gemm -b 4", {"no flag -b", "MIOpenDriver has it"});
}

TEST(GemmCommand, Errors) {
  expectUnsupported("gemm -F 2", {"-F 2", "no backward"});
  EXPECT_EQ(texts("gemm -F 1"), texts("gemm -F 0"));
  EXPECT_EQ(texts("gemm -A 1.0 -B 0"), texts("gemm"));
  expectUnsupported("gemm -A 2", {"-A 2", "other than 1"});
  expectUnsupported("gemm --beta 0.5", {"--beta 0.5", "other than 0"});
  expectInvalid("gemm -A one", {"-A", "expected a number", "one"});
  expectInvalid("gemm -u 2", {"-u 2", "0 or 1"});
  expectInvalid("gemm -C 2", {"-C 2", "0 or 1"});
  expectInvalid("gemm -n 0", {"-n 0", "at least 1"});
  expectInvalid("gemm -k 0", {"-k 0", "at least 1"});
  expectInvalid("gemm -b 0", {"-b 0", "at least 1"});
  expectInvalid("gemm -m -1", {"-m -1", "at least 0"});
  expectInvalid("gemm -m 2147483647 -k 2147483647 -b 9", {"C13: x must have at most 2^62 bytes"});
  expectInvalid("gemm -H 3", {"gemm has no flag -H"});
}
