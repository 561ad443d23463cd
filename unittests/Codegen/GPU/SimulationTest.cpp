// The index logic of GPU kernels, run on the CPU for a grid of small problems and compared with Reference bit for bit.
#include "Codegen/GPU/Simulation.h"

#include "Codegen/GPU/EpilogueAccess.h"
#include "Reference/Evaluate.h"
#include "orzo/Spec/Canonical.h"
#include "orzo/Spec/Contraction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace orzo::gpu {
namespace {

int64_t pick(std::mt19937 &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

using Bytes = std::vector<uint8_t>;

struct Problem {
  explicit Problem(const ConvSpec &problem, std::mt19937 &random) : spec(problem) {
    Role result = resultRole(spec.direction);
    for (Role role : {Role::X, Role::W, Role::Y}) {
      int64_t count = spec.elementCount(role);
      memory[int(role)].assign(spec.byteCount(role), 0);
      values[int(role)].assign(count, std::nan(""));
      if (role == result)
        continue;
      for (int64_t i = 0; i < count; ++i) {
        values[int(role)][i] = double(pick(random, -3, 3));
        storeElement(memory[int(role)].data(), i, spec.type(role), values[int(role)][i]);
      }
    }
    expected.resize(spec.elementCount(result));
    reference::evaluate(spec, {memory[0].data(), memory[1].data(), memory[2].data()}, expected.data());
  }

  /// Simulates and compares every element: a NaN is one never stored.
  void check(const Tables &tables, const Plan &plan, const Epilogue &epilogue = {}) {
    std::vector<double> out = values[int(tables.outRole)];
    Status status = simulate(tables, plan, values[int(tables.lhsRole)], values[int(tables.rhsRole)], out, epilogue);
    ASSERT_TRUE(status.ok()) << status.message() << "\n" << text(spec) << "\n" << text(plan);
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], expected[i]) << "element " << i << " of " << out.size() << "\n"
                                     << text(spec) << "\n"
                                     << text(plan);
  }

  ConvSpec spec;
  std::array<Bytes, 3> memory;
  std::array<std::vector<double>, 3> values;
  std::vector<double> expected;
};

/// Tables by the lowering that the compiler would choose, or the direct ones.
Expected<Tables> tablesFor(const ConvSpec &spec, bool collapsed) {
  if (collapsed)
    if (std::optional<Contraction> contraction = collapse(spec); contraction && !contraction->hasZeroTail)
      return tablesOf(
          nestOf(*contraction, spec.type(contraction->lhs), spec.type(contraction->rhs), spec.type(contraction->out)));
  return tablesOf(spec);
}

Plan planOf(int64_t rows, int64_t columns, bool isSideBySide, int64_t splits, int64_t group) {
  Plan plan;
  plan.tileRows = rows, plan.tileColumns = columns, plan.isSideBySide = isSideBySide;
  plan.splits = splits, plan.groupRows = group;
  plan.stages = 2;
  plan.storeBuffers = 1;
  return plan;
}

/// What there was to see in a run of problems.
struct Seen {
  int problems = 0, stores = 0, walks = 0, splits = 0, phases = 0, emptyPhases = 0, unsupported = 0;
  int gathersLhs = 0, gathersRhs = 0;
  int staged = 0, columns = 0, byRows = 0;
  std::string reasons;
};

/// Extras as graphs have them beside a result of `spec`: the result's own layout, one value a channel, one an image, a
/// scalar, another order of dims.
std::vector<Extra> randomExtras(const ConvSpec &spec, std::mt19937 &random) {
  Role role = resultRole(spec.direction);
  const std::vector<Axis> &axes = spec.layout(role);
  int64_t elements = spec.elementCount(role);
  std::vector<Extra> extras;
  int64_t mostKinds = pick(random, 0, 2) == 0 ? 2 : 4; // Often without what sends results by rows.
  for (int64_t i = pick(random, 1, 3); i > 0; --i) {
    Extra extra;
    extra.type = pick(random, 0, 3) == 0 ? ElementType::Float : ElementType::BFloat16;
    int64_t kind = pick(random, 0, mostKinds);
    extra.map.offset = kind == 0 ? 0 : pick(random, 0, 9);
    int64_t inner = spec.extent(role, axes.back()), first = spec.extent(role, axes.front());
    if (kind == 0)
      extra.map.digits = {{elements, 1}};
    else if (kind == 1)
      extra.map.digits = {{elements / inner, 0}, {inner, 1}};
    else if (kind == 2)
      extra.map.digits = {{elements, 0}};
    else if (kind == 3)
      extra.map.digits = {{first, 1}, {elements / first, 0}};
    else
      extra.map.digits = {{elements / inner, 1}, {inner, elements / inner}};
    extras.push_back(extra);
  }
  return extras;
}

