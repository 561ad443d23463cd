// The grammar: programs, spellings of flags, bases, and what is wrong with a command.
#include "CommandTesting.h"

#include <random>

using namespace orzo;
using namespace orzo::testing_command;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

static const std::string fusilliCore = "-n 2 -c 4 -H 8 -W 8 -k 6 -y 3 -x 3 -u 1 -v 1 -p 1 -q 1 -l 1 -j 1 --in_layout "
                                       "NHWC --fil_layout NHWC --out_layout NHWC --spatial_dim 2";

TEST(Dialect, ProgramNameSelectsAndIsDropped) {
  EXPECT_EQ(parsed("conv -F 1").dialect, Dialect::MIOpen);
  EXPECT_EQ(parsed("MIOpenDriver conv -F 1").dialect, Dialect::MIOpen);
  EXPECT_EQ(parsed("./bin/MIOpenDriver conv -F 1").dialect, Dialect::MIOpen);
  EXPECT_EQ(parsed("/opt/rocm/bin/MIOpenDriver conv -F 1").dialect, Dialect::MIOpen);
  EXPECT_EQ(parsed("iree-boo-driver conv").dialect, Dialect::Boo);
  EXPECT_EQ(parsed("fusilli_benchmark_driver --iter 3 conv -F 1 " + fusilliCore).dialect, Dialect::Fusilli);
  EXPECT_EQ(texts("./bin/MIOpenDriver conv -F 1"), texts("conv -F 1"));
}

TEST(Dialect, LineOfMIOpensLog) {
  EXPECT_EQ(texts("MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -F 1 -n 7"),
            texts("conv -F 1 -n 7"));
}

TEST(Dialect, TextParsesAgain) {
  DriverCommand command = parsed("./bin/MIOpenDriver  conv  -F 1 -S 'a b'  # comment");
  EXPECT_EQ(command.text, "./bin/MIOpenDriver conv -F 1 -S 'a b'");
  EXPECT_EQ(command.base, "conv");
  EXPECT_EQ(texts(command.text), texts("conv -F 1"));
}

TEST(Dialect, TokensOfAShell) {
  std::vector<std::string> tokens = {"conv", "-F", "1", "-#", "2", "#", "junk"};
  auto command = parseDriverCommand(tokens);
  ASSERT_TRUE(command.ok()) << command.status().message();
  EXPECT_EQ(command->problems.size(), 1u);
}

TEST(Dialect, MIOpenForms) {
  auto expected = texts("conv -F 1 -n 2 --in_layout NHWC");
  EXPECT_EQ(texts("conv --forw 1 --batchsize 2 -I NHWC"), expected);
  EXPECT_EQ(texts("conv --forw=1 -n=2 --in_layout=nhwc"), expected);
  EXPECT_EQ(texts("conv -F1 -n2 -I=NHWC"), expected);
  EXPECT_EQ(texts("conv -n +2 -F 1 -Inwhc NHWC"), expected);
  EXPECT_EQ(texts("conv -F 1 -forward 1 -n 2 -I NHWC -f NCHW"), expected);
}

TEST(Dialect, MIOpenOneLetterCounts) {
  // -mode is -m, as MIOpen reads it; -in_layout is -i, whose value is a number.
  EXPECT_EQ(texts("conv -F 1 -mode trans"), texts("conv -F 1 -m trans"));
  expectInvalid("conv -in_layout NHWC", {"-in_layout", "that is -i", "whole number", "NHWC"});
}

TEST(Dialect, MIOpenValueMayBeginWithADash) {
  DriverCommand command = parsed("conv -F 1 -S -1 -d --file");
  EXPECT_EQ(command.problems.size(), 1u);
  expectInvalid("conv -n --in_h 3", {"-n", "whole number", "--in_h"});
}

