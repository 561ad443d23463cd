// What conv commands mean.
#include "CommandTesting.h"

using namespace orzo;
using namespace orzo::testing_command;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

static std::vector<std::string> labels(std::string_view line) {
  std::vector<std::string> result;
  for (const DriverProblem &problem : parsed(line).problems)
    result.push_back(problem.label);
  return result;
}

TEST(ConvCommand, StridedDataGradient) {
  EXPECT_THAT(texts("convbfp16 -n 16 -c 2048 -H 1 -W 512 -k 2048 -y 1 -x 2 -p 0 -q 0 -u 1 -v 2 -l 1 -j 1 -m conv -g 1 "
                    "-F 2 -t 1 --in_layout NHWC --out_layout NHWC --fil_layout NHWC"),
              ElementsAre("conv.v1 dgrad n16 c2048 k2048 g1 in1x512 f1x2 out1x256 s1x2 d1x1 p0x0 x:nhwc:bf16 "
                          "w:krsc:bf16 y:npqk:bf16 acc:f32"));
}

TEST(ConvCommand, DefaultsOfMIOpen) {
  EXPECT_THAT(texts("conv -F 1"), ElementsAre("conv.v1 fprop n100 c3 k32 g1 in32x32 f3x3 out30x30 s1x1 d1x1 p0x0 "
                                              "x:nchw:f32 w:kcrs:f32 y:nkpq:f32 acc:f32"));
  EXPECT_THAT(texts("conv -F 1 -_ 3 -n 2"),
              ElementsAre("conv.v1 fprop n2 c3 k32 g1 in32x32x32 f3x3x3 out30x30x30 s1x1x1 d1x1x1 p0x0x0 x:ncdhw:f32 "
                          "w:kctrs:f32 y:nkzpq:f32 acc:f32"));
  EXPECT_THAT(texts("conv -F 1 --spatial_dim 1 -n 2 -H 9 -u 2 -p 1"),
              ElementsAre("conv.v1 fprop n2 c3 k32 g1 in9 f3 out5 s2 d1 p1 x:nch:f32 w:kcr:f32 y:nkp:f32 acc:f32"));
}

TEST(ConvCommand, EveryFlagGoesToItsDim) {
  EXPECT_THAT(texts("conv -F 1 -_ 3 -n 2 -c 4 -! 20 -H 21 -W 22 -k 6 -@ 2 -y 3 -x 4 -# 1 -u 2 -v 3 -$ 4 -p 5 -q 6 -^ 1 "
                    "-l 2 -j 3 -g 2"),
              ElementsAre("conv.v1 fprop n2 c4 k6 g2 in20x21x22 f2x3x4 out27x14x9 s1x2x3 d1x2x3 p4x5x6 x:ngcdhw:f32 "
                          "w:gkctrs:f32 y:ngkzpq:f32 acc:f32"));
}

TEST(ConvCommand, Masks) {
  EXPECT_THAT(labels("conv"), ElementsAre("fprop", "dgrad", "wgrad"));
  EXPECT_THAT(labels("conv -F 0"), ElementsAre("fprop", "dgrad", "wgrad"));
  EXPECT_THAT(labels("conv -F 1"), ElementsAre("fprop"));
  EXPECT_THAT(labels("conv -F 2"), ElementsAre("dgrad"));
  EXPECT_THAT(labels("conv -F 3"), ElementsAre("fprop", "dgrad"));
  EXPECT_THAT(labels("conv -F 4"), ElementsAre("wgrad"));
  EXPECT_THAT(labels("conv -F 5"), ElementsAre("fprop", "wgrad"));
  EXPECT_THAT(labels("conv -F 6"), ElementsAre("dgrad", "wgrad"));
  EXPECT_THAT(labels("conv -F 7"), ElementsAre("fprop", "dgrad", "wgrad"));
  EXPECT_EQ(parsed("conv -F 6").problems[1].maskBit, 4);
  expectInvalid("conv -F 8", {"-F 8", "sum of 1"});
  expectInvalid("conv -F -1", {"-F -1", "sum of 1"});
}