void checkProblem(const ConvSpec &spec, std::mt19937 &random, Seen &seen) {
  Problem problem(spec, random);
  for (bool collapsed : {false, true}) {
    Expected<Tables> tables = tablesFor(spec, collapsed);
    if (!tables) {
      ASSERT_EQ(tables.status().code(), StatusCode::Unsupported);
      ++seen.unsupported;
      continue;
    }
    constexpr std::array<std::array<int64_t, 3>, 4> shapes = {
        {{128, 64, 0}, {64, 128, 1}, {128, 256, 0}, {256, 64, 0}}};
    auto [rows, columns, beside] = shapes[pick(random, 0, 3)];
    Plan plan = planOf(rows, columns, beside != 0, 1, pick(random, 1, 3));
    if (tables->phaseCount == 1 && tables->depthBlocks[0] > 1)
      plan.splits = pick(random, 1, std::min<int64_t>(4, tables->depthBlocks[0]));
    ASSERT_TRUE(checkPlan(plan, *tables).ok()) << checkPlan(plan, *tables).message();
    plan.gathersLhs = pick(random, 0, 3) == 0, plan.gathersRhs = pick(random, 0, 3) == 0;
    Tables tiled = *tables;
    Status status = setTile(tiled, plan);
    if (!status.ok()) {
      ASSERT_EQ(status.code(), StatusCode::Unsupported) << status.message();
      ++seen.unsupported;
      continue;
    }
    Epilogue epilogue;
    if (problem.spec.elementCount(resultRole(spec.direction)) > 0)
      epilogue.extras = randomExtras(spec, random);
    if (pick(random, 0, 3) == 0)
      tiled.result = ElementType::Float;
    ASSERT_NO_FATAL_FAILURE(problem.check(tiled, plan, epilogue));
    EpilogueAccess access = accessOf(plan.splits > 1 ? Epilogue() : epilogue, 0, tiled, plan);
    seen.staged += access.stagedCount() > 0, seen.byRows += access.isByRows;
    seen.columns += !access.isByRows && access.stagedCount() < int64_t(access.extras.size());
    ++seen.problems;
    seen.gathersLhs += tiled.lhs.isGathered, seen.gathersRhs += tiled.rhs.isGathered;
    seen.reasons += tiled.lhs.reason + tiled.rhs.reason + tiled.out.reason;
    seen.stores += tiled.store == StoreMode::Global;
    seen.walks += !tiled.out.maps.empty() && tiled.out.maps[0].mode == TensorMapRecipe::Mode::Im2col;
    seen.splits += plan.splits > 1;
    seen.phases += tiled.phaseCount > 1;
    for (int64_t depth : tiled.depth)
      seen.emptyPhases += depth == 0;
  }
}

ConvSpec randomProblem(std::mt19937 &random, Direction direction) {
  constexpr std::array<int64_t, 5> channels = {8, 24, 64, 72, 136};
  std::vector<SpatialDim> spatial;
  int64_t rank = pick(random, 1, 3);
  for (int64_t i = 0; i < rank; ++i) {
    SpatialDim dim;
    dim.in = pick(random, 1, rank == 1 ? 70 : rank == 2 ? 15 : 6);
    dim.filter = pick(random, 1, 4);
    dim.stride = pick(random, 1, 3);
    dim.dilation = pick(random, 1, 3);
    dim.padLow = pick(random, -1, 3);
    dim.flip = pick(random, 0, 5) == 0;
    int64_t room = dim.in + dim.padLow + pick(random, -1, 3) - (dim.filter - 1) * dim.dilation - 1;
    dim.out = room < 0 ? 1 : room / dim.stride + 1;
    spatial.push_back(dim);
  }
  return channelsLast(direction, pick(random, 1, 3), channels[pick(random, 0, 4)], channels[pick(random, 0, 4)], 1,
                      spatial, DataType::BF16);
}

TEST(Simulation, RandomProblemsMatchReference) {
  std::mt19937 random(11);
  Seen seen;
  for (int i = 0; i < 240; ++i) {
    ConvSpec spec = randomProblem(random, static_cast<Direction>(i % 3));
    if (!validate(spec).ok())
      continue;
    ASSERT_NO_FATAL_FAILURE(checkProblem(spec, random, seen));
    ASSERT_NO_FATAL_FAILURE(checkProblem(canonicalise(spec).spec, random, seen));
  }
  EXPECT_GT(seen.problems, 700);
  EXPECT_GT(seen.gathersLhs, 100);
  EXPECT_GT(seen.gathersRhs, 100);
  EXPECT_GT(seen.walks, 100);
  EXPECT_GT(seen.splits, 100);
  EXPECT_GT(seen.phases, 100);
  EXPECT_GT(seen.emptyPhases, 50);
  EXPECT_GT(seen.staged, 30);
  EXPECT_GT(seen.columns, 50);
  EXPECT_GT(seen.byRows, 200);
  EXPECT_LT(seen.unsupported, seen.problems / 4);
}