TEST(Dialect, LastOneWins) {
  EXPECT_EQ(spec("conv -F 1 -n 3 --batchsize 5").n, 5);
  EXPECT_THAT(notes("conv -F 1 -n 3 --batchsize 5"), HasSubstr("--batchsize is written more than once"));
}

TEST(Dialect, BooForms) {
  auto expected = texts("conv -F 2 -n 2 -c 8");
  EXPECT_EQ(texts("iree-boo-driver conv -F=2 -n2 --in_c 8"), expected);
  EXPECT_EQ(texts("iree-boo-driver -n 2 conv --forw=2 -c 8"), expected);
  EXPECT_EQ(texts("iree-boo-driver --gpu-id -1 conv -m conv -F 2 -n 2 -c 8"), expected);
  // -F defaults to 1 there and to all three in MIOpen.
  EXPECT_EQ(parsed("iree-boo-driver conv").problems.size(), 1u);
  EXPECT_EQ(parsed("conv").problems.size(), 3u);
  expectInvalid("iree-boo-driver conv --in_ 8", {"--in_ may be", "--in_d", "--in_channels"});
  expectInvalid("iree-boo-driver conv -n -c 8", {"-n", "missing"});
  expectInvalid("iree-boo-driver conv -V 1", {"iree-boo-driver conv has no flag -V", "MIOpenDriver has it"});
  expectInvalid("iree-boo-driver conv --verify 0", {"unexpected word '0'"});
}

TEST(Dialect, FusilliForms) {
  std::string miopen = "convbfp16 -F 2 " + fusilliCore;
  std::string core = "fusilli_benchmark_driver --iter 10 -D 0 -d conv ";
  EXPECT_EQ(texts(core + "--mode 2 --bf16 " + fusilliCore), texts(miopen));
  EXPECT_EQ(texts(core + "-F2 --bf16 -g 1 " + fusilliCore), texts(miopen));
  EXPECT_EQ(texts(core + "--fp16 -F 4 " + fusilliCore), texts("convfp16 -F 4 " + fusilliCore));
  EXPECT_EQ(texts(core + fusilliCore), texts("conv -F 1 " + fusilliCore));
  EXPECT_EQ(parsed(core + fusilliCore).options.iterations, 10);
  expectInvalid(core + "--fp16 --bf16 " + fusilliCore, {"--fp16", "--bf16", "exclude"});
  expectInvalid(core + "-F 3 " + fusilliCore, {"-F 3", "1 (forward)"});
  expectUnsupported(core + "-b " + fusilliCore, {"-b", "bias comes with the graph API"});
  expectInvalid("fusilli_benchmark_driver --iter 1 conv -n 2", {"is missing", "fusilli_benchmark_driver"});
  expectInvalid("fusilli_benchmark_driver conv " + fusilliCore, {"--iter", "is missing"});
  expectInvalid("fusilli_benchmark_driver --iter 1 convbfp16 " + fusilliCore, {"convbfp16", "--bf16"});
  expectUnsupported("fusilli_benchmark_driver --iter 1 sdpa -B 1", {"sdpa"});
}

TEST(Dialect, UnnamedCommandOfAnotherProgram) {
  DriverCommand fusilli = parsed("--iter 10 conv --bf16 " + fusilliCore);
  EXPECT_EQ(fusilli.dialect, Dialect::Fusilli);
  EXPECT_THAT(fusilli.notes, ::testing::Contains(HasSubstr("fusilli_benchmark_driver")));
  EXPECT_EQ(parsed("-n 2 convbfp16").dialect, Dialect::Boo);
  DriverCommand boo = parsed("convbfp16 --verify-numerics --numerics-min-samples 100");
  EXPECT_EQ(boo.dialect, Dialect::Boo);
  EXPECT_THAT(boo.notes, ::testing::Contains(HasSubstr("--verify-numerics is its flag")));
  EXPECT_EQ(boo.options.verify, true);
  // With the name there is no guessing.
  expectInvalid("MIOpenDriver conv --verify-numerics", {"no flag --verify-numerics", "iree-boo-driver has it"});
}