TEST(ConvCommand, MasksOfBoo) {
  EXPECT_THAT(labels("iree-boo-driver conv"), ElementsAre("fprop"));
  EXPECT_THAT(labels("iree-boo-driver conv -F 2"), ElementsAre("dgrad"));
  EXPECT_THAT(labels("iree-boo-driver conv -F 4"), ElementsAre("wgrad"));
  EXPECT_THAT(labels("iree-boo-driver conv -F 6"), ElementsAre("dgrad", "wgrad"));
  for (std::string mode : {"0", "3", "5"})
    expectUnsupported("iree-boo-driver conv -F " + mode, {"-F " + mode, "no such mode"});
  for (std::string mode : {"7", "8", "9", "10"})
    expectUnsupported("iree-boo-driver conv -F " + mode, {"-F " + mode, "bias gradient"});
  expectInvalid("iree-boo-driver conv -F 11", {"-F 11"});
}

TEST(ConvCommand, Bias) {
  EXPECT_EQ(texts("conv -F 1 -b 0"), texts("conv -F 1"));
  expectUnsupported("conv -F 1 -b 1", {"-b 1", "bias comes with the graph API"});
  expectUnsupported("iree-boo-driver conv -b 1", {"-b 1", "bias comes with the graph API"});
}

TEST(ConvCommand, TransposedIsDgrad) {
  // 7x7 of 16 channels to 14x14 of 3: (7-1)*2 + 2 + 1 - 2 + 1 = 14.
  std::string line = "conv -n 1 -c 16 -H 7 -W 7 -k 3 -y 3 -x 3 -p 1 -q 1 -u 2 -v 2 -m trans -Y 1 -X 1 --in_layout NHWC "
                     "--out_layout NCHW --fil_layout NHWC";
  std::string rest = "n1 c3 k16 g1 in14x14 f3x3 out7x7 s2x2 d1x1 p1x1 x:nchw:f32 w:krsc:f32 y:npqk:f32 acc:f32";
  EXPECT_THAT(texts(line), ElementsAre("conv.v1 dgrad " + rest, "conv.v1 fprop " + rest, "conv.v1 wgrad " + rest));
  EXPECT_THAT(labels(line), ElementsAre("trans fprop", "trans dgrad", "trans wgrad"));
  EXPECT_EQ(parsed(line).problems[0].spec.spatial[0].padHigh(), 0);
}

TEST(ConvCommand, TransposedGroupsAndDilation) {
  // (9-1)*3 + 2*(4-1) + 1 - 2*2 = 27; the filter is C=8, K/g=3.
  EXPECT_THAT(texts("conv -n 1 -c 8 -k 6 -g 2 -_ 1 -H 9 -y 4 -u 3 -l 2 -p 2 -m trans -F 1"),
              ElementsAre("conv.v1 dgrad n1 c6 k8 g2 in27 f4 out9 s3 d2 p2 x:ngch:f32 w:gkcr:f32 y:ngkp:f32 acc:f32"));
}

TEST(ConvCommand, TransposedMorePaddingThanFilter) {
  EXPECT_EQ(spec("conv -m trans -W 9 -H 9 -c 6 -k 4 -x 1 -y 1 -p 2 -q 2 -F 1").spatial[0].in, 5);
  expectInvalid("conv -m trans -W 4 -H 4 -c 6 -k 4 -x 1 -y 1 -p 2 -q 2 -F 1", {"along height", "would have 0"});
  expectInvalid("conv -F 1 -m trans -Y 1", {"-Y 1", "less than the stride"});
  expectInvalid("conv -F 1 -m trans -Y -1", {"-Y -1", "at least 0"});
  expectInvalid("conv -m trans -H 2147483647 -u 2147483647", {"along height", "more than 2147483647"});
  expectInvalid("conv -m upside", {"-m upside", "conv or trans"});
}