TEST(Simulation, ImagesThatDoNotDivide) {
  std::mt19937 random(13);
  Seen seen;
  for (int64_t size : {7, 14, 28, 57})
    for (int64_t filter : {1, 2, 3})
      for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
        int64_t pad = filter == 3 ? 1 : 0;
        SpatialDim dim = {size, filter, (size + 2 * pad - filter) / 2 + 1, 2, 1, pad, false};
        ConvSpec spec = channelsLast(direction, 2, 64, 16, 1, {dim, dim}, DataType::F16);
        ASSERT_NO_FATAL_FAILURE(checkProblem(spec, random, seen));
      }
  EXPECT_EQ(seen.problems, 72);
  EXPECT_EQ(seen.unsupported, 0);
}

/// A problem of one or two spatial dims that the copy engine does not reach in every direction.
ConvSpec gatheredProblem(Direction direction, int64_t c, int64_t k, int64_t size, int64_t filter, int64_t stride,
                         int64_t dilation, int64_t pad, int rank) {
  SpatialDim dim = {size, filter, (size + 2 * pad - (filter - 1) * dilation - 1) / stride + 1, stride, dilation,
                    pad,  false};
  return channelsLast(direction, 2, c, k, 1, std::vector<SpatialDim>(rank, dim), DataType::BF16);
}

TEST(Simulation, GathersWhatTheCopyEngineCannotLoad) {
  struct Case {
    const char *rule;
    int64_t c, k, size, filter, stride, dilation, pad;
    int rank;
  };
  constexpr std::array<Case, 15> cases = {{{"T3", 3, 64, 14, 3, 1, 1, 1, 2},
                                           {"T3", 3, 64, 15, 7, 2, 1, 3, 2},
                                           {"T3", 16, 5, 9, 3, 1, 1, 1, 2},
                                           {"T3", 12, 8, 9, 3, 2, 1, 1, 2},
                                           {"T3", 12, 5, 30, 4, 3, 2, 2, 1},
                                           {"T3", 70, 66, 9, 2, 1, 1, 0, 2},
                                           {"T3", 1, 1, 12, 3, 1, 1, 1, 1},
                                           {"T3", 9, 130, 5, 1, 1, 1, 0, 2},
                                           {"T5", 16, 24, 40, 3, 9, 1, 1, 2},
                                           {"T5", 16, 24, 140, 11, 11, 1, 0, 1},
                                           {"T8", 16, 8, 201, 3, 8, 200, 200, 2},
                                           {"T10", 16, 8, 129, 3, 8, 128, 128, 2},
                                           {"T8", 8, 16, 4, 2, 8, 1, 140, 2},
                                           {"T5", 8, 16, 4, 2, 17, 7, 140, 2},
                                           {"T3", 5, 3, 4, 2, 17, 1, 140, 2}}};
  std::mt19937 random(29);
  for (const Case &c : cases) {
    Seen seen;
    for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad})
      ASSERT_NO_FATAL_FAILURE(checkProblem(
          gatheredProblem(direction, c.c, c.k, c.size, c.filter, c.stride, c.dilation, c.pad, c.rank), random, seen));
    EXPECT_EQ(seen.unsupported, 0) << c.rule << " c" << c.c << " k" << c.k << " s" << c.stride << " p" << c.pad;
    EXPECT_EQ(seen.problems, 6);
    EXPECT_NE(seen.reasons.find(std::string(c.rule) + ": "), std::string::npos) << c.rule << " in " << seen.reasons;
  }
}

TEST(Simulation, RandomChannelsMatchReference) {
  std::mt19937 random(31);
  Seen seen;
  for (int i = 0; i < 120; ++i) {
    ConvSpec spec = randomProblem(random, static_cast<Direction>(i % 3));
    ConvSpec odd =
        channelsLast(spec.direction, spec.n, pick(random, 1, 80), pick(random, 1, 80), 1, spec.spatial, DataType::F16);
    if (!validate(odd).ok())
      continue;
    ASSERT_NO_FATAL_FAILURE(checkProblem(odd, random, seen));
  }
  EXPECT_GT(seen.problems, 180);
  EXPECT_GT(seen.stores, 80);
  EXPECT_LT(seen.unsupported, seen.problems / 4);
}

TEST(Simulation, MatrixProductsOfAnyLayout) {
  std::mt19937 random(17);
  Seen seen;
  for (const char *x : {"nc", "cn"})
    for (const char *w : {"kc", "ck"})
      for (const char *y : {"nk", "kn"}) {
        ConvSpec spec = channelsLast(Direction::FProp, 72, 136, 80, 1, {}, DataType::BF16);
        spec.layout(Role::X) = parseLayout(x, Role::X, 0).take();
        spec.layout(Role::W) = parseLayout(w, Role::W, 0).take();
        spec.layout(Role::Y) = parseLayout(y, Role::Y, 0).take();
        ASSERT_NO_FATAL_FAILURE(checkProblem(spec, random, seen));
      }
  EXPECT_EQ(seen.problems, 16);
}