TEST(Dialect, Bases) {
  EXPECT_EQ(spec("conv -F 1").type(Role::X), DataType::F32);
  EXPECT_EQ(spec("convfp32 -F 1").type(Role::X), DataType::F32);
  EXPECT_EQ(spec("convfp16 -F 1").type(Role::W), DataType::F16);
  EXPECT_EQ(spec("convbfp16 -F 1").type(Role::Y), DataType::BF16);
  EXPECT_EQ(spec("convbfp16 -F 1").accumulate, DataType::F32);
  for (std::string base :
       {"convint8", "convfp8", "convbfp8", "pool", "poolfp16", "lrn", "activ", "softmax", "bnorm", "bnormfp16",
        "bnormbfp16fp32", "rnn", "layernormbfp16", "CBAInfer", "CBAInferfp16", "aten::mm", "aten::argmax", "reduce"})
    expectUnsupported(base + " -F 1", {"'" + base + "'", "convbfp16"});
  expectInvalid("convbf16 -F 1", {"unknown base 'convbf16'", "convbfp16"});
  expectInvalid("gem -F 1", {"unknown base 'gem'", "did you mean gemm?"});
  expectInvalid("frobnicate", {"unknown base 'frobnicate'", "convbfp16"});
  EXPECT_TRUE(beginsDriverCommand("convfp16"));
  EXPECT_TRUE(beginsDriverCommand("aten::mm"));
  EXPECT_TRUE(beginsDriverCommand("./bin/MIOpenDriver"));
  EXPECT_FALSE(beginsDriverCommand("problem.mlir"));
}

TEST(Dialect, BadFlags) {
  expectInvalid("conv --in_layot NHWC", {"has no flag --in_layot", "did you mean --in_layout"});
  expectInvalid("conv -K 3", {"has no flag -K", "did you mean -k"});
  expectInvalid("conv -B 3", {"MIOpenDriver conv has no flag -B"});
  expectInvalid("conv --", {"has no flag --"});
  expectInvalid("conv --=3", {"has no flag --"});
  expectInvalid("iree-boo-driver conv --=3", {"has no flag --"});
  expectInvalid("conv -F 1 -n", {"-n", "missing"});
  expectInvalid("conv -F 1 --in_h", {"--in_h", "missing"});
  expectInvalid("conv -F 1 foo", {"unexpected word 'foo'"});
  expectInvalid("conv -F 1 #foo", {"unexpected word '#foo'", "stands alone"});
  expectInvalid("conv -F 1 -", {"unexpected word '-'"});
  expectInvalid("", {"no base"});
  expectInvalid("MIOpenDriver", {"no base"});
  expectInvalid("MIOpenDriver -n 3 conv", {"no base"});
  expectInvalid("iree-boo-driver -n 3", {"no base"});
}

TEST(Dialect, NumbersAreWhole) {
  for (std::string bad : {"3x", "x", "0x10", "1.5", "''", "+-3", "'3 '"})
    expectInvalid("conv -n " + bad, {"-n", "whole number"});
  expectInvalid("conv -n 99999999999999999999", {"-n", "does not fit in 64 bits"});
  expectInvalid("conv -n 4294967296", {"-n 4294967296", "at most 2147483647"});
  expectInvalid("conv -n -1", {"-n -1", "at least 0"});
}

