// The three modules of the report that orzo was started for, as posted. They are not part of the repository: ORZO_SEED
// names a folder that holds them; without it these tests are skipped.
#include "Reading.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace orzo::test {
namespace {

constexpr const char *seed =
    "conv.v1 dgrad n16 c2048 k2048 g1 in512 f2 out256 s2 d1 p0 x:nhc:bf16 w:krc:bf16 y:npk:bf16 acc:f32";

class Seed : public testing::Test {
protected:
  void SetUp() override {
    const char *named = std::getenv("ORZO_SEED");
    if (!named)
      GTEST_SKIP() << "ORZO_SEED is not set";
    folder = named;
  }
  std::string file(const std::string &name) const {
    std::stringstream contents;
    contents << std::ifstream(folder + "/" + name).rdbuf();
    EXPECT_FALSE(contents.str().empty()) << folder << "/" << name;
    return contents.str();
  }
  std::string folder;
};

TEST_F(Seed, RightSpellingsAreOneProblem) {
  CompileRequest request;
  request.input = seed;
  request.stopAfter = "conv";
  Expected<CompileOutput> output = compile(request);
  ASSERT_TRUE(output.ok());
  std::string expected(output->bytes.begin(), output->bytes.end());
  for (const char *name : {"boo_input.mlir", "fusilli_torch.mlir"}) {
    EXPECT_EQ(read(file(name)), seed) << name;
    EXPECT_EQ(printedAfter("conv", file(name)), expected) << name;
  }
}

TEST_F(Seed, TheWrongOneDiffersByItsFlipAlone) {
  std::string flipped = seed;
  flipped.replace(flipped.find("f2"), 2, "f2~");
  EXPECT_EQ(read(file("fusilli_input.mlir")), flipped);
}

TEST_F(Seed, BindingsAreKept) {
  Expected<ReadProblems> driver = readProblems(file("boo_input.mlir"), "boo_input.mlir");
  Expected<ReadProblems> graph = readProblems(file("fusilli_input.mlir"), "fusilli_input.mlir");
  Expected<ReadProblems> torch = readProblems(file("fusilli_torch.mlir"), "fusilli_torch.mlir");
  ASSERT_TRUE(driver.ok() && graph.ok() && torch.ok());
  auto uses = [](const Expected<ReadProblems> &read) {
    std::vector<ArgumentUse> uses;
    for (const ArgumentBinding &argument : read->binding.arguments)
      uses.push_back(argument.use);
    return uses;
  };
  using enum ArgumentUse;
  EXPECT_EQ(uses(driver), (std::vector{Operand, Unused, Operand, WaitFence, SignalFence}));
  EXPECT_EQ(uses(graph), (std::vector{Destination, Operand, Operand, WaitFence, SignalFence}));
  EXPECT_EQ(uses(torch), (std::vector{Destination, Operand, Operand}));
  EXPECT_EQ(graph->binding.entry, "main");
  EXPECT_EQ(graph->binding.asyncEntry, "main$async");
  EXPECT_TRUE(graph->binding.coarseFences);
  EXPECT_EQ(driver->binding.destinations, std::vector<int>{-1});
  EXPECT_EQ(graph->binding.destinations, std::vector<int>{0});
  // dx is 16x1x512x2048 in one and 16x512x1x2048 in the other: the same memory.
  EXPECT_EQ(driver->binding.problems[0].spec.byteCount(Role::X), graph->binding.problems[0].spec.byteCount(Role::X));
}

} // namespace
} // namespace orzo::test