TEST(Simulation, ContractionsWhoseResultHasHoles) {
  // Rows are (n, p, q) and columns (r, s and c): each filter row is a result row apart. Few of them are phases with
  // maps; many are stored without.
  std::mt19937 random(23);
  for (int64_t size : {2, 18}) {
    Seen seen;
    SpatialDim rows = {3 * size, size, 3, size, 1, 0, false}, columns = {10, 2, 5, 2, 1, 0, false};
    ASSERT_NO_FATAL_FAILURE(
        checkProblem(channelsLast(Direction::DGrad, 3, 24, 40, 1, {rows, columns}, DataType::BF16), random, seen));
    EXPECT_EQ(seen.stores, size == 2 ? 0 : 2);
    EXPECT_EQ(seen.phases, size == 2 ? 2 : 1);
  }
}

TEST(Simulation, CatchesAWrongGather) {
  std::mt19937 random(37);
  ConvSpec spec = channelsLast(Direction::FProp, 1, 3, 64, 1, {{40, 3, 4, 9, 1, 0, false}}, DataType::BF16);
  Problem problem(spec, random);
  Tables tables = tablesOf(spec).take();
  Plan plan = planOf(128, 64, false, 1, 1);
  ASSERT_TRUE(tables.lhs.isGathered);
  ASSERT_TRUE(setTile(tables, plan).ok());
  tables.lhs.maps.front().elementStrides[1] = 8;
  std::vector<double> out = problem.values[2];
  ASSERT_TRUE(simulate(tables, plan, problem.values[0], problem.values[1], out).ok());
  EXPECT_NE(out, problem.expected);
}

TEST(Simulation, CatchesWrongExtras) {
  std::mt19937 random(43);
  ConvSpec spec = channelsLast(Direction::FProp, 1, 64, 64, 1, {{9, 3, 9, 1, 1, 1, false}}, DataType::BF16);
  Problem problem(spec, random);
  Tables tables = tablesOf(spec).take();
  Plan plan = planOf(128, 64, false, 1, 1);
  ASSERT_TRUE(setTile(tables, plan).ok());
  Epilogue epilogue;
  epilogue.extras = {{ElementType::BFloat16, {{{9, 0}, {64, 1}}, 0}}};
  ASSERT_EQ(accessOf(epilogue, 0, tables, plan).extras[0].kind, ExtraAccess::Kind::Column);
  std::vector<double> out = problem.values[2];
  // Rows that do not begin at multiples of the channels: the column alone does not say which element it is.
  tables.outElement.base[0] = 32;
  EXPECT_TRUE(accessOf(epilogue, 0, tables, plan).isByRows);
  Status status = simulate(tables, plan, problem.values[0], problem.values[1], out, epilogue);
  EXPECT_FALSE(status.ok()); // Past the end of the result.
}

TEST(Simulation, StagedPiecesFillTheirStages) {
  for (auto [rows, columns, beside] :
       {std::tuple(128, 256, false), {256, 64, false}, {128, 64, false}, {64, 128, true}})
    for (int64_t extras : {1, 2, 3}) {
      Plan plan = planOf(rows, columns, beside, 1, 1);
      EpilogueAccess access;
      access.extras.assign(extras, {ExtraAccess::Kind::Staged, 0, 0});
      StagedPieces staged(access, plan);
      int64_t pairs = 0;
      for (int64_t stage = 0; stage < staged.stages(); ++stage) {
        EXPECT_GT(staged.pairsOf(stage), 0);
        EXPECT_LE(staged.pairsOf(stage) * 2 * 8192, plan.stageBytes());
        pairs += staged.pairsOf(stage);
      }
      EXPECT_EQ(pairs * 2 * 64 * 64, extras * rows * columns);
    }
}

TEST(Simulation, CatchesAWrongTable) {
  std::mt19937 random(19);
  ConvSpec spec = channelsLast(Direction::FProp, 1, 64, 64, 1, {{9, 3, 9, 1, 1, 1, false}}, DataType::BF16);
  Problem problem(spec, random);
  Tables tables = tablesOf(spec).take();
  Plan plan = planOf(128, 64, false, 1, 1);
  ASSERT_TRUE(setTile(tables, plan).ok());
  tables.out.coordinates[1].base[0] = -1; // Every row one too high.
  std::vector<double> out = problem.values[2];
  ASSERT_TRUE(simulate(tables, plan, problem.values[0], problem.values[1], out).ok());
  EXPECT_NE(out, problem.expected);
}

} // namespace
} // namespace orzo::gpu