TEST(Dialect, AnyTokensGiveACommandOrAReason) {
  const std::vector<std::string> words = {"conv",   "gemm",       "convbfp16", "pool",  "MIOpenDriver",
                                          "-F",     "-n",         "--in_l",    "--",    "--=",
                                          "-",      "--iter",     "-m",        "trans", "NHWC",
                                          "-I",     "--bf16",     "-9",        "0",     "1",
                                          "7",      "2147483647", "-F=",       "-F2",   "-u",
                                          "--mode", "-h",         "",          "#",     "--verify-numerics",
                                          "-_",     "3",          "MIOpen(",   "-g",    "fusilli_benchmark_driver",
                                          "-z",     "same",       "-D",        "-b",    "iree-boo-driver"};
  std::mt19937 random(11);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> tokens;
    if (round % 2)
      tokens.push_back(round % 4 == 1 ? "conv" : "iree-boo-driver");
    for (size_t count = random() % 7; count > 0; --count)
      tokens.push_back(words[random() % words.size()]);
    auto command = parseDriverCommand(tokens);
    if (command.ok()) {
      ++accepted;
      EXPECT_NE(command->problems.empty(), command->help.empty());
      continue;
    }
    StatusCode code = command.status().code();
    EXPECT_TRUE(code == StatusCode::InvalidArgument || code == StatusCode::Unsupported);
    EXPECT_FALSE(command.status().message().empty());
  }
  EXPECT_GT(accepted, 100);
}

TEST(Dialect, Help) {
  for (std::string ask : {"conv -h", "conv -?", "conv --help", "-h", "MIOpenDriver --help", "gemmfp16 -h -m 3"}) {
    DriverCommand command = parsed(ask);
    EXPECT_THAT(command.problems, IsEmpty()) << ask;
    EXPECT_THAT(command.help, HasSubstr("usage: MIOpenDriver")) << ask;
  }
  EXPECT_THAT(parsed("conv -h").help, HasSubstr("-F/--forw"));
  EXPECT_THAT(parsed("iree-boo-driver conv -h").help, Not(HasSubstr("--pad_mode")));
  EXPECT_THAT(parsed("conv -F 1").help, IsEmpty());
}

TEST(Dialect, Options) {
  EXPECT_EQ(parsed("conv -F 1").options.iterations, std::nullopt);
  EXPECT_EQ(parsed("conv -F 1").options.verify, std::nullopt);
  EXPECT_EQ(parsed("conv -i 7 -V 0").options.iterations, 7);
  EXPECT_EQ(parsed("conv -i 7 -V 0").options.verify, false);
  EXPECT_EQ(parsed("conv --iter 7 --verify 1").options.verify, true);
  EXPECT_EQ(parsed("iree-boo-driver conv --iter 9").options.iterations, 9);
  EXPECT_TRUE(parsed("iree-boo-driver conv --splat-input-value 1").options.ones);
  EXPECT_FALSE(parsed("iree-boo-driver conv --splat-input-value 2").options.ones);
  EXPECT_THAT(notes("iree-boo-driver conv --splat-input-value 2"), HasSubstr("--splat-input-value 2 has no effect"));
  EXPECT_EQ(parsed("iree-boo-driver conv --cache-dir d").options.cacheDirectory, "d");
  expectInvalid("conv -i 0", {"-i 0", "at least 1"});
  expectInvalid("conv -V 2", {"-V 2", "0 or 1"});
  expectInvalid("iree-boo-driver conv --commands-file f", {"--commands-file f", "orzo itself"});
}

TEST(Dialect, NotesOnFlagsWithoutEffect) {
  EXPECT_THAT(parsed("conv -F 1 -n 3").notes, IsEmpty());
  DriverCommand command = parsed("conv -F 1 -t 1 -w 1 -s 0 -S -1");
  EXPECT_THAT(command.notes, ::testing::Contains("flags -t, -w have no effect here: orzo always times"));
  EXPECT_THAT(command.notes, ::testing::Contains(HasSubstr("flags -s, -S have no effect here: orzo chooses")));
  EXPECT_THAT(notes("conv -F 1 --conv_stride_d 0 --in_d 7"),
              HasSubstr("--in_d, --conv_stride_d have no effect here: the problem is 2-D"));
  EXPECT_THAT(notes("conv -F 1 -Y 1"), HasSubstr("flag -Y has no effect here: output padding belongs to -m trans"));
}