TEST(ConvCommand, PadModes) {
  // same: stride divides 32: (3 - 2) / 2 = 0 along height; 32 % 3 = 2: (7 - 2) / 2 = 2 along width.
  ConvSpec same = spec("conv -F 1 -z same -u 2 -v 3 -x 7 -p 9");
  EXPECT_EQ(same.spatial[0].padLow, 0);
  EXPECT_EQ(same.spatial[1].padLow, 2);
  EXPECT_EQ(same.spatial[1].out, 10);
  EXPECT_THAT(notes("conv -F 1 -z same -p 9"), HasSubstr("flag -p has no effect here: -z same sets the padding"));
  EXPECT_EQ(spec("conv -F 1 --pad_mode SAME").spatial[0].padLow, 1);
  EXPECT_EQ(spec("conv -F 1 -z valid -p 1").spatial[0].padLow, 0);
  EXPECT_EQ(spec("conv -F 1 -z default -p 1").spatial[0].padLow, 1);
  // Not for dilated filters other than 1x1, nor transposed.
  EXPECT_EQ(spec("conv -F 1 -z same -l 2 -p 1").spatial[0].padLow, 1);
  EXPECT_THAT(notes("conv -F 1 -z same -l 2"), HasSubstr("-z same has no effect here: it does not apply to dilated"));
  EXPECT_EQ(spec("conv -F 1 -z valid -l 2 -p 1 -y 1 -x 1").spatial[0].padLow, 0);
  EXPECT_THAT(notes("conv -F 1 -z same -m trans"), HasSubstr("does not apply to -m trans"));
  expectInvalid("conv -z reflect", {"-z reflect", "same, valid or default"});
}

TEST(ConvCommand, Layouts) {
  auto layouts = [](std::string_view flags) {
    ConvSpec one = spec("conv -F 1 -c 4 -k 6 " + std::string(flags));
    std::string all;
    for (Role role : {Role::X, Role::W, Role::Y})
      all += text(one.layout(role), role, one.rank()) + " ";
    return all;
  };
  EXPECT_EQ(layouts("-I NHWC -f NHWC -O NHWC"), "nhwc krsc npqk ");
  EXPECT_EQ(layouts("-I nhwc -f nhwc -O nhwc"), "nhwc krsc npqk ");
  EXPECT_EQ(layouts("-I CHWN -f CHWN -O CHWN"), "chwn crsk kpqn ");
  EXPECT_EQ(layouts("-I NWHC -f WHCN -O CNWH"), "nwhc srck knqp ");
  EXPECT_EQ(layouts("-f KRSC -O NPQK"), "nchw krsc npqk ");
  EXPECT_EQ(layouts("-f KCYX -O NKPQ"), "nchw kcrs nkpq ");
  EXPECT_EQ(layouts("-I NHWC -f NHWC -O NHWC -g 2"), "nhwgc gkrsc npqgk ");
  EXPECT_EQ(layouts("-I CHWN -f CHWN -O CHWN -g 2"), "gchwn crsgk gkpqn ");
  EXPECT_EQ(layouts("-_ 3 -I NDHWC -f KTRSC -O NZPQK"), "ndhwc ktrsc nzpqk ");
  EXPECT_EQ(layouts("-_ 3 -f KZYXC -O NCDHW"), "ncdhw ktrsc nkzpq ");
  EXPECT_EQ(layouts("-_ 1 -I NHC -f NHC -O NHC"), "nhc krc npk ");
}

TEST(ConvCommand, WidthBeforeHeightKeepsStrides) {
  ConvSpec one = spec("conv -F 1 -H 9 -W 20 -y 2 -x 5 -u 1 -v 3 -I NWHC");
  EXPECT_EQ(one.spatial[0].in, 9);
  EXPECT_EQ(one.spatial[0].stride, 1);
  EXPECT_EQ(one.spatial[1].in, 20);
  EXPECT_EQ(one.spatial[1].stride, 3);
  EXPECT_THAT(one.shape(Role::X), ElementsAre(100, 20, 9, 3));
}

TEST(ConvCommand, BadLayouts) {
  expectInvalid("conv -I NHWX", {"-I", "'NHWX'", "unknown letter 'X'"});
  expectInvalid("conv -f NHHC", {"-f", "'H' twice"});
  expectInvalid("conv -f NKRS", {"-f", "'N' twice"});
  expectInvalid("conv --in_layout NCDHW", {"--in_layout", "5 letters", "2 spatial dims"});
  expectInvalid("conv -O NCH", {"-O", "3 letters"});
  expectInvalid("conv -_ 1 -I NCW", {"-I", "unknown letter 'W'"});
  expectInvalid("conv -O ''", {"-O", "0 letters"});
  expectUnsupported("conv -I NCHWc4", {"-I", "vectorised"});
  expectUnsupported("conv -Z 1 -L 4", {"-Z 1", "vectorised"});
}

