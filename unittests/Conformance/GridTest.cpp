// The covering grid and the must-list, run: exact on integers, poisoned, at guard pages, on 1 and 3 threads, repeated,
// with counted multiply-adds, on one ISA level (ORZO_TEST_ISA; one program each, so that ctest runs them side by side).
// On a machine without that level everything is still compiled and its artifact checked. ORZO_GRID=small in the
// environment runs 20 of the problems.
#include "CompilerLibrary.h"
#include "CoveringGrid.h"
#include "MustList.h"
#include "ProblemRun.h"
#include "Runtime/CPU/Isa.h"
#include "orzo/Spec/Canonical.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace orzo::conformance {
namespace {

constexpr const char *isa = ORZO_TEST_ISA;

struct GridCase {
  std::string name;
  std::string origin; ///< The levels, for messages.
  ConvSpec spec;
  int index; ///< Chooses which of the rarer checks are made.
};

void PrintTo(const GridCase &grid, std::ostream *out) { *out << grid.origin << ": " << text(grid.spec); }

std::vector<GridCase> gridCases() {
  std::vector<GridCase> cases;
  for (const GridRow &row : coveringRows()) {
    int index = static_cast<int>(cases.size());
    cases.push_back({"Row" + std::to_string(index), text(row), *gridProblem(row), index});
  }
  for (const NamedProblem &problem : mustList())
    cases.push_back({problem.name, problem.name, problem.spec, static_cast<int>(cases.size())});
  const char *size = std::getenv("ORZO_GRID");
  if (!size || std::string_view(size) != "small")
    return cases;
  std::vector<GridCase> few;
  for (size_t i = 0; i < 20; ++i)
    few.push_back(cases[i * cases.size() / 20]);
  return few;
}

bool machineHas(std::string_view level) {
  std::vector<Isa> levels = supportedIsas();
  return std::any_of(levels.begin(), levels.end(), [&](Isa each) { return name(each) == level; });
}

class Grid : public testing::TestWithParam<GridCase> {
protected:
  std::string canonical = text(canonicalise(GetParam().spec).spec);

  Expected<Compiled> compile(const std::string &lowering = "", bool count = false) {
    CompileOptions options;
    options.target = std::string("cpu:") + isa;
    options.forceLowering = lowering;
    options.countMultiplyAdds = count;
    return compileText(canonical, options);
  }

  RunOptions how(DataKind data, GuardedBuffer::Placement placement) const {
    RunOptions options;
    options.data = data;
    options.placement = placement;
    options.seed = static_cast<uint64_t>(GetParam().index) + 1;
    return options;
  }
};

constexpr auto atEnd = GuardedBuffer::Placement::EndsAtGuard, atBegin = GuardedBuffer::Placement::BeginsAfterGuard;

/// What every lowering but the baseline promises.
void expectNoWaste(const ConvSpec &spec, const Artifact &artifact) {
  const ArtifactImage &image = artifact.images[0];
  Counters counters = countersOf(image);
  // A contraction visits no padding, not even where the problem as a convolution has some.
  int64_t padding = artifact.lowering == "contract" ? 0 : spec.flopsPadding();
  EXPECT_EQ(counters.dispatches, 1);
  EXPECT_EQ(counters.fills, 0);
  EXPECT_EQ(counters.copies, 0);
  EXPECT_EQ(image.workspaceBytes, 0);
  EXPECT_EQ(counters.flopsExecuted - padding, spec.flopsUseful());
}

TEST_P(Grid, RunsRight) {
  SCOPED_TRACE(canonical);
  Expected<Compiled> compiled = compile();
  ASSERT_TRUE(compiled) << compiled.status().message();
  Expected<Artifact> artifact = parseArtifact(compiled->artifact);
  ASSERT_TRUE(artifact) << artifact.status().message();
  EXPECT_EQ(artifact->problem, canonical);
  ASSERT_EQ(artifact->images.size(), 1u);
  EXPECT_EQ(artifact->images[0].isa, isa);
  ConvSpec spec = parseConvSpec(canonical).take();
  expectNoWaste(spec, *artifact);
  if (!machineHas(isa))
    GTEST_SKIP() << "compiled; this machine cannot run " << isa;
  Expected<Module> module = Module::load(compiled->artifact);
  ASSERT_TRUE(module) << module.status().message();
  EXPECT_EQ(checkRun(*module, how(DataKind::Integer, atEnd)), "");
  EXPECT_EQ(checkRun(*module, how(DataKind::Integer, atBegin)), "");
  if (GetParam().index % 3 == 0) {
    EXPECT_EQ(checkRun(*module, how(DataKind::Random, atEnd)), "");
  }
}

TEST_P(Grid, CountsWhatItExecutes) {
  SCOPED_TRACE(canonical);
  Expected<Compiled> compiled = compile("", true);
  ASSERT_TRUE(compiled) << compiled.status().message();
  if (!machineHas(isa))
    GTEST_SKIP() << "compiled; this machine cannot run " << isa;
  Expected<Module> module = Module::load(compiled->artifact);
  ASSERT_TRUE(module) << module.status().message();
  EXPECT_EQ(checkCounts(*module, how(DataKind::Integer, atEnd)), "");
}

/// Lowerings that are possible but not chosen, for every third problem, and the baseline for every fifth.
TEST_P(Grid, ForcedLoweringsRunRight) {
  SCOPED_TRACE(canonical);
  ConvSpec spec = parseConvSpec(canonical).take();
  std::vector<std::string> lowerings;
  if (GetParam().index % 3 == 1)
    lowerings.push_back(spec.direction == Direction::WGrad ? "wgrad" : "implicit");
  if (GetParam().index % 5 == 2)
    lowerings.push_back("zero-insert");
  for (const std::string &lowering : lowerings) {
    SCOPED_TRACE(lowering);
    Expected<Compiled> compiled = compile(lowering);
    if (!compiled) {
      // Nothing to insert: the one reason there may be.
      EXPECT_EQ(lowering, "zero-insert") << compiled.status().message();
      EXPECT_EQ(compiled.status().code(), StatusCode::InvalidArgument) << compiled.status().message();
      continue;
    }
    Expected<Artifact> artifact = parseArtifact(compiled->artifact);
    ASSERT_TRUE(artifact) << artifact.status().message();
    EXPECT_EQ(artifact->lowering, lowering);
    Counters counters = countersOf(artifact->images[0]);
    if (lowering == "zero-insert") {
      EXPECT_GT(counters.fills + counters.copies, 0);
      EXPECT_GE(counters.flopsExecuted, spec.flopsUseful());
      bool strided = false;
      for (const SpatialDim &dim : spec.spatial)
        strided = strided || dim.stride > 1;
      if (spec.direction == Direction::DGrad && strided && spec.n > 0)
        EXPECT_GT(counters.flopsExecuted, spec.flopsUseful());
    } else {
      expectNoWaste(spec, *artifact);
    }
    if (!machineHas(isa))
      continue;
    Expected<Module> module = Module::load(compiled->artifact);
    ASSERT_TRUE(module) << module.status().message();
    EXPECT_EQ(checkRun(*module, how(DataKind::Integer, atEnd)), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Covering, Grid, testing::ValuesIn(gridCases()),
                         [](const testing::TestParamInfo<GridCase> &info) { return info.param.name; });

} // namespace
} // namespace orzo::conformance
