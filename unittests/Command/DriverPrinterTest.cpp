// printDriverCommand, and that reading what it prints gives the same problem.
#include "CommandTesting.h"

#include <random>

using namespace orzo;
using namespace orzo::testing_command;
using ::testing::HasSubstr;

static std::string printed(const ConvSpec &spec, Dialect dialect = Dialect::MIOpen) {
  auto command = printDriverCommand(spec, dialect);
  EXPECT_TRUE(command.ok()) << text(spec) << "\n" << command.status().message();
  return command.ok() ? *command : "";
}

static void expectUnprintable(const ConvSpec &spec, const std::string &why) {
  auto command = printDriverCommand(spec);
  ASSERT_FALSE(command.ok()) << *command;
  EXPECT_EQ(command.status().code(), StatusCode::Unsupported);
  EXPECT_THAT(command.status().message(), HasSubstr(why));
}

/// The same problem up to axes of extent 1: equal extents, and equal strides of every axis longer than 1. `b` may have
/// leading unit dims that `a` lacks.
static void expectSameProblem(const ConvSpec &a, const ConvSpec &b, const std::string &command) {
  SCOPED_TRACE(text(a) + "\n" + command + "\n" + text(b));
  ASSERT_EQ(a.direction, b.direction);
  ASSERT_EQ(a.types, b.types);
  ASSERT_EQ(std::tie(a.n, a.c, a.k, a.groups), std::tie(b.n, b.c, b.k, b.groups));
  int shift = b.rank() - a.rank();
  ASSERT_GE(shift, 0);
  for (int dim = 0; dim < b.rank(); ++dim)
    ASSERT_EQ(b.spatial[dim], dim < shift ? SpatialDim{} : a.spatial[dim - shift]);
  for (Role role : {Role::X, Role::W, Role::Y})
    for (Axis axis : axesOf(role, a.rank())) {
      Axis other = isSpatial(axis) ? spatialAxis(spatialIndex(axis) + shift) : axis;
      ASSERT_EQ(a.extent(role, axis), b.extent(role, other));
      if (a.extent(role, axis) > 1)
        ASSERT_EQ(a.elementStride(role, axis), b.elementStride(role, other));
    }
}

TEST(DriverPrinter, MIOpensOrder) {
  std::string line =
      "convbfp16 -n 16 -c 2048 -H 1 -W 512 -k 2048 -y 1 -x 2 -p 0 -q 0 -u 1 -v 2 -l 1 -j 1 --in_layout NHWC "
      "--fil_layout NHWC --out_layout NHWC -m conv -g 1 -F 2 -t 1";
  EXPECT_EQ(printed(spec(line)), line);
  line =
      "convfp16 -n 2 -c 4 --in_d 8 -H 9 -W 10 -k 6 --fil_d 1 -y 2 -x 3 --pad_d 0 -p 1 -q 2 --conv_stride_d 1 -u 2 -v 3 "
      "--dilation_d 1 -l 1 -j 2 --spatial_dim 3 -m conv -g 2 -F 1 -t 1";
  EXPECT_EQ(printed(spec(line)), line);
}