TEST(ConvCommand, RankFromBoosLayouts) {
  EXPECT_EQ(spec("iree-boo-driver conv --in_layout NHC --fil_layout NHC --out_layout NHC").rank(), 1);
  EXPECT_EQ(spec("iree-boo-driver conv --in_layout NDHWC").rank(), 3);
  EXPECT_EQ(spec("iree-boo-driver conv --in_layout NHC --spatial_dim 2").rank(), 1);
  EXPECT_THAT(notes("iree-boo-driver conv --in_layout NHC --spatial_dim 2"), HasSubstr("--spatial_dim has no effect"));
  expectInvalid("iree-boo-driver conv --in_layout NHC --out_layout NHWC", {"--out_layout", "4 letters"});
  expectInvalid("iree-boo-driver conv --in_layout NC", {"--in_layout NC", "3, 4 or 5"});
  expectInvalid("conv -_ 4", {"-_ 4", "1, 2 or 3"});
  expectInvalid("conv -_ 0", {"-_ 0", "1, 2 or 3"});
}

TEST(ConvCommand, BadSizes) {
  for (std::string flag : {"-c", "-k", "-g", "-H", "-W", "-y", "-x", "-u", "-v", "-l", "-j"}) {
    expectInvalid("conv " + flag + " 0", {flag + " 0", "at least 1"});
    expectInvalid("conv " + flag + " -3", {flag + " -3", "at least 1"});
  }
  for (std::string flag : {"-p", "-q"})
    expectInvalid("conv " + flag + " -1", {flag + " -1", "at least 0"});
  for (std::string flag : {"-!", "-@", "-#", "-^"})
    expectInvalid("conv -_ 3 " + flag + " 0", {flag + " 0", "at least 1"});
  expectInvalid("conv -c 6 -k 4 -g 4", {"-c 6", "divisible", "-g 4"});
  expectInvalid("conv -c 4 -k 6 -g 4", {"-k 6", "divisible", "-g 4"});
  expectInvalid("conv -m trans -c 4 -k 6 -g 4", {"-k 6", "divisible", "-g 4"});
  expectInvalid("conv -g 2", {"-c/--in_channels (default 3)", "divisible", "-g 2"});
}

TEST(ConvCommand, FilterLargerThanPaddedInput) {
  expectInvalid("conv -H 2 -W 2 -y 3 -x 3",
                {"along height (-H 2, -y 3)", "filter larger than padded input", "= 3", "= 2"});
  expectInvalid("conv -l 536870912", {"along height", "-l 536870912", "= 1073741825", "= 32"});
  expectInvalid("conv -j 2147483647 -x 2147483647", {"along width", "filter larger than padded input"});
  // More padding than filter is legal.
  EXPECT_EQ(spec("conv -F 1 -H 1 -W 1 -y 1 -x 1 -p 2 -q 2").spatial[0].out, 5);
}

TEST(ConvCommand, HugeTensorsDoNotWrap) {
  expectInvalid("conv -F 1 -n 2147483647 -c 2147483647 -H 2147483647 -W 2147483647",
                {"C13: x must have at most 2^62 bytes"});
  EXPECT_EQ(spec("convbfp16 -F 1 -n 522240 -c 1280 -H 14 -W 14").n, 522240);
}

TEST(ConvCommand, EmptyBatchIsLegal) { EXPECT_EQ(spec("conv -F 4 -n 0").n, 0); }

TEST(ConvCommand, Casts) {
  EXPECT_EQ(texts("conv -F 1 -U -1 -R -1 -T -1"), texts("conv -F 1"));
  for (std::string flag : {"-U", "-R", "-T"})
    expectUnsupported("conv -F 1 " + flag + " fp8", {flag + " fp8", "casts"});
}