TEST(DriverPrinter, RoundTripOfRandomCommands) {
  std::mt19937 random(7);
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const std::string bases[] = {"conv", "convfp16", "convbfp16"};
  int tried = 0;
  while (tried < 2000) {
    int rank = pick(1, 3);
    int groups = pick(0, 2) ? 1 : pick(2, 3);
    std::string line = bases[pick(0, 2)] + " --spatial_dim " + std::to_string(rank) + " -g " + std::to_string(groups) +
                       " -n " + std::to_string(pick(0, 2)) + " -c " + std::to_string(groups * pick(1, 2)) + " -k " +
                       std::to_string(groups * pick(1, 3)) + " -F " + std::to_string(1 << pick(0, 2)) +
                       (pick(0, 3) ? " -m conv" : " -m trans");
    for (std::string flags : {"!@#$^", "Hyupl", "Wxvqj"}) {
      int lows[] = {1, 1, 1, 0, 1}, highs[] = {6, 3, 3, 2, 2};
      for (int index = 0; index < 5; ++index)
        line += std::string(" -") + flags[index] + " " + std::to_string(pick(lows[index], highs[index]));
    }
    for (std::string flag : {"I", "f", "O"}) {
      std::string letters = rank == 1 ? "NCH" : rank == 2 ? "NCHW" : "NCDHW";
      std::shuffle(letters.begin(), letters.end(), random);
      line += " -" + flag + " " + letters;
    }
    auto command = parseDriverCommand(line);
    if (!command.ok()) {
      // The only reason among these sizes: no output.
      ASSERT_THAT(command.status().message(), HasSubstr("along ")) << line;
      continue;
    }
    ++tried;
    ASSERT_EQ(command->problems.size(), 1u);
    const ConvSpec &original = command->problems[0].spec;
    for (Dialect dialect : allDialects) {
      std::string again = printed(original, dialect);
      auto read = parseDriverCommand(again);
      ASSERT_TRUE(read.ok()) << again << "\n" << read.status().message();
      EXPECT_EQ(read->dialect, dialect) << again;
      expectSameProblem(original, spec(again), again);
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(DriverPrinter, OtherPrograms) {
  ConvSpec one =
      spec("convbfp16 -n 16 -c 2048 -H 1 -W 512 -k 2048 -y 1 -x 2 -v 2 -F 2 -I NHWC -f NHWC -O NHWC -p 0 -q 0");
  EXPECT_EQ(printed(one, Dialect::Boo),
            "iree-boo-driver convbfp16 -n 16 -c 2048 -H 1 -W 512 -k 2048 -y 1 -x 2 -p 0 -q 0 -u 1 -v 2 -l 1 -j 1 "
            "--in_layout NHWC --fil_layout NHWC --out_layout NHWC -m conv -g 1 -F 2 -t 1");
  EXPECT_EQ(printed(one, Dialect::Fusilli),
            "fusilli_benchmark_driver conv --bf16 -n 16 -c 2048 -H 1 -W 512 -k 2048 -y 1 -x 2 -p 0 -q 0 -u 1 -v 2 -l 1 "
            "-j 1 --spatial_dim 2 --in_layout NHWC --fil_layout NHWC --out_layout NHWC -g 1 -F 2 -i 10");
  // BOO exchanges -m and -k; its gemm has neither batch nor column-major order, Fusilli has no gemm at all.
  ConvSpec product = spec("gemmfp16 -m 5 -n 6 -k 7 -v 1");
  EXPECT_EQ(printed(product, Dialect::Boo), "iree-boo-driver gemmfp16 -k 5 -n 6 -m 7 -v 1 -F 1 -t 1");
  for (const ConvSpec &any : {product, spec("gemm -m 5 -n 6 -k 7 -C 1")})
    for (Dialect dialect : allDialects) {
      std::string line = printed(any, dialect);
      expectSameProblem(any, spec(line), line);
    }
}

TEST(DriverPrinter, UnitAxesMayBeLeftOut) {
  ConvSpec one = spec("conv -F 1 -n 1 -c 4 -k 6 -H 1 -y 1 -I NHWC -f NHWC -O NHWC");
  one.layout(Role::X) = {Axis::S1, Axis::C};
  one.layout(Role::W) = {Axis::K, Axis::S1, Axis::C};
  one.layout(Role::Y) = {Axis::S1, Axis::K};
  std::string line = printed(one);
  EXPECT_THAT(line, HasSubstr("--in_layout NHWC --fil_layout NHWC --out_layout NHWC"));
  expectSameProblem(one, spec(line), line);
}

TEST(DriverPrinter, Gemm) {
  for (std::string flags : {"", " -u 1", " -v 1", " -u 1 -v 1", " -C 1", " -C 1 -u 1", " -C 1 -u 1 -v 1", " -b 3",
                            " -b 3 -u 1", " -m 1", " -n 1 -C 1", " -k 1", " -m 1 -n 1 -k 1", " -m 0"}) {
    ConvSpec one = spec("gemmbfp16 -m 5 -n 6 -k 7" + flags);
    std::string line = printed(one);
    EXPECT_THAT(line, ::testing::StartsWith("gemmbfp16 "));
    expectSameProblem(one, spec(line), line);
  }
}

TEST(DriverPrinter, GradientsWithoutSpatialDims) {
  for (std::string mode : {" -F 2", " -F 3"}) {
    ConvSpec one = spec("iree-boo-driver gemm -m 5 -n 6 -k 7 -u 1" + mode);
    std::string line = printed(one);
    EXPECT_THAT(line, ::testing::StartsWith("conv "));
    expectSameProblem(one, spec(line), line);
  }
}

TEST(DriverPrinter, WhatACommandCannotSay) {
  ConvSpec one = spec("conv -F 1 -c 4 -k 6 -I NHWC -f NHWC -O NHWC");
  ConvSpec flipped = one;
  flipped.spatial[0].flip = true;
  expectUnprintable(flipped, "flipped");
  ConvSpec negative = one;
  negative.spatial[0].padLow = -1;
  expectUnprintable(negative, "padLow -1");
  ConvSpec lopsided = one;
  lopsided.spatial[1].out -= 1;
  expectUnprintable(lopsided, "one padding for both sides");
  ConvSpec mixed = one;
  mixed.type(Role::Y) = DataType::BF16;
  expectUnprintable(mixed, "one element type");
  ConvSpec grouped = spec("conv -F 1 -c 4 -k 6 -g 2");
  grouped.layout(Role::X) = {Axis::G, Axis::N, Axis::C, Axis::S0, Axis::S1};
  expectUnprintable(grouped, "groups just before the channels");
  ConvSpec batched = spec("gemm -b 2");
  batched.layout(Role::Y) = {Axis::N, Axis::G, Axis::K};
  expectUnprintable(batched, "batch outermost");
}
